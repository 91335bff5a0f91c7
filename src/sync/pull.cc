#include <memory>
#include <utility>

#include "sync/copy.h"
#include "sync/pull_lane.h"
#include "tree/part.h"

namespace yonder::sync {
namespace {

using tree::Kind;

class Pull {
 public:
  Pull(const CopySetup& setup, FarTree& far)
      : setup_(setup), far_(far), own_(setup, far, [this] { tick_(); }) {}

  Result<void> run();

 private:
  void note(std::uint64_t number, const Result<void>& outcome) {
    if (!outcome) setup_.tally.fail(number, path_of(setup_.plan, number), outcome.error());
  }
  Result<void> prepare();
  Result<void> finish(const std::vector<LargeFile>& large);
  Result<void> check_wanted() const {
    if (setup_.cancel.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
    return {};
  }
  static bool are_runs_of(const std::vector<tree::SegmentRun>& runs, std::uint64_t size);
  Result<void> ask_runs(std::vector<LargeFile>& large);
  void plan_segments_of(LargeFile& file, WorkList& list);

  const CopySetup& setup_;
  FarTree& far_;
  std::function<void()> tick_ = [] {};
  PullLane own_;
};

Result<void> Pull::prepare() {
  tree::Applier& tree = own_.applier();
  const auto& actions = setup_.plan.actions;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    TRY(check_wanted());
    const Action& a = actions[i];
    switch (a.act) {
      case Act::MakeDirectory: note(i, tree.make_directory(a.path, a.target)); break;
      case Act::PutLink:
        note(i, tree.make_link(head_of(setup_, a), a.link_target));
        ++setup_.tally.files;
        break;
      case Act::SetAttributes: note(i, tree.set_attributes(head_of(setup_, a))); break;
      default: break;
    }
  }
  return {};
}

void Pull::plan_segments_of(LargeFile& file, WorkList& list) {
  const Action& action = setup_.plan.actions[file.action];
  tree::Segments have;
  if (setup_.tally.has_failed(file.action)) return;
  auto part = own_.receiver().part(head_of(setup_, action));
  if (!part) return note(file.action, part.error());
  if (auto verified = (*part)->verified()) have = *std::move(verified);
  std::uint64_t holes = action.size;
  std::vector<tree::SegmentRun> missing;
  const auto add = [&](std::uint64_t first, std::uint64_t end) {
    if (first != end) missing.push_back({first, end - first});
  };
  for (const tree::SegmentRun& run : file.runs) {
    const std::uint64_t end = run.first + run.count;
    holes -= segment_work(file.action, action.size, run).bytes;
    std::uint64_t next = run.first;
    for (auto it = have.lower_bound(run.first); it != have.end() && it->first < end; ++it) {
      add(next, it->first);
      Work work = segment_work(file.action, action.size, {it->first, 1});
      work.has_segment = true;
      work.hash = it->second;
      list.works.push_back(std::move(work));
      next = it->first + 1;
    }
    add(next, end);
  }
  add_missing(list, file, action.size, missing);
  setup_.tally.bytes += holes;
}

// In order, apart, and within the file.
bool Pull::are_runs_of(const std::vector<tree::SegmentRun>& runs, std::uint64_t size) {
  const std::uint64_t all = tree::segments_of(size);
  std::uint64_t next = 0;
  for (const tree::SegmentRun& run : runs) {
    if (run.first < next || run.first >= all || run.count == 0 || run.count > all - run.first) {
      return false;
    }
    next = run.first + run.count;
  }
  return true;
}

// Where the large files have holes: all are asked for at once.
Result<void> Pull::ask_runs(std::vector<LargeFile>& large) {
  for (const LargeFile& file : large) {
    const Action& action = setup_.plan.actions[file.action];
    TRY(tree::send(far_.out(), Kind::AskRuns,
                   tree::Wanted{.number = file.action,
                                .path = source_path(setup_, action),
                                .expected = source_of(action)}));
  }
  for (LargeFile& file : large) {
    TRY_ASSIGN(const tree::MessageView message, far_.next());
    if (static_cast<Kind>(message.kind) != Kind::Runs) {
      TRY(note_failure(setup_.plan, setup_.tally, message));
      if (!setup_.tally.has_failed(file.action)) return tree::unexpected(message.kind);
      continue;
    }
    TRY_ASSIGN(const auto runs, tree::unpack_message<tree::DataRuns>(message.body));
    for (const auto& [first, count] : runs.runs) file.runs.push_back({first, count});
    const bool fits = are_runs_of(file.runs, setup_.plan.actions[file.action].size);
    if (runs.number != file.action || !fits) return tree::unexpected(message.kind);
  }
  return {};
}

Result<void> Pull::finish(const std::vector<LargeFile>& large) {
  tree::Applier& tree = own_.applier();
  const Plan& plan = setup_.plan;
  for (const LargeFile& file : large) {
    TRY(check_wanted());
    const tree::FileHead head = head_of(setup_, plan.actions[file.action]);
    if (is_given_up(setup_.tally, file.action, Tally::End::There)) {
      own_.receiver().forget_part();
      tree::discard_part(tree, head);
    }
    if (setup_.tally.has_failed(file.action)) continue;
    auto part = own_.receiver().part(head);
    note(file.action, part ? (*part)->finish_runs(file.runs) : Result<void>(part.error()));
    own_.receiver().forget_part();
    ++setup_.tally.files;
  }
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& a = plan.actions[i];
    TRY(check_wanted());
    if (a.act == Act::PutTwin && !twin_failed(setup_, a, i)) {
      note(i, tree.make_twin(head_of(setup_, a), a.twin_of));
      ++setup_.tally.files;
    }
    if (a.act == Act::Remove) {
      const auto removed = tree.remove(a.path, a.target);
      if (!removed) note(i, removed.error());
      if (removed && !*removed) setup_.tally.keep(i);
    }
  }
  for (std::size_t i = 0; i < plan.directories.size(); ++i) {
    const Action& a = plan.directories[i];
    note(number_of_directory(plan, i),
         tree.finish_directory(a.path, {a.mode, a.keeps_mode, a.target_mode}, a.mtime_ns,
                               a.attributes));
  }
  if (tree.lost_modes()) setup_.tally.lost_modes = true;
  return {};
}

Result<void> Pull::run() {
  TRY(prepare());
  WorkList list = cut_into_works(setup_.plan, !setup_.near_link);
  fail_too_large(setup_, list);
  TRY(ask_runs(list.large));
  for (LargeFile& file : list.large) plan_segments_of(file, list);
  WorkQueue queue(std::move(list.works));
  const auto begin = [&](FarTree& far, std::function<void()> tick) -> Worker {
    if (&far == &far_) {
      tick_ = std::move(tick);
      return [this](const Work* work) { return own_(work); };
    }
    auto lane = std::make_shared<PullLane>(setup_, far, std::move(tick));
    return [lane](const Work* work) { return (*lane)(work); };
  };
  TRY(share_out(setup_, queue, far_, begin));
  return finish(list.large);
}

}  // namespace

Result<void> pull(const CopySetup& setup, FarTree& far) {
  auto pulled = Pull(setup, far).run();
  tree::collect_trash_sometimes(setup.local_trash, setup.local_root_path, setup.tally.trash_bytes);
  return pulled;
}

}  // namespace yonder::sync
