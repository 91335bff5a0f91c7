#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/guarded.h"
#include "base/id.h"
#include "base/secret.h"

namespace yonder::config {
class ConfigStore;
}
namespace yonder::link {
class LinkPool;
}
namespace yonder::resources {
class Board;
}
namespace yonder::run {
class Runs;
}
namespace yonder::store {
class Store;
}
namespace yonder::sandbox {
class KeptLogins;
}

namespace yonder::ops {

// What every operation works with. Built once, by app/runtime.
struct Engine {
  config::ConfigStore& config;
  link::LinkPool& links;
  run::Runs& runs;
  store::Store& store;
  sandbox::KeptLogins& logins;
  resources::Board& board;
  // "NAME=value", of this process, for programs it starts: no secret is among them.
  std::vector<std::string> environment;
  Secret secret_variables;      // the others, packed: for another process of this program
  std::string home;             // of the person here
  std::string state_directory;  // what this machine keeps
  std::string program;          // the absolute path of our own
};

// What one client has chosen. Another client's choice is its own.
class Session {
 public:
  // Empty until the client selects one, or uses the configuration's active one: see pin().
  std::string selected() const {
    return selected_.with([](const std::string& name) { return name; });
  }
  void select(std::string name) {
    selected_.with([&](std::string& current) { current = std::move(name); });
  }
  // Keeps to the sandbox that was implied so far, whatever the settings say later. Returns what is
  // selected now: the first choice counts.
  std::string pin(const std::string& implied) {
    return selected_.with([&](std::string& current) {
      if (current.empty()) current = implied;
      return current;
    });
  }

  // Where a run of this session was started; empty when it is not known.
  std::string sandbox_of(const RunId& id) const {
    return runs_.with([&](const Recent& recent) {
      const auto found = recent.places.find(id);
      return found == recent.places.end() ? std::string() : found->second;
    });
  }
  // The runs of this session whose ids begin so, "r-abc" or "abc", and where each was started.
  std::map<RunId, std::string> runs_beginning(const std::string& text) const {
    const std::string start = text.starts_with("r-") ? text : "r-" + text;
    return runs_.with([&](const Recent& recent) {
      std::map<RunId, std::string> found;
      for (const auto& [id, sandbox] : recent.places) {
        if (id.str().starts_with(start)) found.emplace(id, sandbox);
      }
      return found;
    });
  }
  // The latest are remembered: what still runs is in the store, too.
  void remember(const RunId& id, const std::string& sandbox) {
    runs_.with([&](Recent& recent) {
      if (recent.places.insert_or_assign(id, sandbox).second) recent.order.push_back(id);
      if (recent.order.size() <= kMostRuns) return;
      recent.places.erase(recent.order.front());
      recent.order.pop_front();
    });
  }
  // How far a run's output was told to this client, by the last answer. Its next question shows
  // that the answer has arrived.
  std::optional<std::uint64_t> told(const RunId& id) const {
    return told_.with([&](const std::map<RunId, std::uint64_t>& told) {
      const auto found = told.find(id);
      return found == told.end() ? std::nullopt : std::optional<std::uint64_t>(found->second);
    });
  }
  void tell(const RunId& id, std::uint64_t next) {
    told_.with([&](std::map<RunId, std::uint64_t>& told) {
      if (told.size() >= kMostRuns && !told.contains(id)) told.erase(told.begin());
      told[id] = next;
    });
  }
  std::size_t remembered() const {
    return runs_.with([](const Recent& recent) { return recent.places.size(); });
  }

  static constexpr std::size_t kMostRuns = 2000;

 private:
  struct Recent {
    std::map<RunId, std::string> places;
    std::deque<RunId> order;  // oldest first
  };
  Guarded<std::string> selected_;
  Guarded<Recent> runs_;
  Guarded<std::map<RunId, std::uint64_t>> told_;
};

// Short sentences for whoever waits: "connecting to gpu1", "12 KiB of output, 31 s". Thread: the
// caller's.
using ProgressSink = std::function<void(const std::string& message)>;
// The same where it is known how much there is to do.
struct Measure {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};
using MeasuredSink = std::function<void(const std::string& message, const Measure& measure)>;

struct CallContext {
  Session& session;
  CancelToken cancel;  // the client gave the work up: stop it
  // The client is gone: stop waiting, and leave the work alone. What it has asked for is begun all
  // the same. `cancel` wins.
  CancelToken detach;
  CancelToken abandon;  // the time is over that there was for that
  ProgressSink progress = [](const std::string&) {};
  MeasuredSink measured = nullptr;  // null: whoever waits wants only the sentence
};

}  // namespace yonder::ops
