#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace yonder::fuzz {

// Breaks bytes, always in the same way for the same seed.
class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  // `other`: a good one, of which a part may be put in.
  std::string mutate(std::string bytes, const std::string& other) {
    for (std::size_t left = 1 + below(4); left > 0; --left) change(bytes, other);
    return bytes;
  }

 private:
  void change(std::string& bytes, const std::string& other) {
    const std::size_t at = below(bytes.size());
    switch (below(8)) {
      case 0: bytes.insert(at, 1, some_byte()); break;
      case 1: bytes.erase(at, 1 + below(4)); break;
      case 2: bytes.resize(at); break;
      case 3: bytes.insert(at, bytes.substr(below(bytes.size()), below(32))); break;
      case 4: bytes.insert(at, other.substr(below(other.size()), below(64))); break;
      case 5: bytes.insert(at, below(300), some_byte()); break;
      case 6:
        if (!bytes.empty()) bytes[at] = some_byte();
        break;
      default:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    }
  }

  // Those that mean something in most formats come more often.
  char some_byte() {
    using namespace std::string_view_literals;
    constexpr std::string_view kTelling = "\0\xFF\x7F\x80\n\r\t \"'\\/.,:;-{}[]()=09aA\x1b\x01"sv;
    return below(2) == 0 ? kTelling[below(kTelling.size())] : static_cast<char>(below(256));
  }

  std::mt19937 random_;
};

}  // namespace yonder::fuzz
