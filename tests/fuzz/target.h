#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::fuzz {

// A format whose bytes come from the other side. A target reads them as the program does, and
// requires what must be so whatever they are.
struct Target {
  std::string name;
  void (*look)(std::string_view bytes);
  // Whole ones, made by our own encoders: always those of this build. May be null.
  std::vector<std::string> (*samples)();
};
// GoogleTest's way to name one.
inline void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

// Makes a target known to the program that it is linked into. One in each *_target.cc.
class Registered {
 public:
  Registered(std::string name, void (*look)(std::string_view bytes),
             std::vector<std::string> (*samples)() = nullptr);
};
const std::vector<Target>& targets();

// Throws when it is not so.
void require(bool so, const char* promise);

// What people and models get to see: UTF-8 without control characters, on one line.
void require_printable(std::string_view text, const char* what);

// The parts of an input that stands for several things at once.
class Pieces {
 public:
  explicit Pieces(std::string_view bytes) : rest_(bytes) {}
  // 0 at the end.
  std::size_t byte();
  // Up to the next 0xFF, which is in no text, or to the end.
  std::string_view piece();
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};
// As piece() takes them apart.
std::string in_pieces(const std::vector<std::string>& pieces);

}  // namespace yonder::fuzz
