#include "sync/push_lane.h"

#include <algorithm>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::sync {
namespace {

using tree::Kind;

}  // namespace

PushLane::PushLane(const CopySetup& setup, std::vector<LargeFile>& large, FarTree& far,
                   std::function<void()> tick)
    : setup_(setup),
      far_(far),
      tick_(std::move(tick)),
      sources_(setup.local_root),
      level_(
          far.out(), [&far] { return far.blocked(); }, setup.near_link) {
  for (LargeFile& file : large) large_[file.action] = &file;
  send_.path = setup.source_name;
  send_.on_bytes = [this](std::uint64_t bytes) {
    setup_.tally.bytes += bytes;
    tick_();
    return Result<void>();
  };
}

Result<void> PushLane::operator()(const Work* work) {
  if (work == nullptr) return settle();
  level_.look();
  switch (work->kind) {
    case Work::Kind::Bundle: return send_bundle(*work);
    case Work::Kind::Segment: return send_segment(work->actions.front(), work->segment);
    case Work::Kind::Delta: return send_delta(*work);
  }
  return {};
}

void PushLane::note(std::size_t index, const tree::Sent& sent) {
  if (sent.problem) setup_.tally.fail(index, action(index).path, *sent.problem);
}

Result<void> PushLane::send_bundle(const Work& work) {
  for (const std::size_t index : work.actions) {
    const Action& file = action(index);
    if (setup_.tally.has_failed(index)) continue;
    setup_.tally.now_at(file.path);
    TRY_ASSIGN(
        const tree::Sent sent,
        tree::send_file(far_.out(), sources_, {.number = index, .head = head_of(setup_, file)},
                        source_of(file), send_));
    note(index, sent);
    if (sent.hash) setup_.tally.note_contents(index, *sent.hash);
    ++setup_.tally.files;
  }
  return far_.out().flush();
}

// Null when it has failed, now or before.
tree::SourceFile* PushLane::begin(std::size_t index) {
  const Action& file = action(index);
  if (setup_.tally.has_failed(index)) return nullptr;
  setup_.tally.now_at(file.path);
  if (open_ && open_index_ == index) return &*open_;
  open_.reset();
  auto opened = tree::SourceFile::open(sources_, source_path(setup_, file), source_of(file));
  if (!opened) {
    setup_.tally.fail(index, file.path, opened.error());
    return nullptr;
  }
  open_.emplace(*std::move(opened));
  open_index_ = index;
  return &*open_;
}

Result<void> PushLane::send_segment(std::size_t index, std::uint64_t segment,
                                    const tree::Differ* differ) {
  const tree::SourceFile* source = begin(index);
  if (source == nullptr) return {};
  tree::Hash hash;
  const tree::FileStart start{
      .number = index, .head = head_of(setup_, action(index)), .segment = segment};
  TRY_ASSIGN(const tree::Sent sent,
             differ != nullptr ? tree::send_delta(far_.out(), *source, start, *differ, hash, send_)
                               : tree::send_segment(far_.out(), *source, start, hash, send_));
  note(index, sent);
  large_.at(index)->sent->with([&](auto& segments) { segments[segment] = hash; });
  return far_.out().flush();
}

Result<std::optional<std::string>> PushLane::signature_of(std::size_t index) {
  const Action& file = action(index);
  TRY(tree::send(far_.out(), Kind::Sign,
                 tree::Wanted{.number = index, .path = file.path, .expected = file.target}));
  TRY_ASSIGN(const std::uint64_t longest, tree::longest_signature(file.target.size));
  std::string signature;
  while (true) {
    TRY_ASSIGN(const tree::MessageView message, far_.next());
    const auto kind = static_cast<Kind>(message.kind);
    if (kind == Kind::Bytes) {
      signature += message.body;
      if (signature.size() > longest) return tree::unexpected(message.kind);
    } else if (kind == Kind::Done) {
      TRY_ASSIGN(const auto done, tree::unpack_message<tree::AllDone>(message.body));
      const auto outcome = outcome_of(done);
      if (outcome) return std::optional(std::move(signature));
      setup_.tally.fail(index, file.path, outcome.error(), Tally::End::There);
      return std::optional<std::string>();
    } else {
      TRY(note_failure(setup_.plan, setup_.tally, message));
    }
  }
}

// The far side patches its old file, segment by segment: what it has of them is found again.
Result<void> PushLane::send_delta(const Work& work) {
  const std::size_t index = work.actions.front();
  if (begin(index) == nullptr) return {};
  TRY_ASSIGN(const auto signature, signature_of(index));
  if (!signature) return {};
  const auto differ = tree::Differ::load(*signature, action(index).target.size);
  if (!differ) {
    note(index, {.problem = differ.error()});
    return {};
  }
  for (const tree::SegmentRun& run : work.runs) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      level_.look();
      TRY(send_segment(index, run.first + i, &*differ));
    }
  }
  return {};
}

Result<void> PushLane::settle() {
  TRY_ASSIGN(const tree::AllDone done, far_.settle([&](const tree::MessageView& message) {
    return note_failure(setup_.plan, setup_.tally, message);
  }));
  setup_.tally.note_trash(done.trash_batch);
  if (done.lost_modes) setup_.tally.lost_modes = true;
  setup_.tally.lost_attributes += std::min<std::uint64_t>(
      done.lost_attributes, setup_.plan.actions.size() + setup_.plan.directories.size());
  return {};
}

}  // namespace yonder::sync
