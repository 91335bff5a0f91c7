#include "outpost/tree_service.h"

#include <optional>
#include <set>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"
#include "tree/delta.h"
#include "tree/list_sender.h"
#include "tree/messages.h"
#include "tree/pack_rules.h"
#include "tree/receiver.h"
#include "tree/root.h"
#include "tree/sender.h"
#include "wire/messages.h"

namespace yonder::outpost {
namespace {

using namespace tree;  // nearly every word here is of that room

constexpr std::size_t kLongestSignature = 256UL * 1024 * 1024;

class TreeService {
 public:
  TreeService(const Surroundings& around, WorkerChannel& channel)
      : around_(around),
        channel_(channel),
        in_([&channel](char* buffer, std::size_t size) { return channel.read(buffer, size); }),
        out_([this](std::string_view bytes) { return pour(bytes); }) {}

  Result<void> run();
  // The directory in which something was changed.
  std::optional<std::string> changed_root() const {
    return applier_ ? std::optional(root_->state().path) : std::nullopt;
  }

 private:
  Result<void> check_wanted() const;
  Result<void> pour(std::string_view bytes);
  Result<void> handle(const MessageView& message);
  Result<void> change(Kind kind, std::string_view body);
  Result<void> open(const OpenTree& wanted);
  Result<void> scan_tree(const ScanTree& wanted);
  Result<void> hash_files(const std::vector<std::string>& paths);
  Result<void> sign(const Wanted& wanted);
  Result<void> ask_part(const FileStart& start);
  Result<void> finish_part(const PartEnd& end);
  Result<void> ask_runs(const Wanted& wanted);
  Result<void> get(const Wanted& wanted);
  Result<void> get_segment(const Wanted& wanted);
  Result<void> get_delta(const Wanted& wanted);
  Result<std::string> read_signature();
  Result<void> tell_batch();
  Result<void> done(std::uint64_t token, const Result<void>& outcome);
  Result<void> report(std::uint64_t number, const Result<void>& outcome);
  Result<Receiver*> receiver();
  Result<Applier*> applier();
  Result<Directories*> sources();

  const Surroundings& around_;
  WorkerChannel& channel_;
  BlockReader in_;
  BlockWriter out_;
  OpenTree wanted_;
  std::optional<Root> root_;
  std::optional<Applier> applier_;
  std::optional<Receiver> receiver_;
  std::optional<Directories> sources_;
  std::optional<SourceFile> segment_source_;
  std::string segment_path_;
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
  return channel_.write(bytes);
}

Result<void> TreeService::handle(const MessageView& message) {
  const auto kind = static_cast<Kind>(message.kind);
  if (kind == Kind::Open) {
    TRY_ASSIGN(const auto wanted, unpack_message<OpenTree>(message.body));
    return open(wanted);
  }
  if (!root_) return unexpected(message.kind);
  switch (kind) {
    case Kind::Scan: {
      TRY_ASSIGN(const auto wanted, unpack_message<ScanTree>(message.body));
      return scan_tree(wanted);
    }
    case Kind::HashFiles: {
      TRY_ASSIGN(const auto paths, unpack_texts(message.body));
      return hash_files(paths);
    }
    case Kind::Sign: {
      TRY_ASSIGN(const auto wanted, unpack_message<Wanted>(message.body));
      return sign(wanted);
    }
    case Kind::Get: {
      TRY_ASSIGN(const auto wanted, unpack_message<Wanted>(message.body));
      return get(wanted);
    }
    case Kind::GetSegment: {
      TRY_ASSIGN(const auto wanted, unpack_message<Wanted>(message.body));
      return get_segment(wanted);
    }
    case Kind::GetDelta: {
      TRY_ASSIGN(const auto wanted, unpack_message<Wanted>(message.body));
      return get_delta(wanted);
    }
    case Kind::AskRuns: {
      TRY_ASSIGN(const auto wanted, unpack_message<Wanted>(message.body));
      return ask_runs(wanted);
    }
    case Kind::Flush: return done(Unpacker(message.body).number(), {});
    default: break;
  }
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
      return report(m.number, tree->make_link(m.path, m.target, m.mtime_ns, m.expected));
    }
    case Kind::MakeTwin: {
      TRY_ASSIGN(const auto m, unpack_message<Twin>(body));
      if (m.ordered && failed_.contains(m.after)) {
        return report(m.number, Error{Errc::Conflict,
                                      concat("'", printable(m.existing),
                                             "', of which it is another name, did not arrive"),
                                      ""});
      }
      return report(m.number, tree->make_twin(m.path, m.existing, m.expected));
    }
    case Kind::SetAside: {
      TRY_ASSIGN(const auto m, unpack_message<Aside>(body));
      return report(m.number, tree->set_aside(m.path, m.new_path, m.expected));
    }
    case Kind::Remove: {
      TRY_ASSIGN(const auto m, unpack_message<Removal>(body));
      const auto removed = tree->remove(m.path, m.expected);
      if (removed && !*removed) return send(out_, Kind::Note, Failure{.number = m.number});
      return report(m.number, removed ? Result<void>() : Result<void>(removed.error()));
    }
    case Kind::FinishDirectory: {
      TRY_ASSIGN(const auto m, unpack_message<DirectoryEnd>(body));
      return report(m.number, tree->finish_directory(m.path, m.mode, m.mtime_ns));
    }
    case Kind::SetAttributes: {
      TRY_ASSIGN(const auto m, unpack_message<Attributes>(body));
      return report(
          m.number,
          tree->set_attributes(
              {.path = m.path, .mode = m.mode, .mtime_ns = m.mtime_ns, .expected = m.expected}));
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
  return send(out_, Kind::Failed,
              Failure{.number = number,
                      .code = std::string(name_of(outcome.error().code)),
                      .message = outcome.error().message});
}

Result<void> TreeService::done(std::uint64_t token, const Result<void>& outcome) {
  AllDone all{.token = token};
  if (!outcome) {
    all.problem_code = name_of(outcome.error().code);
    all.problem = outcome.error().message;
  }
  if (applier_) {
    all.trash_batch = applier_->trash_batch();
    all.trashed = applier_->trashed();
  }
  return send(out_, Kind::Done, all);
}

Result<void> TreeService::open(const OpenTree& wanted) {
  wanted_ = wanted;
  TRY_ASSIGN(root_, Root::find(wanted, around_.home));
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

Result<Directories*> TreeService::sources() {
  if (!sources_) {
    TRY_ASSIGN(const int root, root_->get());
    sources_.emplace(root);
  }
  return &*sources_;
}

Result<void> TreeService::scan_tree(const ScanTree& wanted) {
  if (!root_->exists()) return done(0, {});
  TRY_ASSIGN(const int root, root_->get());
  TRY_ASSIGN(const RuleSet rules, unpack_rules(wanted.rules));
  const ScanOptions options{.rules = &rules,
                            .use_gitignore = wanted.use_gitignore,
                            .hash = wanted.hash,
                            .twins = wanted.twins};
  ListSender lists(out_);
  Result<void> scanned;
  if (!root_->state().file.empty()) {
    auto entry = list_one(root, root_->state().file, options);
    if (entry) {
      lists.add(*entry);
    } else if (entry.error().code != Errc::NotFound) {
      scanned = std::move(entry).error();
    }
  } else {
    scanned = scan(root, options,
                   {.on_entry = [&](Entry&& entry) { lists.add(entry); },
                    .on_skip = [&](Skip&& skip) { lists.add(std::move(skip)); },
                    .on_temporary =
                        [&](std::string&& path) {
                          if (wanted_.role == Role::Target) {
                            remove_old_part(root, path, kForgottenPart);
                          }
                          lists.add_temporary(std::move(path));
                        },
                    .on_ignore_file =
                        [&](const std::string& directory, const std::string& content) {
                          if (wanted_.role == Role::Source) {
                            lists.add_ignore_file(directory, content);
                          }
                        },
                    .stopped = [&] { return lists.failed() || channel_.given_up(); }});
  }
  TRY(lists.finish());
  return done(0, scanned);
}

Result<void> TreeService::hash_files(const std::vector<std::string>& paths) {
  TRY_ASSIGN(const int root, root_->get());
  ListSender lists(out_);
  for (const auto& path : paths) {
    TRY(check_wanted());
    const auto entry = list_one(root, path, {.hash = true});
    if (entry) lists.add(*entry);
  }
  TRY(lists.finish());
  return done(0, {});
}

Result<void> TreeService::sign(const Wanted& wanted) {
  TRY_ASSIGN(Directories * from, sources());
  const auto file = SourceFile::open(*from, wanted.path, wanted.expected);
  if (!file) return done(0, file.error());
  std::optional<Error> stream_error;
  const auto made = make_signature(file->fd(), file->size(), [&](std::string_view bytes) {
    auto sent = send_raw(out_, Kind::Bytes, bytes);
    if (!sent) stream_error = sent.error();
    return sent;
  });
  if (stream_error) return *stream_error;
  return done(0, made);
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

Result<void> TreeService::ask_runs(const Wanted& wanted) {
  TRY_ASSIGN(Directories * from, sources());
  const auto file = SourceFile::open(*from, wanted.path, wanted.expected);
  if (!file) return report(wanted.number, file.error());
  DataRuns runs{.number = wanted.number};
  for (const SegmentRun& run : file->runs()) runs.runs.emplace_back(run.first, run.count);
  return send(out_, Kind::Runs, runs);
}

Result<void> TreeService::finish_part(const PartEnd& end) {
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

Result<void> TreeService::get(const Wanted& wanted) {
  TRY_ASSIGN(Directories * from, sources());
  const FileStart start{.number = wanted.number, .head = {.path = wanted.path}};
  TRY_ASSIGN(const Sent sent, send_file(out_, *from, start, wanted.expected, {}));
  if (!sent.problem || sent.told) return {};
  return report(wanted.number, *sent.problem);
}

Result<void> TreeService::get_segment(const Wanted& wanted) {
  if (!segment_source_ || segment_path_ != wanted.path) {
    TRY_ASSIGN(Directories * from, sources());
    auto file = SourceFile::open(*from, wanted.path, wanted.expected);
    if (!file) return report(wanted.number, file.error());
    segment_source_.emplace(*std::move(file));
    segment_path_ = wanted.path;
  }
  if (wanted.has_segment) {
    const auto own = hash_of_range(segment_source_->fd(), wanted.segment * kSegment,
                                   segment_size(segment_source_->size(), wanted.segment));
    if (own && *own == wanted.hash) {
      return send(out_, Kind::Note, Failure{.number = wanted.number});
    }
  }
  Hash hash;
  const FileStart start{
      .number = wanted.number, .head = {.path = wanted.path}, .segment = wanted.segment};
  TRY_ASSIGN(const Sent sent, send_segment(out_, *segment_source_, start, hash, {}));
  if (sent.problem) segment_source_.reset();
  if (!sent.problem || sent.told) return {};
  return report(wanted.number, *sent.problem);
}

Result<std::string> TreeService::read_signature() {
  std::string signature;
  while (true) {
    TRY_ASSIGN(const MessageView message, in_.next());
    if (static_cast<Kind>(message.kind) == Kind::Done) return signature;
    if (static_cast<Kind>(message.kind) != Kind::Bytes) return unexpected(message.kind);
    signature += message.body;
    if (signature.size() > kLongestSignature) {
      return Error{Errc::Protocol, "a signature that is too long", ""};
    }
  }
}

Result<void> TreeService::get_delta(const Wanted& wanted) {
  TRY_ASSIGN(const std::string signature, read_signature());
  TRY_ASSIGN(Directories * from, sources());
  const auto file = SourceFile::open(*from, wanted.path, wanted.expected);
  if (!file) return report(wanted.number, file.error());
  const FileStart start{.number = wanted.number, .head = {.path = wanted.path}};
  TRY_ASSIGN(const Sent sent, send_delta(out_, *file, start, signature, {}));
  if (!sent.problem || sent.told) return {};
  return report(wanted.number, *sent.problem);
}

}  // namespace

Result<std::string> serve_tree(const Surroundings& around, WorkerChannel& channel) {
  TreeService service(around, channel);
  auto served = service.run();
  if (const auto root = service.changed_root()) {
    channel.afterwards(
        [place = TrashPlace{around.state_dir}, root] { collect_trash_sometimes(place, root); });
  }
  TRY(std::move(served));
  return wire::encode(wire::StartedNote{});  // the last frame of its stream; nobody reads it
}

}  // namespace yonder::outpost
