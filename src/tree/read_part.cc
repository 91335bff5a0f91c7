#include "tree/read_part.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clean_text.h"
#include "tree/file_path.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kBlock = 64UL * 1024;
// Some files of the kernel have no end worth looking for.
constexpr std::uint64_t kLongestSearch = 64ULL * 1024 * 1024;
constexpr std::size_t kBeginning = 8000;  // where binary files show that they are

class Part {
 public:
  Part(const Fd& file, std::uint64_t size, const files::ReadRequest& request,
       files::ReadReply& reply)
      : file_(file),
        size_(size),
        request_(request),
        reply_(reply),
        room_(std::min(request.max_bytes, kMaxPart)) {}

  Result<void> read() {
    if (request_.tail) return read_tail(*request_.tail);
    if (request_.first_line) return read_lines(*request_.first_line);
    reply_.offset = request_.offset;
    return take_until_full(UINT64_MAX);
  }

  // How much there is, as far as it was seen; of files in /proc the kernel says 0.
  std::uint64_t seen_end() const { return seen_end_; }

 private:
  // The next block from `at` on; empty at the end.
  Result<std::string_view> block(std::uint64_t at, std::size_t size = kBlock) {
    while (true) {
      const ssize_t n = ::pread(file_.get(), buffer_.data(), std::min(size, buffer_.size()),
                                static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno_error("read");
      if (n > 0) seen_end_ = std::max(seen_end_, at + static_cast<std::uint64_t>(n));
      return std::string_view(buffer_.data(), static_cast<std::size_t>(n));
    }
  }

  // From the reply's offset on: whole lines up to that number, and no more bytes than fit.
  Result<void> take_until_full(std::uint64_t lines) {
    while (lines > 0) {
      const std::uint64_t at = reply_.offset + reply_.content.size();
      TRY_ASSIGN(const std::string_view bytes, block(at));
      if (bytes.empty()) return {};
      std::size_t wanted = 0;
      while (wanted < bytes.size() && lines > 0) {
        const std::size_t newline =
            lines == UINT64_MAX ? std::string_view::npos : bytes.find('\n', wanted);
        wanted = newline == std::string_view::npos ? bytes.size() : newline + 1;
        if (newline != std::string_view::npos) --lines;
      }
      const std::size_t fits = std::min<std::uint64_t>(wanted, room_ - reply_.content.size());
      reply_.content += bytes.substr(0, fits);
      if (fits < wanted || lines == 0) break;
    }
    TRY_ASSIGN(const std::string_view more, block(reply_.offset + reply_.content.size(), 1));
    reply_.truncated = !more.empty();
    return {};
  }

  Result<void> read_lines(std::uint64_t first) {
    std::uint64_t line = 1;
    while (line < first) {
      TRY_ASSIGN(const std::string_view bytes, block(reply_.offset));
      if (bytes.empty()) return {};  // it has fewer lines
      std::size_t used = 0;
      while (line < first && used < bytes.size()) {
        const std::size_t newline = bytes.find('\n', used);
        used = newline == std::string_view::npos ? bytes.size() : newline + 1;
        if (newline != std::string_view::npos) ++line;
      }
      reply_.offset += used;
    }
    return take_until_full(request_.lines.value_or(UINT64_MAX - 1));
  }

  Result<void> read_tail(std::uint64_t lines) {
    std::uint64_t end = size_;
    if (end == 0) {  // the kernel does not know: look for the end
      TRY_ASSIGN(end, find_end());
    }
    TRY_ASSIGN(const std::uint64_t start, find_tail(end, lines));
    reply_.offset = end - start > room_ ? end - room_ : start;
    const bool cut = reply_.offset != start;
    TRY(take_until_full(UINT64_MAX));
    reply_.truncated = reply_.truncated || cut;
    return {};
  }

  Result<std::uint64_t> find_end() {
    for (std::uint64_t at = 0;;) {
      TRY_ASSIGN(const std::string_view bytes, block(at));
      if (bytes.empty() || at > kLongestSearch) return at;
      at += bytes.size();
    }
  }

  // Where the last lines begin. A newline at the very end ends the last one, and begins none.
  Result<std::uint64_t> find_tail(std::uint64_t end, std::uint64_t lines) {
    if (lines == 0) return end;
    for (std::uint64_t at = end; at > 0;) {
      const std::uint64_t from = at > kBlock ? at - kBlock : 0;
      TRY_ASSIGN(const std::string_view bytes, block(from, static_cast<std::size_t>(at - from)));
      for (std::size_t i = bytes.size(); i-- > 0;) {
        if (bytes[i] != '\n' || from + i + 1 == end) continue;
        if (--lines == 0) return from + i + 1;
      }
      if (end - from > room_) return from;  // more would not fit anyway
      at = from;
    }
    return 0;
  }

  const Fd& file_;
  std::uint64_t size_;
  const files::ReadRequest& request_;
  files::ReadReply& reply_;
  std::uint64_t room_;
  std::uint64_t seen_end_ = 0;
  std::array<char, kBlock> buffer_{};
};

bool same_version(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && nanoseconds(a.st_mtim) == nanoseconds(b.st_mtim);
}

Result<bool> looks_binary(const Fd& file) {
  std::array<char, kBeginning> beginning{};
  const ssize_t n = ::pread(file.get(), beginning.data(), beginning.size(), 0);
  if (n < 0) return errno_error("read");
  return std::find(beginning.begin(), beginning.begin() + n, '\0') != beginning.begin() + n;
}

}  // namespace

Result<files::ReadReply> read_part(const files::ReadRequest& request, const std::string& home) {
  files::ReadReply reply;
  TRY_ASSIGN(reply.path, absolute_path(request.path, home));
  TRY_ASSIGN(const Fd file, open_regular(reply.path));
  struct stat before {};
  struct stat after {};
  if (::fstat(file.get(), &before) != 0) return path_error("read", reply.path, errno);
  const auto size = static_cast<std::uint64_t>(before.st_size);
  const auto failed = [&](Error error) { return std::move(error).context(printable(reply.path)); };
  if (request.want_hash && size <= kHashedUpTo) {
    auto hash = hash_file(file, kHashedUpTo);
    if (!hash) return failed(std::move(hash).error());
    reply.hash = *std::move(hash);
  }
  Part part(file, size, request, reply);
  if (auto read = part.read(); !read) return failed(std::move(read).error());
  auto binary = looks_binary(file);
  if (!binary) return failed(std::move(binary).error());
  reply.binary = *binary || reply.content.find('\0') != std::string::npos;
  if (::fstat(file.get(), &after) != 0) return path_error("read", reply.path, errno);
  if (!same_version(before, after)) reply.hash.clear();
  reply.size = std::max(static_cast<std::uint64_t>(after.st_size), part.seen_end());
  reply.mtime_ns = nanoseconds(after.st_mtim);
  reply.mode = static_cast<std::uint32_t>(after.st_mode & 07777U);
  return reply;
}

}  // namespace yonder::tree
