#include "outpost/tree_reader.h"

#include <algorithm>
#include <utility>

#include "tree/extended_attributes.h"
#include "tree/leftovers.h"
#include "tree/list_sender.h"
#include "tree/pack_rules.h"
#include "tree/part.h"
#include "tree/scan.h"

namespace yonder::outpost {

using namespace tree;  // nearly every word here is of that room

namespace {

template <class Message>
Result<void> with(std::string_view body, const std::function<Result<void>(const Message&)>& work) {
  TRY_ASSIGN(const auto message, unpack_message<Message>(body));
  return work(message);
}

}  // namespace

Result<void> send_failure(BlockWriter& out, std::uint64_t number, const Error& error) {
  return send(
      out, Kind::Failed,
      Failure{
          .number = number, .code = std::string(name_of(error.code)), .message = error.message});
}

Result<void> send_done(BlockWriter& out, AllDone done, const Result<void>& outcome) {
  if (!outcome) {
    done.problem_code = name_of(outcome.error().code);
    done.problem = outcome.error().message;
  }
  return send(out, Kind::Done, done);
}

std::optional<Result<void>> TreeReader::take(const MessageView& message) {
  const auto wanted = [&](Result<void> (TreeReader::*work)(const Wanted&)) {
    return with<Wanted>(message.body, [&](const Wanted& m) { return (this->*work)(m); });
  };
  switch (static_cast<Kind>(message.kind)) {
    case Kind::Scan:
      return with<ScanTree>(message.body, [&](const ScanTree& m) { return list(m); });
    case Kind::HashFiles: {
      const auto paths = unpack_texts(message.body);
      return paths ? hash_files(*paths) : Result<void>(paths.error());
    }
    case Kind::AskAttributes: {
      const auto paths = unpack_texts(message.body);
      return paths ? tell_attributes(*paths) : Result<void>(paths.error());
    }
    case Kind::Sign: return wanted(&TreeReader::sign);
    case Kind::Get: return wanted(&TreeReader::get);
    case Kind::GetSegment: return wanted(&TreeReader::get_segment);
    case Kind::GetDelta: return wanted(&TreeReader::get_delta);
    case Kind::OldFile: return take_old_file(message.body);
    case Kind::AskRuns: return wanted(&TreeReader::tell_runs);
    default: return std::nullopt;
  }
}

Result<Directories*> TreeReader::sources() {
  if (!sources_) {
    TRY_ASSIGN(const int root, root_.get());
    sources_.emplace(root);
  }
  return &*sources_;
}

// A part of an answer may have told already that the rest will not come.
Result<void> TreeReader::tell(std::uint64_t number, const Sent& sent) {
  if (!sent.problem || sent.told) return {};
  return send_failure(stream_.out, number, *sent.problem);
}

Result<void> TreeReader::list(const ScanTree& wanted) {
  if (!root_.exists()) return send_done(stream_.out, {}, {});
  TRY_ASSIGN(const int root, root_.get());
  TRY_ASSIGN(const RuleSet rules, unpack_rules(wanted.rules));
  const ScanOptions options{.rules = &rules,
                            .use_gitignore = wanted.use_gitignore,
                            .tell_gitignore = wanted.tell_gitignore,
                            .hash = wanted.hash,
                            .twins = wanted.twins,
                            .attributes = wanted.attributes,
                            .changed = wanted.changed,
                            .to_copy = role_ == Role::Source};
  ListSender lists(stream_.out);
  const auto listed = root_.state().file.empty() ? list_tree(root, options, lists)
                                                 : list_file(root, options, lists);
  TRY(lists.finish());
  return send_done(stream_.out, {}, listed);
}

Result<void> TreeReader::list_file(int root, const ScanOptions& options, ListSender& lists) {
  if (role_ == Role::Target) remove_leftovers_in(root);
  auto entry = list_one(root, root_.state().file, options, stream_.given_up);
  if (entry) {
    lists.add(*entry);
  } else if (entry.error().code != Errc::NotFound) {
    return std::move(entry).error();
  }
  return {};
}

Result<void> TreeReader::list_tree(int root, const ScanOptions& options, ListSender& lists) {
  return scan(root, options,
              {.on_entry = [&](Entry&& entry) { lists.add(entry); },
               .on_skip = [&](Skip&& skip) { lists.add(std::move(skip)); },
               .on_temporary =
                   [&](std::string&& path) {
                     if (role_ == Role::Target && remove_leftover(root, path)) return;
                     lists.add_temporary(std::move(path));
                   },
               .on_mount = [&](std::string&& path) { lists.add_mount(path); },
               .on_ignore_file =
                   [&](const std::string& directory, const std::string& content) {
                     const bool wanted = role_ == Role::Source || options.tell_gitignore;
                     if (wanted) lists.add_ignore_file(directory, content);
                   },
               .stopped = [&] { return lists.failed() || stream_.given_up(); }});
}

Result<void> TreeReader::hash_files(const std::vector<std::string>& paths) {
  TRY_ASSIGN(const int root, root_.get());
  ListSender lists(stream_.out);
  for (const auto& path : paths) {
    const auto entry = list_one(root, path, {.hash = true}, stream_.given_up);
    if (stream_.given_up()) return Error{Errc::Cancelled, "given up", ""};
    if (entry) lists.add(*entry);
  }
  TRY(lists.finish());
  return send_done(stream_.out, {}, {});
}

Result<void> TreeReader::tell_attributes(const std::vector<std::string>& paths) {
  TRY_ASSIGN(Directories * from, sources());
  ListSender lists(stream_.out);
  for (const auto& path : paths) {
    if (stream_.given_up()) return Error{Errc::Cancelled, "given up", ""};
    auto found = find_attributes(*from, path);
    if (!found || (found->user.empty() && !found->has_more)) continue;
    lists.add(
        Entry{.path = path, .attributes = std::move(found->user), .has_more = found->has_more});
  }
  TRY(lists.finish());
  return send_done(stream_.out, {}, {});
}

Result<void> TreeReader::sign(const Wanted& wanted) {
  TRY_ASSIGN(Directories * from, sources());
  const auto file = SourceFile::open(*from, wanted.path, wanted.expected);
  if (!file) return send_done(stream_.out, {}, file.error());
  std::optional<Error> stream_error;
  const auto made = make_signature(file->fd(), file->size(), [&](std::string_view bytes) {
    auto sent = send_raw(stream_.out, Kind::Bytes, bytes);
    if (!sent) stream_error = sent.error();
    return sent;
  });
  if (stream_error) return *stream_error;
  return send_done(stream_.out, {}, made);
}

Result<void> TreeReader::tell_runs(const Wanted& wanted) {
  TRY_ASSIGN(Directories * from, sources());
  const auto file = SourceFile::open(*from, wanted.path, wanted.expected);
  if (!file) return send_failure(stream_.out, wanted.number, file.error());
  DataRuns runs{.number = wanted.number};
  for (const SegmentRun& run : file->runs()) runs.runs.emplace_back(run.first, run.count);
  return send(stream_.out, Kind::Runs, runs);
}

Result<void> TreeReader::get(const Wanted& wanted) {
  TRY_ASSIGN(Directories * from, sources());
  stream_.before_contents();
  const FileStart start{.number = wanted.number, .head = {.path = wanted.path}};
  TRY_ASSIGN(const Sent sent, send_file(stream_.out, *from, start, wanted.expected, {}));
  return tell(wanted.number, sent);
}

// Mostly the same as before.
Result<const SourceFile*> TreeReader::segment_source(const Wanted& wanted) {
  if (!segment_source_ || segment_path_ != wanted.path) {
    TRY_ASSIGN(Directories * from, sources());
    TRY_ASSIGN(SourceFile file, SourceFile::open(*from, wanted.path, wanted.expected));
    segment_source_.emplace(std::move(file));
    segment_path_ = wanted.path;
  }
  return &*segment_source_;
}

Result<void> TreeReader::tell_segment(std::uint64_t number, const Sent& sent) {
  if (sent.problem) segment_source_.reset();
  return tell(number, sent);
}

Result<void> TreeReader::get_segment(const Wanted& wanted) {
  const auto source = segment_source(wanted);
  if (!source) return send_failure(stream_.out, wanted.number, source.error());
  if (wanted.has_segment) {
    const auto own = hash_of_range((*source)->fd(), wanted.segment * kSegment,
                                   segment_size((*source)->size(), wanted.segment));
    if (own && *own == wanted.hash) {
      return send(stream_.out, Kind::Note, Failure{.number = wanted.number});
    }
  }
  stream_.before_contents();
  Hash hash;
  const FileStart start{
      .number = wanted.number, .head = {.path = wanted.path}, .segment = wanted.segment};
  TRY_ASSIGN(const Sent sent, send_segment(stream_.out, **source, start, hash, {}));
  return tell_segment(wanted.number, sent);
}

// One that is broken is told to whoever asks for a difference from it.
Result<void> TreeReader::take_old_file(std::string_view body) {
  const std::uint64_t size = Unpacker(body).number();
  TRY_ASSIGN(const std::uint64_t longest, longest_signature(std::min(size, kLargestFile)));
  std::string signature;
  while (true) {
    TRY_ASSIGN(const MessageView message, stream_.in.next());
    if (static_cast<Kind>(message.kind) == Kind::Done) break;
    if (static_cast<Kind>(message.kind) != Kind::Bytes) return unexpected(message.kind);
    signature += message.body;
    if (signature.size() > longest) {
      return Error{Errc::Protocol, "a signature that is too long", ""};
    }
  }
  differ_.emplace(Differ::load(signature, size));
  return {};
}

Result<void> TreeReader::get_delta(const Wanted& wanted) {
  if (!differ_) return unexpected(static_cast<std::uint8_t>(Kind::GetDelta));
  if (!*differ_) return send_failure(stream_.out, wanted.number, differ_->error());
  const auto source = segment_source(wanted);
  if (!source) return send_failure(stream_.out, wanted.number, source.error());
  stream_.before_contents();
  Hash hash;
  const FileStart start{
      .number = wanted.number, .head = {.path = wanted.path}, .segment = wanted.segment};
  TRY_ASSIGN(const Sent sent, send_delta(stream_.out, **source, start, **differ_, hash, {}));
  return tell_segment(wanted.number, sent);
}

}  // namespace yonder::outpost
