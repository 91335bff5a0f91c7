#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace yonder::tree {

// Messages between the two ends of a sync, many to a block, each block compressed when that helps:
//
//   u8 codec (0 as it is, 1 zstd) · u32 stored bytes · u32 plain bytes · stored bytes
//   plain bytes: u8 message kind · u32 length · body, again and again             (little-endian)
using Pour = std::function<Result<void>(std::string_view bytes)>;
// 0 at the end. Fills at least one byte otherwise.
using Draw = std::function<Result<std::size_t>(char* buffer, std::size_t size)>;

inline constexpr std::size_t kMaxBody = 1024UL * 1024;
// A block may hold one message of the greatest size after others.
inline constexpr std::size_t kMaxBlock = 2 * kMaxBody;

enum class Squeeze { Yes, No };    // No: it is known to be compressed already
inline constexpr int kStored = 0;  // a level: as it is

// What compressing a block took, in the processor's time.
struct Weighed {
  std::size_t plain = 0;
  std::size_t stored = 0;
  Duration taken{};
};

class BlockWriter {
 public:
  explicit BlockWriter(Pour pour);
  ~BlockWriter();
  BlockWriter(BlockWriter&&) noexcept;

  // 1 (fast) to 19; below 0 still faster; kStored: not at all.
  void set_level(int level);
  // While nothing is compressed: the next large block is, for weighed() to tell what it took.
  void weigh_next() { weigh_ = true; }
  const std::optional<Weighed>& weighed() const { return weighed_; }
  Result<void> put(std::uint8_t kind, std::string_view body, Squeeze squeeze = Squeeze::Yes);
  // What was put is on its way.
  Result<void> flush();

  std::uint64_t plain_bytes() const { return plain_bytes_; }
  std::uint64_t stored_bytes() const { return stored_bytes_; }

 private:
  struct Codec;
  std::size_t compress_block();
  Result<void> pour_block(bool compress);
  Result<void> put_alone(std::uint8_t kind, std::string_view body);

  Pour pour_;
  std::unique_ptr<Codec> codec_;
  std::string plain_;
  std::string stored_;
  bool weigh_ = false;
  std::optional<Weighed> weighed_;
  bool worth_it_ = false;  // something in the block may be compressed
  std::uint64_t plain_bytes_ = 0;
  std::uint64_t stored_bytes_ = 0;
};

struct MessageView {
  std::uint8_t kind = 0;
  std::string_view body;  // until the next call of the reader
};

class BlockReader {
 public:
  explicit BlockReader(Draw draw);
  ~BlockReader();
  BlockReader(BlockReader&&) noexcept;

  // Protocol for bytes that are not such a stream, LinkLost at the end of it.
  Result<MessageView> next();
  // Whether there is one without waiting.
  bool has_more() const { return position_ < plain_.size(); }

 private:
  struct Codec;
  Result<void> read_block();
  Result<void> fill(char* buffer, std::size_t size);

  Draw draw_;
  std::unique_ptr<Codec> codec_;
  std::string stored_;
  std::string plain_;
  std::size_t position_ = 0;
};

}  // namespace yonder::tree
