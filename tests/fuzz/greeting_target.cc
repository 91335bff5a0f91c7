#include <algorithm>

#include "base/text.h"
#include "fuzz/target.h"
#include "link/greeting.h"

// What a machine says before the first frame. 'N' in the input stands for the nonce, which the
// machine knows.
namespace yonder::fuzz {
namespace {

constexpr std::size_t kMostNoise = 8UL * 1024;
constexpr std::size_t kMostTried = 16;

std::string heard(std::string_view bytes, std::size_t piece) {
  link::GreetingReader reader("N");
  std::string events;
  while (true) {
    for (auto event = reader.next(); event.kind != link::GreetingReader::Kind::Nothing;
         event = reader.next()) {
      require_printable(event.need.system + event.need.machine, "what it needs can be shown");
      events += concat(static_cast<int>(event.kind), " ", event.need.system, " ",
                       event.need.machine, event.need.gzip ? " gzip\n" : "\n");
      if (event.kind == link::GreetingReader::Kind::Ready) return events + reader.take_rest();
    }
    if (bytes.empty()) break;
    reader.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  require(reader.noise().size() <= kMostNoise, "noise is bounded");
  require(reader.tried().size() <= kMostTried, "places that were tried are bounded");
  for (const auto& tried : reader.tried()) {
    require_printable(tried, "a place that was tried can be shown");
  }
  return events;
}

void greeting(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t piece = 1 + pieces.byte();
  // What comes after Ready are frames; how many bytes of them are here depends on the pieces.
  const std::string at_once = heard(pieces.rest(), ~std::size_t{0});
  const std::string bit_by_bit = heard(pieces.rest(), piece);
  require(at_once.starts_with(bit_by_bit), "where it is cut makes no difference");
}

const Registered kGreeting("greeting", greeting);

}  // namespace
}  // namespace yonder::fuzz
