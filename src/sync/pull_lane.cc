#include "sync/pull_lane.h"

#include <optional>
#include <utility>

#include "tree/beneath.h"
#include "tree/delta.h"
#include "tree/part.h"

namespace yonder::sync {
namespace {

using tree::Kind;

// So much is asked for ahead of what has arrived.
constexpr std::uint64_t kAhead = 16UL * 1024 * 1024;

}  // namespace

PullLane::PullLane(const CopySetup& setup, FarTree& far, std::function<void()> tick)
    : setup_(setup),
      far_(far),
      tick_(std::move(tick)),
      applier_(setup.local_root, setup.local_root_path, setup.local_trash, setup.apply),
      receiver_(applier_,
                {.head = [this](Kind kind, const tree::FileStart& s) { return head_for(kind, s); },
                 .on_end = [this](std::uint64_t number,
                                  const Result<void>& outcome) { return ended(number, outcome); },
                 .on_bytes =
                     [this](std::uint64_t n) {
                       setup_.tally.bytes += n;
                       tick_();
                     },
                 .on_contents =
                     [this](std::uint64_t number, const tree::Hash& hash) {
                       setup_.tally.note_contents(number, hash);
                     }}) {}

// However it ended: what was replaced until then is kept.
PullLane::~PullLane() {
  setup_.tally.note_trash(applier_.trash_batch());
  setup_.tally.trash_bytes += applier_.trashed_bytes();
  if (applier_.lost_modes()) setup_.tally.lost_modes = true;
  setup_.tally.lost_attributes += applier_.take_lost_attributes();
}

Result<void> PullLane::operator()(const Work* work) {
  if (work == nullptr) return receive_until(0);
  switch (work->kind) {
    case Work::Kind::Bundle: TRY(ask_bundle(*work)); break;
    case Work::Kind::Segment: TRY(ask_segment(*work)); break;
    case Work::Kind::Delta: TRY(ask_delta(*work)); break;
  }
  TRY(far_.out().flush());
  return receive_until(kAhead);
}

tree::Wanted PullLane::wanted(std::size_t index) const {
  const Action& file = action(index);
  return {.number = index, .path = source_path(setup_, file), .expected = source_of(file)};
}

void PullLane::expect(std::size_t index, const Asked& asked) {
  asked_.emplace(index, asked);
  ahead_ += asked.bytes + 1;
}

// Only what was asked for, and as we know it.
Result<tree::FileHead> PullLane::head_for(Kind kind, const tree::FileStart& start) {
  // Orders are carried out one after the other: the first of a number is answered first.
  const auto found = asked_.find(start.number);
  const bool wanted = found != asked_.end() && found->second.answer == kind &&
                      (kind == Kind::File || found->second.segment == start.segment);
  if (!wanted) return tree::unexpected(static_cast<std::uint8_t>(kind));
  setup_.tally.now_at(action(start.number).path);
  return head_of(setup_, action(start.number));
}

bool PullLane::answered(std::uint64_t number) {
  const auto found = asked_.find(number);
  if (found == asked_.end()) return false;
  ahead_ -= found->second.bytes + 1;
  asked_.erase(found);
  return true;
}

Result<void> PullLane::ended(std::uint64_t number, const Result<void>& outcome) {
  const auto found = asked_.find(number);
  const bool whole = found != asked_.end() && found->second.answer == Kind::File;
  if (!answered(number)) return tree::unexpected(static_cast<std::uint8_t>(Kind::EndFile));
  if (!outcome) setup_.tally.fail(number, action(number).path, outcome.error());
  if (whole) ++setup_.tally.files;
  return {};
}

Result<void> PullLane::receive_until(std::uint64_t ahead) {
  while (!asked_.empty() && ahead_ > ahead) {
    TRY_ASSIGN(const tree::MessageView message, far_.next());
    if (auto taken = receiver_.take(message)) {
      TRY(*std::move(taken));
    } else {
      TRY(take_other(message));
    }
  }
  return {};
}

Result<void> PullLane::take_other(const tree::MessageView& message) {
  const auto kind = static_cast<Kind>(message.kind);
  if (kind != Kind::Failed && kind != Kind::Note) return tree::unexpected(message.kind);
  TRY_ASSIGN(const auto failure, tree::unpack_message<tree::Failure>(message.body));
  const auto found = asked_.find(failure.number);
  if (found == asked_.end()) return tree::unexpected(message.kind);
  const Asked asked = found->second;
  if (kind == Kind::Note && !asked.has_segment) return tree::unexpected(message.kind);
  answered(failure.number);
  if (kind == Kind::Failed) return note_failure(setup_.plan, setup_.tally, message);
  setup_.tally.bytes += asked.bytes;
  setup_.tally.bytes_found += asked.bytes;
  return {};
}

Result<void> PullLane::ask_bundle(const Work& work) {
  for (const std::size_t index : work.actions) {
    if (setup_.tally.has_failed(index)) continue;
    TRY(tree::send(far_.out(), Kind::Get, wanted(index)));
    expect(index, {.bytes = action(index).size, .answer = Kind::File});
  }
  return {};
}

Result<void> PullLane::ask_segment(const Work& work) {
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

Result<void> PullLane::send_signature(const tree::SourceFile& old) {
  TRY(tree::send_raw(far_.out(), Kind::OldFile, tree::Packer().number(old.size()).take()));
  std::optional<Error> stream_error;
  // Where it cannot be read to its end, a part of the signature is one, too.
  const auto made = tree::make_signature(old.fd(), old.size(), [&](std::string_view bytes) {
    auto sent = tree::send_raw(far_.out(), Kind::Bytes, bytes);
    if (!sent) stream_error = sent.error();
    return sent;
  });
  if (!made && stream_error) return *stream_error;
  return tree::send_raw(far_.out(), Kind::Done, "");
}

// We patch our old file, segment by segment: what we have of them is found again.
Result<void> PullLane::ask_delta(const Work& work) {
  const std::size_t index = work.actions.front();
  const Action& file = action(index);
  if (setup_.tally.has_failed(index)) return {};
  tree::Directories own(setup_.local_root);
  const auto old = tree::SourceFile::open(own, file.path, file.target);
  if (!old) {
    setup_.tally.fail(index, file.path, old.error());
    return {};
  }
  TRY(send_signature(*old));
  for (const tree::SegmentRun& run : work.runs) {
    for (std::uint64_t i = run.first; i < run.first + run.count; ++i) {
      if (setup_.tally.has_failed(index)) return {};
      tree::Wanted want = wanted(index);
      want.segment = i;
      TRY(tree::send(far_.out(), Kind::GetDelta, want));
      expect(
          index,
          {.bytes = tree::segment_size(file.size, i), .answer = Kind::DeltaSegment, .segment = i});
      TRY(receive_until(kAhead));
    }
  }
  return {};
}

}  // namespace yonder::sync
