#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/clean_text.h"
#include "sync/copy.h"
#include "tree/beneath.h"
#include "tree/delta.h"
#include "tree/part.h"
#include "tree/receiver.h"
#include "tree/sender.h"

namespace yonder::sync {
namespace {

using tree::Kind;

// So much is asked for ahead of what has arrived.
constexpr std::uint64_t kAhead = 16UL * 1024 * 1024;

// Asks for contents over one stream, and puts them into their places.
class PullLane {
 public:
  PullLane(const CopySetup& setup, FarTree& far, std::function<void()> tick)
      : setup_(setup),
        far_(far),
        tick_(std::move(tick)),
        applier_(setup.local_root, setup.local_root_path, setup.local_trash, setup.apply),
        receiver_(
            applier_,
            {.head = [this](Kind kind, const tree::FileStart& s) { return head_for(kind, s); },
             .on_end = [this](std::uint64_t number,
                              const Result<void>& outcome) { return ended(number, outcome); },
             .on_bytes =
                 [this](std::uint64_t n) {
                   setup_.tally.bytes += n;
                   tick_();
                 }}) {}

  PullLane(const PullLane&) = delete;
  PullLane& operator=(const PullLane&) = delete;
  // However it ended: what was replaced until then is kept.
  ~PullLane() { setup_.tally.note_trash(applier_.trash_batch()); }

  Result<void> operator()(const Work* work) {
    if (work == nullptr) return receive_until(0);
    switch (work->kind) {
      case Work::Kind::Bundle:
        for (const std::size_t index : work->actions) {
          if (setup_.tally.has_failed(index)) continue;
          TRY(tree::send(far_.out(), Kind::Get, wanted(index)));
          expect(index, {.bytes = action(index).size, .answer = Kind::File});
        }
        break;
      case Work::Kind::Segment: TRY(ask_segment(*work)); break;
      case Work::Kind::Delta: TRY(ask_delta(*work)); break;
    }
    TRY(far_.out().flush());
    return receive_until(kAhead);
  }

  tree::Applier& applier() { return applier_; }
  tree::Receiver& receiver() { return receiver_; }

 private:
  const Action& action(std::size_t index) const { return setup_.plan.actions[index]; }
  tree::Wanted wanted(std::size_t index) const {
    const Action& file = action(index);
    return {.number = index, .path = source_path(setup_, file), .expected = source_of(file)};
  }

  struct Asked {
    std::uint64_t bytes = 0;
    Kind answer = Kind::File;
    std::uint64_t segment = 0;
    bool has_segment = false;  // a Note will do
  };
  void expect(std::size_t index, const Asked& asked) {
    asked_.emplace(index, asked);
    ahead_ += asked.bytes + 1;
  }

  // Only what was asked for, and as we know it.
  Result<tree::FileHead> head_for(Kind kind, const tree::FileStart& start) {
    // Orders are carried out one after the other: the first of a number is answered first.
    const auto found = asked_.find(start.number);
    const bool wanted = found != asked_.end() && found->second.answer == kind &&
                        (kind != Kind::Segment || found->second.segment == start.segment);
    if (!wanted) return tree::unexpected(static_cast<std::uint8_t>(kind));
    setup_.tally.now_at(action(start.number).path);
    return head_of(setup_, action(start.number));
  }

  bool answered(std::uint64_t number) {
    const auto found = asked_.find(number);
    if (found == asked_.end()) return false;
    ahead_ -= found->second.bytes + 1;
    asked_.erase(found);
    return true;
  }

  Result<void> ended(std::uint64_t number, const Result<void>& outcome) {
    if (!answered(number)) return tree::unexpected(static_cast<std::uint8_t>(Kind::EndFile));
    if (!outcome) setup_.tally.fail(number, action(number).path, outcome.error());
    if (action(number).size < tree::kLargeFile) ++setup_.tally.files;
    return {};
  }

  Result<void> receive_until(std::uint64_t ahead) {
    while (!asked_.empty() && ahead_ > ahead) {
      TRY_ASSIGN(const tree::MessageView message, far_.next());
      if (auto taken = receiver_.take(message)) {
        TRY(*std::move(taken));
        continue;
      }
      const auto kind = static_cast<Kind>(message.kind);
      if (kind != Kind::Failed && kind != Kind::Note) return tree::unexpected(message.kind);
      TRY_ASSIGN(const auto failure, tree::unpack_message<tree::Failure>(message.body));
      const auto asked = asked_.find(failure.number);
      const bool ours =
          asked != asked_.end() && (kind == Kind::Failed || asked->second.has_segment);
      if (!ours || !answered(failure.number)) return tree::unexpected(message.kind);
      if (kind == Kind::Note) {
        setup_.tally.bytes += tree::kSegment;
        setup_.tally.bytes_found += tree::kSegment;
        continue;
      }
      TRY(note_failure(setup_.plan, setup_.tally, message));
    }
    return {};
  }

  Result<void> ask_segment(const Work& work) {
    const std::size_t index = work.actions.front();
    if (setup_.tally.has_failed(index)) return {};
    tree::Wanted want = wanted(index);
    want.segment = work.segment;
    if (work.has_segment) {
      want.has_segment = true;
      want.hash = work.hash;
    }
    TRY(tree::send(far_.out(), Kind::GetSegment, want));
    expect(index, {.bytes = work.bytes,
                   .answer = Kind::Segment,
                   .segment = work.segment,
                   .has_segment = work.has_segment});
    return {};
  }

  Result<void> ask_delta(const Work& work) {
    const std::size_t index = work.actions.front();
    const Action& file = action(index);
    if (setup_.tally.has_failed(index)) return {};
    tree::Directories own(setup_.local_root);
    auto old = tree::SourceFile::open(own, file.path, file.target);
    if (!old) {
      setup_.tally.fail(index, file.path, old.error());
      return {};
    }
    TRY(tree::send(far_.out(), Kind::GetDelta, wanted(index)));
    std::optional<Error> stream_error;
    // Where it cannot be read to its end, a part of the signature is one, too.
    const auto made = tree::make_signature(old->fd(), old->size(), [&](std::string_view bytes) {
      auto sent = tree::send_raw(far_.out(), Kind::Bytes, bytes);
      if (!sent) stream_error = sent.error();
      return sent;
    });
    if (!made && stream_error) return *stream_error;
    TRY(tree::send_raw(far_.out(), Kind::Done, ""));
    expect(index, {.bytes = file.size, .answer = Kind::DeltaFile});
    return {};
  }

  const CopySetup& setup_;
  FarTree& far_;
  std::function<void()> tick_;
  tree::Applier applier_;
  tree::Receiver receiver_;
  std::multimap<std::uint64_t, Asked> asked_;  // not yet answered
  std::uint64_t ahead_ = 0;
};

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
  const auto add = [&](std::uint64_t first, std::uint64_t end) {
    if (first != end) {
      list.works.push_back(segment_work(file.action, action.size, {first, end - first}));
    }
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
    if (setup_.tally.has_failed(file.action)) continue;
    auto part = own_.receiver().part(head_of(setup_, plan.actions[file.action]));
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
    note(number_of_directory(plan, i), tree.finish_directory(a.path, a.mode, a.mtime_ns));
  }
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
  tree::collect_trash_sometimes(setup.local_trash, setup.local_root_path);
  return pulled;
}

}  // namespace yonder::sync
