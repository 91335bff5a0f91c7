#include "outpost/tree_service.h"

#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"
#include "outpost/tree_reader.h"
#include "tree/level_keeper.h"
#include "tree/messages.h"
#include "tree/receiver.h"
#include "tree/root.h"
#include "wire/messages.h"

namespace yonder::outpost {
namespace {

using namespace tree;  // nearly every word here is of that room

// What a pipe takes at once takes less.
constexpr auto kWithoutWaiting = std::chrono::milliseconds(1);

class TreeService {
 public:
  TreeService(const Surroundings& around, WorkerChannel& channel)
      : around_(around),
        channel_(channel),
        in_([&channel](char* buffer, std::size_t size) { return channel.read(buffer, size); }),
        out_([this](std::string_view bytes) { return pour(bytes); }) {}

  Result<void> run();
  std::uint64_t trashed_bytes() const { return applier_ ? applier_->trashed_bytes() : 0; }
  // The directory in which something was changed.
  std::optional<std::string> changed_root() const {
    return applier_ ? std::optional(root_->state().path) : std::nullopt;
  }

 private:
  Result<void> check_wanted() const;
  Result<void> pour(std::string_view bytes);
  void keep_level();
  Result<void> handle(const MessageView& message);
  Result<void> change(Kind kind, std::string_view body);
  Result<void> open(const OpenTree& wanted);
  Result<void> ask_part(const FileStart& start);
  Result<void> finish_part(const PartEnd& end);
  Result<void> tell_batch();
  Result<void> done(std::uint64_t token);
  Result<void> report(std::uint64_t number, const Result<void>& outcome);
  Result<Receiver*> receiver();
  Result<Applier*> applier();

  const Surroundings& around_;
  WorkerChannel& channel_;
  BlockReader in_;
  BlockWriter out_;
  OpenTree wanted_;
  Duration blocked_{};  // waiting for somebody to take what we say
  std::optional<LevelKeeper> level_;
  std::optional<Root> root_;
  std::optional<TreeReader> reader_;
  std::optional<Applier> applier_;
  std::optional<Receiver> receiver_;
  std::set<std::uint64_t> failed_;  // orders
  bool told_batch_ = false;
  Segments finishing_;  // of the part that is to be finished
};

Result<void> TreeService::run() {
  while (true) {
    if (!in_.has_more()) TRY(out_.flush());
    auto message = in_.next();
    if (!message && message.error().code == Errc::LinkLost) return {};  // there is no more
    if (!message) return std::move(message).error();
    TRY(check_wanted());
    TRY(handle(*message));
    TRY(tell_batch());
  }
}

// At once: whoever loses the link in the middle can still say where the old files are.
Result<void> TreeService::tell_batch() {
  if (told_batch_ || !applier_ || applier_->trash_batch().empty()) return {};
  told_batch_ = true;
  TRY(send_raw(out_, Kind::Batch, applier_->trash_batch()));
  return out_.flush();
}

// Thousands of orders may have arrived that nobody wants any more.
Result<void> TreeService::check_wanted() const {
  if (channel_.given_up()) return Error{Errc::Cancelled, "given up", ""};
  return {};
}

Result<void> TreeService::pour(std::string_view bytes) {
  TRY(check_wanted());
  const auto before = std::chrono::steady_clock::now();
  auto written = channel_.write(bytes);
  const Duration taken = std::chrono::steady_clock::now() - before;
  if (taken > kWithoutWaiting) blocked_ += taken;
  return written;
}

void TreeService::keep_level() {
  if (!level_) {
    level_.emplace(
        out_, [this] { return blocked_; }, wanted_.near_link);
  }
  level_->look();
}

Result<void> TreeService::handle(const MessageView& message) {
  const auto kind = static_cast<Kind>(message.kind);
  if (kind == Kind::Open) {
    TRY_ASSIGN(const auto wanted, unpack_message<OpenTree>(message.body));
    return open(wanted);
  }
  if (!root_) return unexpected(message.kind);
  if (kind == Kind::Flush) return done(Unpacker(message.body).number());
  if (auto read = reader_->take(message)) return *std::move(read);
  TRY_ASSIGN(Receiver * receiver, this->receiver());
  if (auto taken = receiver->take(message)) return *std::move(taken);
  if (receiver->busy()) return unexpected(message.kind);  // in the middle of a file
  return change(kind, message.body);
}

Result<void> TreeService::change(Kind kind, std::string_view body) {
  TRY_ASSIGN(Applier * tree, applier());
  switch (kind) {
    case Kind::MakeDirectory: {
      TRY_ASSIGN(const auto m, unpack_message<Directory>(body));
      return report(m.number, tree->make_directory(m.path, m.expected));
    }
    case Kind::MakeLink: {
      TRY_ASSIGN(const auto m, unpack_message<SymbolicLink>(body));
      return report(m.number, tree->make_link(m.head, m.target));
    }
    case Kind::MakeTwin: {
      TRY_ASSIGN(const auto m, unpack_message<Twin>(body));
      if (m.ordered && failed_.contains(m.after)) {
        return report(m.number, Error{Errc::Conflict,
                                      concat("'", printable(m.existing),
                                             "', of which it is another name, did not arrive"),
                                      ""});
      }
      return report(m.number, tree->make_twin(m.head, m.existing));
    }
    case Kind::Remove: {
      TRY_ASSIGN(const auto m, unpack_message<Removal>(body));
      const auto removed = tree->remove(m.path, m.expected);
      if (removed && !*removed) return send(out_, Kind::Note, Failure{.number = m.number});
      return report(m.number, removed ? Result<void>() : Result<void>(removed.error()));
    }
    case Kind::FinishDirectory: {
      TRY_ASSIGN(const auto m, unpack_message<DirectoryEnd>(body));
      return report(m.number,
                    tree->finish_directory(m.path, {m.mode, m.keeps_mode, m.expected_mode},
                                           m.mtime_ns, m.attributes));
    }
    case Kind::SetAttributes: {
      TRY_ASSIGN(const auto m, unpack_message<Attributes>(body));
      return report(m.number, tree->set_attributes({.path = m.path,
                                                    .mode = m.mode,
                                                    .mtime_ns = m.mtime_ns,
                                                    .expected = m.expected,
                                                    .expected_mode = m.expected_mode,
                                                    .attributes = m.attributes}));
    }
    case Kind::AskPart: {
      TRY_ASSIGN(const auto m, unpack_message<FileStart>(body));
      return ask_part(m);
    }
    case Kind::FinishPart: {
      TRY_ASSIGN(const auto m, unpack_message<PartEnd>(body));
      return finish_part(m);
    }
    default: return unexpected(static_cast<std::uint8_t>(kind));
  }
}

Result<void> TreeService::report(std::uint64_t number, const Result<void>& outcome) {
  if (outcome) return {};
  failed_.insert(number);
  return send_failure(out_, number, outcome.error());
}

Result<void> TreeService::done(std::uint64_t token) {
  AllDone all{.token = token};
  if (applier_) {
    all.trash_batch = applier_->trash_batch();
    all.trashed = applier_->trashed();
    all.lost_modes = applier_->lost_modes();
    all.lost_attributes = applier_->take_lost_attributes();
  }
  return send_done(out_, std::move(all), {});
}

Result<void> TreeService::open(const OpenTree& wanted) {
  wanted_ = wanted;
  TRY_ASSIGN(root_, Root::find(wanted, around_.home));
  reader_.emplace(*root_, wanted.role,
                  TreeReader::Stream{.in = in_,
                                     .out = out_,
                                     .given_up = [this] { return channel_.given_up(); },
                                     .before_contents = [this] { keep_level(); }});
  return send(out_, Kind::Root, root_->state());
}

Result<Applier*> TreeService::applier() {
  if (!applier_) {
    TRY_ASSIGN(const int root, root_->make());
    applier_.emplace(root, root_->state().path, TrashPlace{around_.state_dir},
                     ApplyOptions{.keep = wanted_.keep_replaced ? Keep::InTrash : Keep::Nowhere,
                                  .flush_to_disk = wanted_.flush_to_disk,
                                  .claim = wanted_.claim});
  }
  return &*applier_;
}

Result<Receiver*> TreeService::receiver() {
  if (!receiver_) {
    TRY_ASSIGN(Applier * tree, applier());
    receiver_.emplace(
        *tree,
        Receiver::Hooks{
            .head = [](Kind, const FileStart& start) { return Result<FileHead>(start.head); },
            .on_end = [this](std::uint64_t number,
                             const Result<void>& outcome) { return report(number, outcome); }});
  }
  return &*receiver_;
}

Result<void> TreeService::ask_part(const FileStart& start) {
  TRY_ASSIGN(Receiver * receiver, this->receiver());
  PartHave have{.number = start.number, .last = false};
  if (auto part = receiver->part(start.head)) {
    const auto verified = (*part)->verified();
    for (const auto& segment : verified ? *verified : Segments()) {
      have.segments.push_back(segment);
      if (have.segments.size() < kSegmentsAtOnce) continue;
      TRY(send(out_, Kind::PartState, have));
      have.segments.clear();
    }
  }
  have.last = true;
  return send(out_, Kind::PartState, have);
}

Result<void> TreeService::finish_part(const PartEnd& end) {
  if (end.discard) {
    TRY_ASSIGN(Applier * tree, applier());
    if (receiver_) receiver_->forget_part();
    discard_part(*tree, end.head);
    return {};
  }
  finishing_.insert(end.segments.begin(), end.segments.end());
  if (finishing_.size() > segments_of(kLargestFile)) {
    return Error{Errc::Protocol, "a file of too many segments", ""};
  }
  if (!end.last) return {};
  const Segments segments = std::exchange(finishing_, {});
  TRY_ASSIGN(Receiver * receiver, this->receiver());
  auto part = receiver->part(end.head);
  const auto finished = part ? (*part)->finish(segments) : Result<void>(part.error());
  receiver->forget_part();
  return report(end.number, finished);
}

}  // namespace

Result<std::string> serve_tree(const Surroundings& around, WorkerChannel& channel) {
  TreeService service(around, channel);
  auto served = service.run();
  if (const auto root = service.changed_root()) {
    channel.afterwards(
        [place = TrashPlace{around.state_dir}, root, bytes = service.trashed_bytes()] {
          collect_trash_sometimes(place, root, bytes);
        });
  }
  TRY(std::move(served));
  return wire::encode(wire::StartedNote{});  // the last frame of its stream; nobody reads it
}

}  // namespace yonder::outpost
