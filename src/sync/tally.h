#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "sync/sync.h"

namespace yonder::sync {

// What one attempt has done so far. Thread: any.
class Tally {
 public:
  enum class End : std::uint8_t { Here, There };
  void fail(std::uint64_t number, const std::string& path, const Error& error,
            End end = End::Here) {
    failed_.with([&](Failures& failures) {
      if (!failures.places.try_emplace(number, failures.list.size()).second) return;
      const std::string shown = path.empty() ? "." : path;
      failures.list.push_back(
          {shown, error.code, without_name(error.message, path), end == End::There});
    });
  }
  bool has_failed(std::uint64_t number) const {
    return failed_.with([&](const Failures& f) { return f.places.contains(number); });
  }
  std::optional<FailedEntry> failure(std::uint64_t number) const {
    return failed_.with([&](const Failures& f) {
      const auto found = f.places.find(number);
      return found == f.places.end() ? std::nullopt : std::optional(f.list[found->second]);
    });
  }
  // It was to be removed, and is not empty.
  void keep(std::uint64_t number) {
    kept_.with([&](auto& kept) { kept.insert(number); });
  }
  bool was_kept(std::uint64_t number) const {
    return kept_.with([&](const auto& kept) { return kept.contains(number); });
  }
  std::vector<FailedEntry> failures() const {
    return failed_.with([](const Failures& f) { return f.list; });
  }
  // Of a file that was copied as a whole.
  void note_contents(std::uint64_t number, const tree::Hash& hash) {
    contents_.with([&](auto& contents) { contents[number] = hash; });
  }
  std::optional<tree::Hash> contents(std::uint64_t number) const {
    return contents_.with([&](const auto& contents) {
      const auto found = contents.find(number);
      return found == contents.end() ? std::nullopt : std::optional(found->second);
    });
  }
  void note_trash(const std::string& batch) {
    if (batch.empty()) return;
    batches_.with([&](auto& batches) { batches.insert(batch); });
  }
  std::set<std::string> trash_batches() const {
    return batches_.with([](const auto& batches) { return batches; });
  }
  void now_at(const std::string& path) {
    current_.with([&](std::string& current) { current = path; });
  }
  // Until when the far side may take to stop: the same for all streams of the attempt.
  Deadline stop_by(Duration patience) {
    return stop_by_.with([&](std::optional<Deadline>& by) {
      if (!by) by = Deadline::after(patience);
      return *by;
    });
  }
  std::string current() const {
    return current_.with([](const std::string& current) { return current; });
  }

  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> bytes_found{0};  // of these: there already, by an attempt before
  std::atomic<std::uint64_t> files{0};
  std::atomic<std::uint64_t> wire_bytes{0};
  std::atomic<std::uint64_t> trash_bytes{0};  // of a pull: what went to the trash here
  std::atomic<int> links{1};
  std::atomic<bool> lost_modes{false};            // the target does not keep them
  std::atomic<std::uint64_t> lost_attributes{0};  // entries that did not get all of theirs
  std::atomic<bool> may_go_on{false};             // over there, though it was told to stop

 private:
  // The entry is named anyhow.
  static std::string without_name(const std::string& message, const std::string& path) {
    const std::string name = printable(path) + ": ";
    return message.starts_with(name) ? message.substr(name.size()) : message;
  }
  struct Failures {
    std::map<std::uint64_t, std::size_t> places;  // in the list, by number
    std::vector<FailedEntry> list;
  };
  Guarded<Failures> failed_;
  Guarded<std::set<std::uint64_t>> kept_;
  Guarded<std::unordered_map<std::uint64_t, tree::Hash>> contents_;
  Guarded<std::set<std::string>> batches_;
  Guarded<std::string> current_;
  Guarded<std::optional<Deadline>> stop_by_;
};

}  // namespace yonder::sync
