#include <algorithm>

#include "fuzz/target.h"
#include "tree/stream.h"

// Blocks of messages, compressed or not: what was read is written, and read again.
namespace yonder::fuzz {
namespace {

using Messages = std::vector<std::pair<std::uint8_t, std::string>>;

constexpr std::size_t kEnough = 4 * tree::kMaxBlock;

tree::Draw drawn_from(std::string_view& bytes, std::size_t piece) {
  return [&bytes, piece](char* buffer, std::size_t size) -> Result<std::size_t> {
    const std::size_t n = std::min({size, bytes.size(), piece});
    std::copy_n(bytes.begin(), n, buffer);
    bytes.remove_prefix(n);
    return n;
  };
}

Messages read_blocks(std::string_view bytes, std::size_t piece) {
  Messages messages;
  tree::BlockReader reader(drawn_from(bytes, piece));
  std::size_t size = 0;
  for (auto next = reader.next(); next && size < kEnough; next = reader.next()) {
    require(next->body.size() <= tree::kMaxBody, "no message is larger than allowed");
    messages.emplace_back(next->kind, next->body);
    size += next->body.size() + 1;
  }
  return messages;
}

std::string write_blocks(const Messages& messages, int level) {
  std::string bytes;
  tree::BlockWriter writer([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  writer.set_level(level);
  for (const auto& [kind, body] : messages) {
    require(writer.put(kind, body).has_value(), "a message is written");
  }
  require(writer.flush().has_value(), "all is written");
  return bytes;
}

void blocks(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t piece = 1 + pieces.byte();
  const Messages messages = read_blocks(pieces.rest(), piece);
  require(messages == read_blocks(pieces.rest(), ~std::size_t{0}),
          "where it is cut is all the same");
  const std::string again = write_blocks(messages, messages.size() % 2 == 0 ? 1 : tree::kStored);
  require(read_blocks(again, piece) == messages, "messages are read as what they were");
}

std::vector<std::string> sample_blocks() {
  const Messages messages{{1, "a"}, {2, ""}, {3, std::string(3000, 'x')}, {255, "end"}};
  return {"\x10" + write_blocks(messages, tree::kStored), "\x02" + write_blocks(messages, 3)};
}

const Registered kBlocks("blocks", blocks, sample_blocks);

}  // namespace
}  // namespace yonder::fuzz
