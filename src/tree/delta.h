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
// Of any file of this size.
Result<std::uint64_t> longest_signature(std::uint64_t size);

// The signature of the old file, which makes deltas for ranges of the new one. Each is a delta of
// its own: whoever has lost one goes on with the next.
class Differ {
 public:
  // Protocol when no file of this size has such a signature: to look for each of too many blocks at
  // every byte takes for ever.
  static Result<Differ> load(std::string_view signature, std::uint64_t old_size);
  ~Differ();
  Differ(Differ&&) noexcept;
  Differ& operator=(Differ&&) noexcept;

  struct Range {
    int fd = -1;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  // `on_read` gets the range itself, piece by piece.
  Result<void> make_delta(const Range& range, const Pour& on_read, const Pour& pour) const;

 private:
  struct State;
  explicit Differ(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Gets a delta in pieces, and gives the range of the new file in pieces.
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
