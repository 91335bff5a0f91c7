#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace yonder::tree {

// XXH3 with 128 bits: finds what went wrong, not what an enemy made.
struct Hash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Hash&) const = default;
};
std::string to_hex(const Hash& hash);

Hash hash_of_bytes(std::string_view bytes);

// For contents that come in pieces.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void add(std::string_view bytes);
  void add_zeros(std::uint64_t count);
  Hash result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of `size` bytes from `offset` on; an error when there are fewer. Holes are not read. Cancelled as
// soon as `stopped` says so: it is asked again and again.
Result<Hash> hash_of_range(
    int fd, std::uint64_t offset, std::uint64_t size,
    const std::function<bool()>& stopped = [] { return false; });

}  // namespace yonder::tree
