#include "tree/sender.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/clean_text.h"
#include "base/text.h"
#include "tree/stretch.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kPiece = 256UL * 1024 - 64;
constexpr std::size_t kSample = 16UL * 1024;
constexpr std::size_t kMostRuns = 20000;  // fit into one message

Error changed(const std::string& path) {
  return Error{Errc::Conflict,
               concat("'", printable(path), "' was changed while it was being copied"),
               "sync again when nobody writes to it"};
}

// Of the first bytes of something large: the rest is mostly of the same kind.
Squeeze guess(std::string_view bytes) {
  const std::string_view sample = bytes.substr(0, kSample);
  if (sample.size() < kSample) return Squeeze::Yes;
  std::array<char, ZSTD_COMPRESSBOUND(kSample)> buffer{};
  const std::size_t size =
      ZSTD_compress(buffer.data(), buffer.size(), sample.data(), sample.size(), 1);
  const bool smaller = ZSTD_isError(size) == 0 && size < kSample - kSample / 16;
  return smaller ? Squeeze::Yes : Squeeze::No;
}

// What is at `offset`, up to `end`.
Stretch stretch_at(const SourceFile& file, std::uint64_t offset, std::uint64_t end) {
  return file.sparse() ? tree::stretch_at(file.fd(), offset, end) : Stretch{end - offset, false};
}

Result<void> end_file(BlockWriter& out, std::uint64_t number, const Hash& hash) {
  return send(out, Kind::EndFile, FileEnd{.number = number, .hash = hash});
}

Result<Sent> give_up(BlockWriter& out, std::uint64_t number, Error error) {
  TRY(send(
      out, Kind::EndFile,
      FileEnd{
          .number = number, .problem = error.message, .changed = error.code == Errc::Conflict}));
  return Sent{.problem = std::move(error), .told = true};
}

// Errors of the stream and of the file look alike; only what the file did is told to the other end.
bool is_about_the_file(const Error& error) {
  return error.code != Errc::LinkLost && error.code != Errc::Cancelled &&
         error.code != Errc::Timeout && error.code != Errc::Protocol;
}

// With the hash of what was sent, or why it could not be read.
Result<Sent> end_segment(BlockWriter& out, const SourceFile& file, const FileStart& start,
                         Result<Hash> sent, Hash& hash) {
  if (!sent && !is_about_the_file(sent.error())) return std::move(sent).error();
  if (!sent) return give_up(out, start.number, std::move(sent).error());
  if (auto same = file.check_unchanged(); !same) {
    return give_up(out, start.number, std::move(same).error());
  }
  hash = *sent;
  TRY(end_file(out, start.number, hash));
  return Sent{};
}

}  // namespace

SourceFile::SourceFile(std::string path, Fd file, const struct stat& info)
    : path_(std::move(path)),
      file_(std::move(file)),
      size_(static_cast<std::uint64_t>(info.st_size)),
      mtime_ns_(mtime_of(info)),
      ctime_ns_(ctime_of(info)),
      sparse_(is_sparse(info)) {}

Result<SourceFile> SourceFile::open(Directories& directories, const std::string& path,
                                    const Seen& expected) {
  TRY(check_relative(path));
  TRY_ASSIGN(const int directory, directories.open(split_path(path).parent));
  const std::string name(split_path(path).name);
  Fd file(
      ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) {
    return Error{Errc::NotFound, concat("'", printable(path), "' vanished meanwhile"), ""};
  }
  if (!file && errno == ELOOP) return changed(path);
  if (!file) return errno_error(printable(path));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return errno_error(printable(path));
  const bool same = S_ISREG(info.st_mode) &&
                    static_cast<std::uint64_t>(info.st_size) == expected.size &&
                    mtime_of(info) == expected.mtime_ns;
  if (!same) return changed(path);
  return SourceFile(path, std::move(file), info);
}

std::vector<SegmentRun> SourceFile::runs() const {
  const std::uint64_t all = segments_of(size_);
  if (!sparse_) return {{0, all}};
  std::vector<SegmentRun> runs;
  for (std::uint64_t offset = 0; offset < size_;) {
    const Stretch stretch = stretch_at(*this, offset, size_);
    if (stretch.hole) {
      offset += stretch.size;
      continue;
    }
    const std::uint64_t first = offset / kSegment;
    const std::uint64_t next = (offset + stretch.size - 1) / kSegment + 1;
    if (runs.empty() || runs.back().first + runs.back().count < first) runs.push_back({first, 0});
    runs.back().count = next - runs.back().first;
    if (runs.size() == kMostRuns) {
      runs.back().count = all - runs.back().first;
      break;
    }
    offset = next * kSegment;
  }
  return runs;
}

Result<void> SourceFile::check_unchanged() const {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return errno_error(printable(path_));
  const bool same = static_cast<std::uint64_t>(info.st_size) == size_ &&
                    mtime_of(info) == mtime_ns_ && ctime_of(info) == ctime_ns_;
  if (!same) return changed(path_);
  return {};
}

Result<Hash> send_range(BlockWriter& out, const SourceFile& file, std::uint64_t offset,
                        std::uint64_t size, const SendOptions& options) {
  Hasher hasher;
  std::vector<char> buffer(std::min<std::uint64_t>(size, kPiece));
  std::optional<Squeeze> squeeze;
  const std::uint64_t end = offset + size;
  while (offset < end) {
    const Stretch stretch = stretch_at(file, offset, end);
    if (stretch.hole) {
      hasher.add_zeros(stretch.size);
      TRY(send_raw(out, Kind::Hole, Packer().number(stretch.size).take()));
      TRY(options.on_bytes(stretch.size));
      offset += stretch.size;
      continue;
    }
    const std::size_t wanted = std::min<std::uint64_t>(stretch.size, buffer.size());
    const ssize_t n = ::pread(file.fd(), buffer.data(), wanted, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading");
    if (n == 0) return Error{Errc::Conflict, "it became shorter while it was being copied", ""};
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    if (!squeeze) squeeze = guess(bytes);
    hasher.add(bytes);
    TRY(send_raw(out, Kind::Bytes, bytes, *squeeze));
    TRY(options.on_bytes(bytes.size()));
    offset += bytes.size();
  }
  return hasher.result();
}

Result<Sent> send_file(BlockWriter& out, Directories& directories, const FileStart& start,
                       const Seen& source, const SendOptions& options) {
  // Opened before anything is said: most problems show here.
  const std::string& path = options.path.empty() ? start.head.path : options.path;
  auto file = SourceFile::open(directories, path, source);
  if (!file) return Sent{.problem = std::move(file).error()};
  TRY(send(out, Kind::File, start));
  auto hash = send_range(out, *file, 0, source.size, options);
  if (!hash && !is_about_the_file(hash.error())) return std::move(hash).error();
  if (!hash) return give_up(out, start.number, std::move(hash).error());
  if (auto same = file->check_unchanged(); !same) {
    return give_up(out, start.number, std::move(same).error());
  }
  TRY(end_file(out, start.number, *hash));
  return Sent{.hash = *hash};
}

Result<Sent> send_segment(BlockWriter& out, const SourceFile& file, const FileStart& start,
                          Hash& hash, const SendOptions& options) {
  TRY(send(out, Kind::Segment, start));
  const std::uint64_t offset = start.segment * kSegment;
  auto sent = send_range(out, file, offset, segment_size(file.size(), start.segment), options);
  return end_segment(out, file, start, std::move(sent), hash);
}

Result<Sent> send_delta(BlockWriter& out, const SourceFile& file, const FileStart& start,
                        const Differ& differ, Hash& hash, const SendOptions& options) {
  TRY(send(out, Kind::DeltaSegment, start));
  Hasher hasher;
  std::optional<Error> stream_error;
  const auto heed = [&](Result<void> done) {
    if (!done) stream_error = done.error();
    return done;
  };
  const auto made = differ.make_delta(
      {file.fd(), start.segment * kSegment, segment_size(file.size(), start.segment)},
      [&](std::string_view bytes) {
        hasher.add(bytes);
        return heed(options.on_bytes(bytes.size()));
      },
      [&](std::string_view delta) { return heed(send_raw(out, Kind::Bytes, delta)); });
  if (stream_error) return *stream_error;
  if (!made) return give_up(out, start.number, made.error());
  return end_segment(out, file, start, hasher.result(), hash);
}

}  // namespace yonder::tree
