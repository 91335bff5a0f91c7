#include "tree/hash.h"

#define XXH_INLINE_ALL
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "tree/stretch.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kReadAtOnce = 256UL * 1024;
constexpr std::uint64_t kHoleAtOnce = 64UL * 1024 * 1024;

Hash from(const XXH128_hash_t& hash) {
  return {.low = hash.low64, .high = hash.high64};
}

}  // namespace

struct Hasher::State {
  // Aligned as the library wants it.
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> xxh{XXH3_createState()};
};

std::string to_hex(const Hash& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {hash.high, hash.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text += kDigits[half >> static_cast<unsigned>(shift) & 0xFU];
    }
  }
  return text;
}

Hash hash_of_bytes(std::string_view bytes) {
  return from(XXH3_128bits(bytes.data(), bytes.size()));
}

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(state_->xxh.get());
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::add(std::string_view bytes) {
  XXH3_128bits_update(state_->xxh.get(), bytes.data(), bytes.size());
}

void Hasher::add_zeros(std::uint64_t count) {
  static constexpr std::array<char, 64UL * 1024> kZeros{};
  while (count > 0) {
    const std::size_t piece = std::min<std::uint64_t>(count, kZeros.size());
    add({kZeros.data(), piece});
    count -= piece;
  }
}

Hash Hasher::result() const {
  return from(XXH3_128bits_digest(state_->xxh.get()));
}

namespace {

Error too_short() {
  return Error{Errc::Conflict, "it is shorter than it was", ""};
}

// Whether it has holes; an error when it ends before that.
Result<bool> check_reaches(int fd, std::uint64_t end) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return errno_error("reading");
  if (static_cast<std::uint64_t>(info.st_size) < end) return too_short();
  return is_sparse(info);
}

// One piece of a file, read or known to be zeros: how long it was.
Result<std::uint64_t> add_piece(Hasher& hasher, int fd, std::uint64_t offset, const Stretch& piece,
                                std::vector<char>& buffer) {
  if (piece.hole) {
    const std::uint64_t count = std::min(piece.size, kHoleAtOnce);
    hasher.add_zeros(count);
    return count;
  }
  const std::size_t wanted = std::min<std::uint64_t>(piece.size, buffer.size());
  while (true) {
    const ssize_t n = ::pread(fd, buffer.data(), wanted, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading");
    if (n == 0) return too_short();
    hasher.add({buffer.data(), static_cast<std::size_t>(n)});
    return static_cast<std::uint64_t>(n);
  }
}

}  // namespace

Result<Hash> hash_of_range(int fd, std::uint64_t offset, std::uint64_t size,
                           const std::function<bool()>& stopped) {
  const std::uint64_t end = offset + size;
  TRY_ASSIGN(const bool sparse, check_reaches(fd, end));
  Hasher hasher;
  std::vector<char> buffer(std::min<std::uint64_t>(size, kReadAtOnce));
  Stretch piece;  // what is left of it
  while (offset < end) {
    if (stopped()) return Error{Errc::Cancelled, "cancelled", ""};
    if (piece.size == 0) piece = sparse ? stretch_at(fd, offset, end) : Stretch{end - offset};
    TRY_ASSIGN(const std::uint64_t done, add_piece(hasher, fd, offset, piece, buffer));
    offset += done;
    piece.size -= done;
  }
  // What was cut off meanwhile looked like a hole.
  if (sparse) TRY(check_reaches(fd, end));
  return hasher.result();
}

}  // namespace yonder::tree
