#include <array>

#include "fuzz/again.h"
#include "wire/messages.h"
#include "wire/samples_test.h"

// The files of a run and of GPU claims: other builds, and other users, write them. The first byte
// says which.
namespace yonder::fuzz {
namespace {

template <auto kDecode>
void records_as(std::string_view bytes) {
  same_again(bytes, kDecode, [](const auto& message) { return wire::encode(message); });
}

constexpr std::array kRecordsReaders{
    records_as<wire::decode_spec>, records_as<wire::decode_exit>, records_as<wire::decode_alive>,
    records_as<wire::decode_waiting>, records_as<wire::decode_claim>};

void records(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t which = pieces.byte() % kRecordsReaders.size();
  kRecordsReaders.at(which)(pieces.rest());
}

std::vector<std::string> sample_records() {
  std::vector<std::string> samples{
      wire::encode(wire::sample_start()), wire::encode(wire::sample_exit()),
      wire::encode(wire::sample_alive()), wire::encode(wire::sample_waiting()),
      wire::encode(wire::sample_claim())};
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].insert(0, 1, static_cast<char>(i));
  return samples;
}

const Registered kRecords("records", records, sample_records);

}  // namespace
}  // namespace yonder::fuzz
