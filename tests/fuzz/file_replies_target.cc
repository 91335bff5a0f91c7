#include <array>

#include "fuzz/again.h"
#include "wire/file_messages.h"
#include "wire/file_samples_test.h"

// What an outpost answers about files. The first byte says which.
namespace yonder::fuzz {
namespace {

template <auto kDecode>
void file_replies_as(std::string_view bytes) {
  same_again(bytes, kDecode, [](const auto& message) { return wire::encode(message); });
}

constexpr std::array kFileRepliesReaders{
    file_replies_as<wire::decode_file_list>,    file_replies_as<wire::decode_file_read>,
    file_replies_as<wire::decode_file_written>, file_replies_as<wire::decode_file_edit>,
    file_replies_as<wire::decode_file_search>,  file_replies_as<wire::decode_file_move>,
    file_replies_as<wire::decode_file_delete>,  file_replies_as<wire::decode_file_make_directory>,
    file_replies_as<wire::decode_file_trash>,   file_replies_as<wire::decode_file_restore>};

void file_replies(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t which = pieces.byte() % kFileRepliesReaders.size();
  kFileRepliesReaders.at(which)(pieces.rest());
}

std::vector<std::string> sample_file_replies() {
  std::vector<std::string> samples{
      wire::encode(wire::sample_file_listed()),  wire::encode(wire::sample_file_part()),
      wire::encode(wire::sample_written()),      wire::encode(wire::sample_edited()),
      wire::encode(wire::sample_found()),        wire::encode(wire::sample_moved()),
      wire::encode(wire::sample_deleted()),      wire::encode(wire::sample_made()),
      wire::encode(wire::sample_trash_listed()), wire::encode(wire::sample_restored())};
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].insert(0, 1, static_cast<char>(i));
  return samples;
}

const Registered kFileReplies("file_replies", file_replies, sample_file_replies);

}  // namespace
}  // namespace yonder::fuzz
