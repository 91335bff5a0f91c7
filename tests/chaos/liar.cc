#include "chaos/liar.h"

#include <sys/stat.h>

#include <limits>

#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "chaos/dice.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace yonder::chaos {
namespace {

constexpr int kVersions = 40;
constexpr int kFramesOfALie = 60;
// The first requests of a link have small numbers: some lies must hit a stream that is open.
constexpr int kStreams = 6;

std::string any_bytes(Dice& dice, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(dice.below(256));
  return bytes;
}

std::string number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::uint32_t extreme_number(Dice& dice) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  const std::vector<std::uint32_t> all{0, 1, kMost, kMost - 1, 1U << 31, 1U << 16, 65541};
  return dice.of(all);
}

std::string framed(std::uint8_t kind, std::uint32_t stream, const std::string& payload) {
  return number(static_cast<std::uint32_t>(payload.size() + 5)) + static_cast<char>(kind) +
         number(stream) + payload;
}

std::string a_message(Dice& dice) {
  switch (dice.below(3)) {
    case 0: return wire::encode(wire::Hello{.build = "b", .hostname = "h", .home = "/"});
    case 1:
      return "\xa3\x64"
             "code"
             "\x67timeout\x67message\x62\x1b[\x64hint\x60";
    default: return any_bytes(dice, dice.below(300));
  }
}

std::string a_payload(Dice& dice) {
  switch (dice.below(4)) {
    case 0: return number(extreme_number(dice));
    case 1: return any_bytes(dice, dice.below(2000));
    default: break;
  }
  std::string message = a_message(dice);
  if (!message.empty() && dice.one_in(2)) {
    message[dice.below(message.size())] = static_cast<char>(dice.below(256));
  }
  if (dice.one_in(4)) message.resize(dice.below(message.size() + 1));
  return message;
}

std::string a_frame(Dice& dice) {
  if (dice.one_in(25)) return number(extreme_number(dice)) + any_bytes(dice, dice.below(40));
  const auto kind = static_cast<std::uint8_t>(dice.between(1, dice.one_in(10) ? 255 : 11));
  const auto stream =
      dice.one_in(6) ? extreme_number(dice) : static_cast<std::uint32_t>(dice.below(kStreams));
  return framed(kind, stream, a_payload(dice));
}

std::string a_lie(Dice& dice) {
  std::string bytes;
  wire::append_message(bytes, wire::Kind::Reply, 0,
                       wire::encode(wire::Hello{.build = "b", .hostname = "h", .home = "/"}));
  const int frames = dice.between(1, kFramesOfALie);
  for (int i = 0; i < frames; ++i) bytes += a_frame(dice);
  return bytes;
}

// Like the boot script it answers, but for the words it says. Then it listens, or goes away.
std::string script_of(const std::string& directory) {
  return concat(
      "while read -r line; do case \"$line\" in n=*) nonce=${line#n=?}; nonce=${nonce%?};; "
      "'exit 0') break;; esac; done; read -r line\n"
      "printf '\\001YONDER-%s ready\\n' \"$nonce\"\n"
      "cat \"",
      directory, "/lie.$(($$ % ", kVersions,
      "))\"\n"
      "[ $(($$ % 3)) = 0 ] || exec cat 3>&1 >/dev/null\n");
}

}  // namespace

std::string make_liar(std::uint64_t seed, const std::string& directory) {
  Dice dice(seed);
  const auto write = [](const std::string& path, const std::string& text) {
    [[maybe_unused]] const auto written =
        write_file_atomically(path, text, Durability::Process).has_value();
    ::chmod(path.c_str(), 0644);
  };
  for (int i = 0; i < kVersions; ++i) write(concat(directory, "/lie.", i), a_lie(dice));
  write(directory + "/liar", script_of(directory));
  return ShellText("exec bash").arg(directory + "/liar").str();
}

}  // namespace yonder::chaos
