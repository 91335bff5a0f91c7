#include "sync/works.h"

#include <algorithm>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"
#include "tree/part.h"
#include "tree/scan.h"

namespace yonder::sync {
namespace {

constexpr std::uint64_t kBundleBytes = 2UL * 1024 * 1024;
constexpr std::size_t kBundleFiles = 512;
// Below that a difference costs more than it saves.
constexpr std::uint64_t kDeltaFrom = 4UL * 1024 * 1024;
// Above that it is read for too long, and mostly holes.
constexpr std::uint64_t kDeltaUpTo = 128ULL * 1024 * 1024 * 1024;

bool fits_a_delta(std::uint64_t size) {
  return size >= kDeltaFrom && size <= kDeltaUpTo;
}

bool goes_as_delta(const Action& action) {
  return fits_a_delta(action.size) && action.target.exists &&
         action.target.type == tree::Type::File && fits_a_delta(action.target.size) &&
         action.set_aside.empty();
}

}  // namespace

WorkList cut_into_works(const Plan& plan, bool deltas) {
  WorkList list;
  Work bundle;
  const auto close = [&] {
    if (!bundle.actions.empty()) list.works.push_back(std::exchange(bundle, {}));
  };
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& action = plan.actions[i];
    if (action.act != Act::PutFile) continue;
    if (action.size > tree::kLargestFile) {
      list.too_large.push_back(i);
      continue;
    }
    list.bytes += action.size;
    if (deltas && goes_as_delta(action)) {
      list.large.push_back({.action = i, .delta = true});
    } else if (action.size >= tree::kLargeFile) {
      list.large.push_back({.action = i});
    } else {
      bundle.actions.push_back(i);
      bundle.bytes += action.size;
      if (bundle.bytes >= kBundleBytes || bundle.actions.size() >= kBundleFiles) close();
    }
  }
  close();
  return list;
}

Error too_large(const std::string& path) {
  return Error{Errc::Unsupported, concat("'", printable(path), "' is larger than 16 TiB"),
               "exclude it, or make it smaller: such a file is nearly all holes"};
}

Work segment_work(std::size_t action, std::uint64_t size, const tree::SegmentRun& run) {
  const std::uint64_t start = run.first * tree::kSegment;
  const std::uint64_t end = std::min(size, start + run.count * tree::kSegment);
  return {.kind = Work::Kind::Segment,
          .actions = {action},
          .segment = run.first,
          .bytes = end - start,
          .segments = run.count};
}

void add_missing(WorkList& list, const LargeFile& file, std::uint64_t size,
                 const std::vector<tree::SegmentRun>& missing) {
  Work delta{.kind = Work::Kind::Delta, .actions = {file.action}, .runs = missing};
  for (const tree::SegmentRun& run : missing) {
    Work work = segment_work(file.action, size, run);
    delta.bytes += work.bytes;
    if (!file.delta) list.works.push_back(std::move(work));
  }
  if (file.delta && !missing.empty()) list.works.push_back(std::move(delta));
}

bool has_delta(const Plan& plan) {
  return std::any_of(plan.actions.begin(), plan.actions.end(), [](const Action& action) {
    return action.act == Act::PutFile && goes_as_delta(action);
  });
}

std::optional<Work> WorkQueue::take_first(State& state) {
  if (state.error || state.works.empty()) return std::nullopt;
  ++state.changes;
  Work& first = state.works.front();
  if (first.segments > 1) {
    Work one = first;
    one.segments = 1;
    one.bytes = tree::kSegment;  // only the last of a file has less
    ++first.segment;
    --first.segments;
    first.bytes -= one.bytes;
    return one;
  }
  Work work = std::move(first);
  state.works.pop_front();
  return work;
}

std::optional<Work> WorkQueue::take() {
  return state_.change([](State& state) { return take_first(state); });
}

std::optional<Work> WorkQueue::take_when_alone() {
  return state_.change([](State& state) -> std::optional<Work> {
    if (state.others > 0) return std::nullopt;
    return take_first(state);
  });
}

void WorkQueue::join() {
  state_.change([](State& state) {
    ++state.others;
    ++state.changes;
  });
}

void WorkQueue::leave() {
  state_.change([](State& state) {
    --state.others;
    ++state.changes;
  });
}

void WorkQueue::fail(const Error& error) {
  state_.change([&](State& state) {
    if (!state.error) state.error = error;
    ++state.changes;
  });
}

std::optional<Error> WorkQueue::error() const {
  return state_.look([](const State& state) { return state.error; });
}

std::uint64_t WorkQueue::bytes_left() const {
  return state_.look([](const State& state) {
    std::uint64_t bytes = 0;
    for (const Work& work : state.works) bytes += work.bytes;
    return bytes;
  });
}

bool WorkQueue::finished() const {
  return state_.look([](const State& state) {
    return state.others == 0 && (state.works.empty() || state.error.has_value());
  });
}

void WorkQueue::wait(const Deadline& deadline) {
  const auto before = state_.look([](const State& state) { return state.changes; });
  state_.wait(
      deadline, [&](const State& state) { return state.changes != before; },
      [](const State&) { return true; });
}

}  // namespace yonder::sync
