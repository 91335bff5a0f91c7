#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tree/stream.h"

namespace yonder::tree {

// What differs between an old file over there and a new one here, without sending either
// (librsync): the old one's signature goes one way, the delta the other, and patched onto the old
// one it gives the new.

// Of the file's first `size` bytes.
Result<void> make_signature(int fd, std::uint64_t size, const Pour& pour);

// From the signature of the old file to the delta for the new one.
Result<void> make_delta(std::string_view signature, int fd, std::uint64_t size, const Pour& pour);

// Gets a delta in pieces, and gives the new file in pieces.
class Patch {
 public:
  // `basis`: the old file, borrowed.
  Patch(int basis, Pour pour);
  ~Patch();
  Patch(Patch&&) noexcept;

  Result<void> add(std::string_view delta);
  // An error when the delta was not whole.
  Result<void> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yonder::tree
