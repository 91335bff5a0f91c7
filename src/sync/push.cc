#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/clean_text.h"
#include "sync/copy.h"
#include "tree/beneath.h"
#include "tree/part.h"
#include "tree/sender.h"

namespace yonder::sync {
namespace {

using tree::Kind;

// Far more than the largest file's signature.
constexpr std::size_t kLongestSignature = 256UL * 1024 * 1024;

// Compresses harder when the link is what we wait for, and hardly at all when it is not.
class LevelKeeper {
 public:
  explicit LevelKeeper(FarTree& far) : far_(far), since_(std::chrono::steady_clock::now()) {}
  void look() {
    const auto now = std::chrono::steady_clock::now();
    const Duration spent = now - since_;
    if (spent < kSoon) return;
    const double share = to_seconds(far_.blocked() - blocked_) / to_seconds(spent);
    const bool down = share < 0.05 && at_ > 0;
    const bool up = share > 0.6 && at_ + 1 < kLevels.size();
    // A link that has just begun makes us wait a little, whatever it can do.
    if (!down && spent < kLater) return;
    if (down) --at_;
    if (up) ++at_;
    far_.out().set_level(kLevels.at(at_));
    since_ = now;
    blocked_ = far_.blocked();
  }

 private:
  static constexpr auto kSoon = std::chrono::milliseconds(40);
  static constexpr auto kLater = std::chrono::milliseconds(500);
  static constexpr std::array kLevels{-5, 1, 3, 5, 7, 9};

  FarTree& far_;
  Instant since_;
  Duration blocked_{};
  std::size_t at_ = 1;  // the level that every stream begins with
};

// Sends the contents of files over one stream.
class PushLane {
 public:
  PushLane(const CopySetup& setup, std::vector<LargeFile>& large, FarTree& far,
           std::function<void()> tick)
      : setup_(setup), far_(far), tick_(std::move(tick)), sources_(setup.local_root), level_(far) {
    for (LargeFile& file : large) large_[file.action] = &file;
    send_.path = setup.source_name;
    send_.on_bytes = [this](std::uint64_t bytes) {
      setup_.tally.bytes += bytes;
      tick_();
      return Result<void>();
    };
  }

  Result<void> operator()(const Work* work) {
    if (work == nullptr) return settle();
    level_.look();
    switch (work->kind) {
      case Work::Kind::Bundle: return send_bundle(*work);
      case Work::Kind::Segment: return send_segment(*work);
      case Work::Kind::Delta: return send_delta(*work);
    }
    return {};
  }

 private:
  const Action& action(std::size_t index) const { return setup_.plan.actions[index]; }

  void note(std::size_t index, const tree::Sent& sent) {
    if (sent.problem) setup_.tally.fail(index, action(index).path, *sent.problem);
  }

  Result<void> send_bundle(const Work& work) {
    for (const std::size_t index : work.actions) {
      const Action& file = action(index);
      if (setup_.tally.has_failed(index)) continue;
      setup_.tally.now_at(file.path);
      TRY_ASSIGN(
          const tree::Sent sent,
          tree::send_file(far_.out(), sources_, {.number = index, .head = head_of(setup_, file)},
                          source_of(file), send_));
      note(index, sent);
      ++setup_.tally.files;
    }
    return far_.out().flush();
  }

  // Null when it has failed, now or before.
  tree::SourceFile* begin(std::size_t index) {
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

  Result<void> send_segment(const Work& work) {
    const std::size_t index = work.actions.front();
    const Action& file = action(index);
    const tree::SourceFile* source = begin(index);
    if (source == nullptr) return {};
    tree::Hash hash;
    const tree::FileStart start{
        .number = index, .head = head_of(setup_, file), .segment = work.segment};
    TRY_ASSIGN(const tree::Sent sent, tree::send_segment(far_.out(), *source, start, hash, send_));
    note(index, sent);
    large_.at(index)->segments[work.segment] = hash;  // nobody else has this segment
    return far_.out().flush();
  }

  Result<std::optional<std::string>> signature_of(std::size_t index) {
    const Action& file = action(index);
    TRY(tree::send(far_.out(), Kind::Sign,
                   tree::Wanted{.number = index, .path = file.path, .expected = file.target}));
    std::string signature;
    while (true) {
      TRY_ASSIGN(const tree::MessageView message, far_.next());
      const auto kind = static_cast<Kind>(message.kind);
      if (kind == Kind::Bytes) {
        signature += message.body;
        if (signature.size() > kLongestSignature) return tree::unexpected(message.kind);
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

  Result<void> send_delta(const Work& work) {
    const std::size_t index = work.actions.front();
    const Action& file = action(index);
    const tree::SourceFile* source = begin(index);
    if (source == nullptr) return {};
    TRY_ASSIGN(const auto signature, signature_of(index));
    if (!signature) return {};
    TRY_ASSIGN(const tree::Sent sent,
               tree::send_delta(far_.out(), *source,
                                {.number = index, .head = head_of(setup_, file)}, *signature, {}));
    note(index, sent);
    setup_.tally.bytes += file.size;
    ++setup_.tally.files;
    return far_.out().flush();
  }

  Result<void> settle() {
    TRY_ASSIGN(const tree::AllDone done, far_.settle([&](const tree::MessageView& message) {
      return note_failure(setup_.plan, setup_.tally, message);
    }));
    setup_.tally.note_trash(done.trash_batch);
    return {};
  }

  const CopySetup& setup_;
  FarTree& far_;
  std::function<void()> tick_;
  tree::Directories sources_;
  LevelKeeper level_;
  std::map<std::size_t, LargeFile*> large_;
  tree::SendOptions send_;
  std::optional<tree::SourceFile> open_;
  std::size_t open_index_ = 0;
};

// The orders that are no contents, and the order of things.
class Push {
 public:
  Push(const CopySetup& setup, FarTree& far) : setup_(setup), far_(far) {}

  Result<void> run();

 private:
  Result<void> prepare();
  Result<void> plan_segments(WorkList& list);
  Result<std::map<std::uint64_t, tree::Hash>> there_already(const Action& action,
                                                            std::size_t index);
  Result<void> plan_segments_of(LargeFile& file, WorkList& list);
  Result<void> finish(const std::vector<LargeFile>& large);
  bool failed(std::uint64_t number) const { return setup_.tally.has_failed(number); }

  const CopySetup& setup_;
  FarTree& far_;
};

Result<void> Push::prepare() {
  tree::BlockWriter& out = far_.out();
  const auto& actions = setup_.plan.actions;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Action& a = actions[i];
    if (!a.set_aside.empty()) {
      TRY(tree::send(out, Kind::SetAside, tree::Aside{i, a.path, a.set_aside, a.target}));
    }
    const tree::Seen expected = a.set_aside.empty() ? a.target : tree::Seen{};
    switch (a.act) {
      case Act::MakeDirectory:
        TRY(tree::send(out, Kind::MakeDirectory, tree::Directory{i, a.path, expected}));
        break;
      case Act::PutLink:
        TRY(tree::send(out, Kind::MakeLink,
                       tree::SymbolicLink{i, a.path, a.link_target, a.mtime_ns, expected}));
        ++setup_.tally.files;
        break;
      case Act::SetAttributes:
        TRY(tree::send(out, Kind::SetAttributes,
                       tree::Attributes{i, a.path, a.mode, a.mtime_ns, a.target}));
        break;
      default: break;
    }
  }
  return {};
}

// What an earlier attempt has left of a large file, and is still what we have.
Result<std::map<std::uint64_t, tree::Hash>> Push::there_already(const Action& action,
                                                                std::size_t index) {
  const tree::FileHead head = head_of(setup_, action);
  const std::string_view parent = tree::split_path(action.path).parent;
  const std::string part =
      parent.empty() ? tree::part_name(head) : std::string(parent) + "/" + tree::part_name(head);
  // Where there is only one file, nobody has listed what is beside it.
  const bool single = !setup_.far.file.empty();
  const auto& temporaries = setup_.target.temporaries;
  if (!single && std::find(temporaries.begin(), temporaries.end(), part) == temporaries.end()) {
    return std::map<std::uint64_t, tree::Hash>();
  }
  TRY(tree::send(far_.out(), Kind::AskPart, tree::FileStart{.number = index, .head = head}));
  while (true) {
    TRY_ASSIGN(const tree::MessageView message, far_.next());
    if (static_cast<Kind>(message.kind) != Kind::PartState) {
      TRY(note_failure(setup_.plan, setup_.tally, message));
      continue;
    }
    TRY_ASSIGN(const auto have, tree::unpack_message<tree::PartHave>(message.body));
    return std::map<std::uint64_t, tree::Hash>(have.segments.begin(), have.segments.end());
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
  file.segments.resize(tree::segments_of(action.size));
  for (std::uint64_t i = 0; i < file.segments.size(); ++i) {
    const std::uint64_t size = tree::segment_size(action.size, i);
    const std::uint64_t offset = i * tree::kSegment;
    if (source->is_hole(offset, size)) {
      setup_.tally.bytes += size;
      continue;
    }
    if (const auto found = have.find(i); found != have.end()) {
      const auto hash = tree::hash_of_range(source->fd(), offset, size);
      if (hash && *hash == found->second) {
        file.segments[i] = *hash;
        setup_.tally.bytes += size;
        setup_.tally.bytes_found += size;
        continue;
      }
    }
    list.works.push_back({Work::Kind::Segment, {file.action}, i, size});
  }
  return {};
}

Result<void> Push::finish(const std::vector<LargeFile>& large) {
  tree::BlockWriter& out = far_.out();
  const Plan& plan = setup_.plan;
  for (const LargeFile& file : large) {
    if (failed(file.action)) continue;
    TRY(tree::send(out, Kind::FinishPart,
                   tree::PartEnd{.number = file.action,
                                 .head = head_of(setup_, plan.actions[file.action]),
                                 .segments = file.segments}));
    ++setup_.tally.files;
  }
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& a = plan.actions[i];
    if (a.act == Act::PutTwin && !twin_failed(setup_, a, i)) {
      const tree::Seen expected = a.set_aside.empty() ? a.target : tree::Seen{};
      TRY(tree::send(out, Kind::MakeTwin,
                     tree::Twin{i, a.path, a.twin_of, expected, a.twin_action.has_value(),
                                a.twin_action.value_or(0)}));
      ++setup_.tally.files;
    }
    if (a.act == Act::Remove) {
      TRY(tree::send(out, Kind::Remove, tree::Removal{i, a.path, a.target}));
    }
  }
  for (std::size_t i = 0; i < plan.directories.size(); ++i) {
    const Action& a = plan.directories[i];
    TRY(tree::send(out, Kind::FinishDirectory,
                   tree::DirectoryEnd{number_of_directory(plan, i), a.path, a.mode, a.mtime_ns}));
  }
  return {};
}

Result<void> Push::run() {
  TRY(prepare());
  WorkList list = cut_into_works(setup_.plan, !setup_.fast_link);
  for (LargeFile& file : list.large) TRY(plan_segments_of(file, list));
  const bool in_one_go = list.large.empty() && list.bytes < 4UL * 1024 * 1024;
  if (in_one_go) {
    // Everything on its way at once, and one answer.
    PushLane lane(setup_, list.large, far_, setup_.tick);
    for (const Work& work : list.works) TRY(lane(&work));
    TRY(finish({}));
    return lane(nullptr);
  }
  WorkQueue queue(std::move(list.works));
  TRY(share_out(setup_, queue, far_, [&](FarTree& far, std::function<void()> tick) -> Worker {
    auto lane = std::make_shared<PushLane>(setup_, list.large, far, std::move(tick));
    return [lane](const Work* work) { return (*lane)(work); };
  }));
  TRY(finish(list.large));
  return PushLane(setup_, list.large, far_, setup_.tick)(nullptr);
}

}  // namespace

Result<void> push(const CopySetup& setup, FarTree& far) {
  return Push(setup, far).run();
}

}  // namespace yonder::sync
