#include "tree/receiver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::tree {

// The old file, and what the delta makes of it.
struct Receiver::Patching {
  Fd basis;
  std::optional<Patch> patch;
};

Receiver::Receiver(Applier& applier, Hooks hooks) : applier_(applier), hooks_(std::move(hooks)) {}
Receiver::~Receiver() = default;

std::optional<Result<void>> Receiver::take(const MessageView& message) {
  const auto kind = static_cast<Kind>(message.kind);
  switch (kind) {
    case Kind::File:
    case Kind::Segment:
    case Kind::DeltaSegment: {
      auto start = unpack_message<FileStart>(message.body);
      if (!start) return std::move(start).error();
      if (number_) return unexpected(message.kind);
      return begin(kind, *start);
    }
    case Kind::Bytes:
      if (!number_) return unexpected(message.kind);
      return take_bytes(message.body);
    case Kind::Hole: {
      Unpacker in(message.body);
      const std::uint64_t count = in.number();
      if (!number_ || !in.done()) return unexpected(message.kind);
      return take_hole(count);
    }
    case Kind::EndFile: {
      auto end = unpack_message<FileEnd>(message.body);
      if (!end) return std::move(end).error();
      if (!number_ || end->number != *number_) return unexpected(message.kind);
      return this->end(*end);
    }
    default: return std::nullopt;
  }
}

void Receiver::drop(Error error) {
  problem_ = std::move(error);
  file_.reset();
  patching_.reset();
}

Result<PartFile*> Receiver::part(const FileHead& head) {
  if (!part_ || part_path_ != head.path) {
    part_.reset();
    TRY_ASSIGN(part_, PartFile::open(applier_, head));
    part_path_ = head.path;
  }
  return &*part_;
}

// The old file is what it was all the time: between two segments, too.
Result<void> Receiver::begin_delta(const FileHead& head) {
  TRY_ASSIGN(const int directory, applier_.directory_of(head.path, false));
  const std::string name(split_path(head.path).name);
  TRY(check_seen(directory, name, head.path, head.expected));
  patching_ = std::make_unique<Patching>();
  patching_->basis = Fd(
      ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!patching_->basis) return errno_error(printable(head.path));
  patching_->patch.emplace(patching_->basis.get(), [this](std::string_view bytes) {
    hooks_.on_bytes(bytes.size());
    return part_->write(bytes);
  });
  return {};
}

Result<void> Receiver::begin_segment(Kind kind, const FileHead& head, std::uint64_t segment) {
  if (kind == Kind::DeltaSegment) TRY(begin_delta(head));
  TRY_ASSIGN(PartFile * part, this->part(head));
  return part->begin(segment);
}

Result<void> Receiver::begin(Kind kind, const FileStart& start) {
  number_ = start.number;
  problem_.reset();
  in_segment_ = kind != Kind::File;
  auto head = hooks_.head(kind, start);
  if (!head) {
    drop(std::move(head).error());
    return {};
  }
  Result<void> begun;
  if (in_segment_) {
    begun = begin_segment(kind, *head, start.segment);
  } else {
    auto file = applier_.begin_file(*std::move(head));
    if (file) {
      file_.emplace(*std::move(file));
    } else {
      begun = std::move(file).error();
    }
  }
  if (!begun) drop(std::move(begun).error());
  return {};
}

Result<void> Receiver::take_bytes(std::string_view bytes) {
  // Of a delta counts what it makes.
  hooks_.on_bytes(patching_ ? 0 : bytes.size());
  if (problem_) return {};
  auto done = patching_     ? patching_->patch->add(bytes)
              : in_segment_ ? part_->write(bytes)
                            : file_->write(bytes);
  if (!done) drop(std::move(done).error());
  return {};
}

Result<void> Receiver::take_hole(std::uint64_t count) {
  hooks_.on_bytes(count);
  if (problem_) return {};
  if (patching_) return unexpected(static_cast<std::uint8_t>(Kind::Hole));
  auto done = in_segment_ ? part_->hole(count) : file_->hole(count);
  if (!done) drop(std::move(done).error());
  return {};
}

Result<void> Receiver::finish(const FileEnd& end) {
  if (problem_) return *problem_;
  if (!end.problem.empty()) {
    // A part is of one version of its source, and that is gone.
    if (in_segment_ && end.changed) TRY(part_->discard());
    return Error{Errc::Conflict, printable(end.problem), ""};
  }
  if (patching_) TRY(patching_->patch->finish());
  if (in_segment_) return part_->end(end.hash);
  return file_->finish(end.hash);
}

Result<void> Receiver::end(const FileEnd& end) {
  const auto outcome = finish(end);
  if (outcome && !in_segment_) hooks_.on_contents(end.number, end.hash);
  number_.reset();
  problem_.reset();
  file_.reset();
  patching_.reset();
  if (!end.problem.empty() && hooks_.sender_knows_its_problems) return {};
  return hooks_.on_end(end.number, outcome);
}

}  // namespace yonder::tree
