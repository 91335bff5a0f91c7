#include <array>

#include "fuzz/again.h"
#include "wire/messages.h"
#include "wire/samples_test.h"

// What an outpost answers. The first byte says which.
namespace yonder::fuzz {
namespace {

template <auto kDecode>
void replies_as(std::string_view bytes) {
  same_again(bytes, kDecode, [](const auto& message) { return wire::encode(message); });
}

// An error is always read as one.
void replies_as_error(std::string_view bytes) {
  const Error error = wire::decode_error(bytes);
  const Error again = wire::decode_error(wire::encode(error));
  require(again.code == error.code && again.message == error.message && again.hint == error.hint,
          "an error is decoded as what it was");
}

constexpr std::array kRepliesReaders{
    replies_as<wire::decode_hello>,     replies_as<wire::decode_facts>,
    replies_as<wire::decode_probe>,     replies_as<wire::decode_started>,
    replies_as<wire::decode_log>,       replies_as<wire::decode_list>,
    replies_as<wire::decode_resources>, replies_as_error};

void replies(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t which = pieces.byte() % kRepliesReaders.size();
  kRepliesReaders.at(which)(pieces.rest());
}

std::vector<std::string> sample_replies() {
  std::vector<std::string> samples{
      wire::encode(wire::sample_hello()),         wire::encode(wire::sample_facts()),
      wire::encode(wire::sample_probe()),         wire::encode(wire::sample_started()),
      wire::encode(wire::sample_log()),           wire::encode(wire::sample_listed()),
      wire::encode(wire::sample_machine_facts()), wire::encode(wire::sample_error())};
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].insert(0, 1, static_cast<char>(i));
  return samples;
}

const Registered kReplies("replies", replies, sample_replies);

}  // namespace
}  // namespace yonder::fuzz
