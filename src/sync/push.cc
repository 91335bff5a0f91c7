#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"
#include "sync/copy.h"
#include "sync/push_lane.h"
#include "tree/beneath.h"
#include "tree/part.h"
#include "tree/sender.h"

namespace yonder::sync {
namespace {

using tree::Kind;

// The orders that are no contents, and the order of things.
class Push {
 public:
  Push(const CopySetup& setup, FarTree& far) : setup_(setup), far_(far) {}

  Result<void> run();

 private:
  Result<void> prepare();
  Result<tree::Segments> there_already(const Action& action, std::size_t index);
  Result<void> plan_segments_of(LargeFile& file, WorkList& list);
  Result<void> finish_part(const LargeFile& file);
  Result<void> discard_part(const LargeFile& file);
  Result<void> finish_files(const std::vector<LargeFile>& large);
  Result<void> finish_tree();
  Result<void> finish(PushLane& lane, const std::vector<LargeFile>& large);
  bool failed(std::uint64_t number) const { return setup_.tally.has_failed(number); }

  const CopySetup& setup_;
  FarTree& far_;
};

Result<void> Push::prepare() {
  tree::BlockWriter& out = far_.out();
  const auto& actions = setup_.plan.actions;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Action& a = actions[i];
    switch (a.act) {
      case Act::MakeDirectory:
        TRY(tree::send(out, Kind::MakeDirectory, tree::Directory{i, a.path, a.target}));
        break;
      case Act::PutLink:
        TRY(tree::send(out, Kind::MakeLink,
                       tree::SymbolicLink{i, head_of(setup_, a), a.link_target}));
        ++setup_.tally.files;
        break;
      case Act::SetAttributes:
        TRY(tree::send(out, Kind::SetAttributes,
                       tree::Attributes{i, a.path, a.mode, a.mtime_ns, a.target, a.target_mode,
                                        a.attributes}));
        break;
      default: break;
    }
  }
  return {};
}

// What an earlier attempt has left of a large file, and is still what we have.
Result<tree::Segments> Push::there_already(const Action& action, std::size_t index) {
  const tree::FileHead head = head_of(setup_, action);
  const std::string_view parent = tree::split_path(action.path).parent;
  const std::string before = parent.empty() ? "" : concat(parent, "/");
  const auto& temporaries = setup_.target.temporaries;
  const auto listed = [&](const std::string& part) {
    return std::find(temporaries.begin(), temporaries.end(), before + part) != temporaries.end();
  };
  // Where there is only one file, nobody has listed what is beside it.
  const bool single = !setup_.far.file.empty();
  if (!single && !listed(tree::part_name(head)) &&
      !listed(tree::own_part_name(head, setup_.far.claim))) {
    return tree::Segments();
  }
  TRY(tree::send(far_.out(), Kind::AskPart, tree::FileStart{.number = index, .head = head}));
  tree::Segments segments;
  while (true) {
    TRY_ASSIGN(const tree::MessageView message, far_.next());
    if (static_cast<Kind>(message.kind) != Kind::PartState) {
      TRY(note_failure(setup_.plan, setup_.tally, message));
      continue;
    }
    TRY_ASSIGN(const auto have, tree::unpack_message<tree::PartHave>(message.body));
    segments.insert(have.segments.begin(), have.segments.end());
    if (have.last) return segments;
    if (segments.size() > tree::segments_of(action.size)) return tree::unexpected(message.kind);
  }
}

Result<void> Push::plan_segments_of(LargeFile& file, WorkList& list) {
  const Action& action = setup_.plan.actions[file.action];
  tree::Directories sources(setup_.local_root);
  auto source = tree::SourceFile::open(sources, source_path(setup_, action), source_of(action));
  if (!source) {
    setup_.tally.fail(file.action, action.path, source.error());
    return {};
  }
  TRY_ASSIGN(const auto have, there_already(action, file.action));
  std::uint64_t holes = action.size;
  std::vector<tree::SegmentRun> missing;
  const auto add = [&](std::uint64_t first, std::uint64_t end) {
    if (first != end) missing.push_back({first, end - first});
  };
  for (const tree::SegmentRun& run : source->runs()) {
    const std::uint64_t end = run.first + run.count;
    holes -= segment_work(file.action, action.size, run).bytes;
    std::uint64_t next = run.first;
    for (auto it = have.lower_bound(run.first); it != have.end() && it->first < end; ++it) {
      const std::uint64_t size = tree::segment_size(action.size, it->first);
      const auto hash = tree::hash_of_range(source->fd(), it->first * tree::kSegment, size);
      if (!hash || *hash != it->second) continue;
      file.sent->with([&](auto& segments) { segments.insert(*it); });
      setup_.tally.bytes += size;
      setup_.tally.bytes_found += size;
      add(next, it->first);
      next = it->first + 1;
    }
    add(next, end);
  }
  add_missing(list, file, action.size, missing);
  setup_.tally.bytes += holes;
  return {};
}

// In as many messages as it takes.
Result<void> Push::finish_part(const LargeFile& file) {
  tree::PartEnd end{.number = file.action,
                    .head = head_of(setup_, setup_.plan.actions[file.action]),
                    .last = false};
  const tree::Segments sent = file.sent->with([](auto& segments) { return std::move(segments); });
  for (const auto& segment : sent) {
    end.segments.push_back(segment);
    if (end.segments.size() < tree::kSegmentsAtOnce) continue;
    TRY(tree::send(far_.out(), Kind::FinishPart, end));
    end.segments.clear();
  }
  end.last = true;
  return tree::send(far_.out(), Kind::FinishPart, end);
}

Result<void> Push::discard_part(const LargeFile& file) {
  const tree::PartEnd end{.number = file.action,
                          .head = head_of(setup_, setup_.plan.actions[file.action]),
                          .discard = true};
  return tree::send(far_.out(), Kind::FinishPart, end);
}

Result<void> Push::finish_files(const std::vector<LargeFile>& large) {
  tree::BlockWriter& out = far_.out();
  const Plan& plan = setup_.plan;
  for (const LargeFile& file : large) {
    if (is_given_up(setup_.tally, file.action, Tally::End::Here)) TRY(discard_part(file));
    if (failed(file.action)) continue;
    TRY(finish_part(file));
    ++setup_.tally.files;
  }
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& a = plan.actions[i];
    if (a.act == Act::PutTwin && !twin_failed(setup_, a, i)) {
      TRY(tree::send(out, Kind::MakeTwin,
                     tree::Twin{i, head_of(setup_, a), a.twin_of, a.twin_action.has_value(),
                                a.twin_action.value_or(0)}));
      ++setup_.tally.files;
    }
  }
  return {};
}

Result<void> Push::finish_tree() {
  tree::BlockWriter& out = far_.out();
  const Plan& plan = setup_.plan;
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& a = plan.actions[i];
    if (a.act == Act::Remove) {
      TRY(tree::send(out, Kind::Remove, tree::Removal{i, a.path, a.target}));
    }
  }
  for (std::size_t i = 0; i < plan.directories.size(); ++i) {
    const Action& a = plan.directories[i];
    TRY(tree::send(out, Kind::FinishDirectory,
                   tree::DirectoryEnd{number_of_directory(plan, i), a.path, a.mode, a.mtime_ns,
                                      a.attributes, a.keeps_mode, a.target_mode}));
  }
  return {};
}

// Nothing is removed before all the rest was confirmed: whoever gives up meanwhile loses nothing.
Result<void> Push::finish(PushLane& lane, const std::vector<LargeFile>& large) {
  TRY(finish_files(large));
  if (setup_.plan.counts.removals() > 0) TRY(lane(nullptr));
  TRY(finish_tree());
  return lane(nullptr);
}

Result<void> Push::run() {
  TRY(prepare());
  WorkList list = cut_into_works(setup_.plan, !setup_.near_link);
  fail_too_large(setup_, list);
  for (LargeFile& file : list.large) TRY(plan_segments_of(file, list));
  const bool in_one_go = list.large.empty() && list.bytes < 4UL * 1024 * 1024;
  if (in_one_go) {
    // Everything on its way at once, and one answer.
    PushLane lane(setup_, list.large, far_, setup_.tick);
    for (const Work& work : list.works) TRY(lane(&work));
    return finish(lane, {});
  }
  WorkQueue queue(std::move(list.works));
  TRY(share_out(setup_, queue, far_, [&](FarTree& far, std::function<void()> tick) -> Worker {
    auto lane = std::make_shared<PushLane>(setup_, list.large, far, std::move(tick));
    return [lane](const Work* work) { return (*lane)(work); };
  }));
  PushLane last(setup_, list.large, far_, setup_.tick);
  return finish(last, list.large);
}

}  // namespace

Result<void> push(const CopySetup& setup, FarTree& far) {
  auto pushed = Push(setup, far).run();
  if (pushed) return {};
  end_stream(setup, far, pushed.error());
  if (pushed.error().code == Errc::Cancelled && setup.tally.may_go_on) {
    return Error{Errc::Cancelled,
                 "cancelled, but the far side was not seen to stop: it may go on for a moment",
                 "look there again before you rely on what is there"};
  }
  return pushed;
}

}  // namespace yonder::sync
