#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::link {

// Reads what the far side says before the first frame. Pure: bytes in, events out.
class GreetingReader {
 public:
  explicit GreetingReader(const std::string& nonce);

  struct Need {
    std::string system;
    std::string machine;
    bool gzip = false;
  };
  enum class Kind { Nothing, Ready, Need, Failed };
  struct Event {
    Kind kind = Kind::Nothing;
    Need need;
  };

  void feed(std::string_view bytes) { waiting_ += bytes; }
  // Nothing: more bytes are needed.
  Event next();

  // What came before and between the lines that we understand: motd, noisy start-up files.
  const std::string& noise() const { return noise_; }
  // "directory: reason" for each place that did not work.
  const std::vector<std::string>& tried() const { return tried_; }
  // After Ready: the bytes that already belong to the frames.
  std::string take_rest() { return std::move(waiting_); }

 private:
  Event parse_line(std::string_view line);

  std::string marker_;
  std::string waiting_;
  std::string noise_;
  std::vector<std::string> tried_;
};

}  // namespace yonder::link
