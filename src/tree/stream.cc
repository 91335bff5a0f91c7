#include "tree/stream.h"

#include <zstd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <ctime>

namespace yonder::tree {
namespace {

constexpr std::size_t kBlockHead = 9;
constexpr std::size_t kMessageHead = 5;
// Large enough to compress well, small enough that the far side can begin early.
constexpr std::size_t kFullBlock = 256UL * 1024;
constexpr std::size_t kWorthCompressing = 128;
constexpr std::size_t kWorthItself = 64UL * 1024;

void put_u32(char* to, std::size_t value) {
  for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<char>(value >> 8U * i & 0xFFU);
}

std::uint32_t get_u32(const char* from) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(from[i])} << 8U * i;
  }
  return value;
}

Error broken(const char* what) {
  return Error{Errc::Protocol, std::string("the stream of files is broken: ") + what, ""};
}

Duration processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

struct BlockWriter::Codec {
  std::unique_ptr<ZSTD_CCtx, FreeContext> context{ZSTD_createCCtx()};
  int level = 1;
};

struct BlockReader::Codec {
  std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx()};
};

BlockWriter::BlockWriter(Pour pour) : pour_(std::move(pour)), codec_(std::make_unique<Codec>()) {}
BlockWriter::~BlockWriter() = default;
BlockWriter::BlockWriter(BlockWriter&&) noexcept = default;

void BlockWriter::set_level(int level) {
  codec_->level = level;
}

Result<void> BlockWriter::put(std::uint8_t kind, std::string_view body, Squeeze squeeze) {
  if (body.size() > kMaxBody) return Error{Errc::Internal, "a message too long", ""};
  const bool compress = squeeze == Squeeze::Yes && (codec_->level != kStored || weigh_);
  if (!compress && body.size() >= kWorthItself) return put_alone(kind, body);
  // What can be compressed is kept apart from what cannot.
  if (!plain_.empty() && body.size() >= kFullBlock && worth_it_ != compress) TRY(flush());
  std::array<char, kMessageHead> head{};
  head[0] = static_cast<char>(kind);
  put_u32(&head[1], body.size());
  plain_.append(head.data(), head.size());
  plain_ += body;
  worth_it_ = worth_it_ || compress;
  if (plain_.size() < kFullBlock) return {};
  return flush();
}

// A block of one message, without a copy of it.
Result<void> BlockWriter::put_alone(std::uint8_t kind, std::string_view body) {
  TRY(flush());
  std::array<char, kBlockHead + kMessageHead> head{};
  const std::size_t plain = kMessageHead + body.size();
  put_u32(&head[1], plain);
  put_u32(&head[5], plain);
  head[kBlockHead] = static_cast<char>(kind);
  put_u32(&head[kBlockHead + 1], body.size());
  plain_bytes_ += plain;
  stored_bytes_ += kBlockHead + plain;
  TRY(pour_({head.data(), head.size()}));
  return pour_(body);
}

Result<void> BlockWriter::flush() {
  if (plain_.empty()) return {};
  const bool compress = worth_it_ && plain_.size() >= kWorthCompressing;
  worth_it_ = false;
  return pour_block(compress);
}

// Into stored_, behind the room for its head. 0: it does not get smaller.
std::size_t BlockWriter::compress_block() {
  const int level = codec_->level == kStored ? 1 : codec_->level;
  const Duration before = processor_time();
  stored_.resize(kBlockHead + ZSTD_compressBound(plain_.size()));
  const std::size_t size =
      ZSTD_compressCCtx(codec_->context.get(), stored_.data() + kBlockHead,
                        stored_.size() - kBlockHead, plain_.data(), plain_.size(), level);
  if (ZSTD_isError(size) != 0) return 0;
  if (weigh_ && plain_.size() >= kWorthItself) {
    weighed_ = Weighed{plain_.size(), size, processor_time() - before};
    weigh_ = false;
  }
  return size < plain_.size() ? size : 0;
}

Result<void> BlockWriter::pour_block(bool compress) {
  const std::size_t size = compress ? compress_block() : 0;
  compress = size > 0;
  std::array<char, kBlockHead> head{};
  head[0] = compress ? 1 : 0;
  put_u32(&head[1], compress ? size : plain_.size());
  put_u32(&head[5], plain_.size());
  plain_bytes_ += plain_.size();
  if (compress) {
    std::memcpy(stored_.data(), head.data(), head.size());
    stored_bytes_ += kBlockHead + size;
    TRY(pour_(std::string_view(stored_).substr(0, kBlockHead + size)));
  } else {
    stored_bytes_ += kBlockHead + plain_.size();
    TRY(pour_({head.data(), head.size()}));
    TRY(pour_(plain_));
  }
  plain_.clear();
  return {};
}

BlockReader::BlockReader(Draw draw) : draw_(std::move(draw)), codec_(std::make_unique<Codec>()) {}
BlockReader::~BlockReader() = default;
BlockReader::BlockReader(BlockReader&&) noexcept = default;

Result<void> BlockReader::fill(char* buffer, std::size_t size) {
  while (size > 0) {
    TRY_ASSIGN(const std::size_t n, draw_(buffer, size));
    if (n == 0) return Error{Errc::LinkLost, "the stream of files has ended", ""};
    buffer += n;
    size -= n;
  }
  return {};
}

Result<void> BlockReader::read_block() {
  std::array<char, kBlockHead> head{};
  TRY(fill(head.data(), head.size()));
  const std::uint32_t stored = get_u32(&head[1]);
  const std::uint32_t plain = get_u32(&head[5]);
  if (head[0] != 0 && head[0] != 1) return broken("unknown codec");
  if (plain == 0 || plain > kMaxBlock || stored > plain) return broken("a block of wrong size");
  position_ = 0;
  if (head[0] == 0) {
    if (stored != plain) return broken("a block of wrong size");
    plain_.resize(plain);
    return fill(plain_.data(), plain);
  }
  stored_.resize(stored);
  plain_.clear();
  TRY(fill(stored_.data(), stored));
  plain_.resize(plain);
  const std::size_t size = ZSTD_decompressDCtx(codec_->context.get(), plain_.data(), plain,
                                               stored_.data(), stored_.size());
  if (ZSTD_isError(size) != 0 || size != plain) return broken("a block cannot be unpacked");
  return {};
}

Result<MessageView> BlockReader::next() {
  if (position_ >= plain_.size()) TRY(read_block());
  const std::string_view rest = std::string_view(plain_).substr(position_);
  if (rest.size() < kMessageHead) return broken("a message is cut off");
  const std::uint32_t size = get_u32(rest.data() + 1);
  if (size > rest.size() - kMessageHead) return broken("a message is cut off");
  position_ += kMessageHead + size;
  return MessageView{.kind = static_cast<std::uint8_t>(rest[0]),
                     .body = rest.substr(kMessageHead, size)};
}

}  // namespace yonder::tree
