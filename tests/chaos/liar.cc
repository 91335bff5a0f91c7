#include "chaos/liar.h"

#include <sys/stat.h>

#include <limits>

#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "chaos/dice.h"
#include "chaos/lies.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace yonder::chaos {
namespace {

constexpr int kVersions = 40;
constexpr int kFramesOfALie = 60;
constexpr int kFramesOfAFlood = 40;
// The first requests of a link have small numbers: some lies must hit a stream that is open.
constexpr int kStreams = 6;

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

std::string a_payload(Dice& dice) {
  switch (dice.below(6)) {
    case 0: return number(extreme_number(dice));
    case 1: return any_bytes(dice, dice.below(2000));
    default: return a_false_message(dice);
  }
}

std::uint32_t some_stream(Dice& dice) {
  return dice.one_in(6) ? extreme_number(dice) : static_cast<std::uint32_t>(dice.below(kStreams));
}

// A reply that never comes to its end, or more data than anybody has given credit for.
std::string a_flood(Dice& dice) {
  std::string bytes;
  const auto stream = some_stream(dice);
  const bool parts = dice.one_in(2);
  const std::string piece(wire::kMaxDataBytes, 'x');
  const int frames = dice.between(2, kFramesOfAFlood);
  for (int i = 0; i < frames; ++i) {
    if (parts) {
      wire::append_frame(bytes, wire::Kind::Part, stream, piece);
    } else {
      const auto offset = static_cast<std::uint64_t>(i) * piece.size();
      wire::append_data(bytes, stream, {.channel = wire::Channel::Out, .offset = offset}, piece);
    }
  }
  return bytes;
}

std::string a_tree_on_a_stream(Dice& dice) {
  std::string bytes;
  wire::append_data(bytes, some_stream(dice), {.channel = wire::Channel::Out}, a_false_tree(dice));
  return bytes;
}

std::string a_frame(Dice& dice) {
  if (dice.one_in(25)) return number(extreme_number(dice)) + any_bytes(dice, dice.below(40));
  if (dice.one_in(40)) return a_flood(dice);
  if (dice.one_in(10)) return a_tree_on_a_stream(dice);
  if (dice.one_in(2)) {  // what an outpost would send, but for what it says
    std::string bytes;
    wire::append_message(bytes, wire::Kind::Reply, some_stream(dice), a_false_message(dice));
    return bytes;
  }
  const auto kind = static_cast<std::uint8_t>(dice.between(1, dice.one_in(10) ? 255 : 11));
  return framed(kind, some_stream(dice), a_payload(dice));
}

std::string a_hello(Dice& dice) {
  std::string bytes;
  wire::append_message(bytes, wire::Kind::Reply, 0,
                       dice.one_in(8)
                           ? a_false_message(dice)
                           : wire::encode(wire::Hello{.build = "b", .hostname = "h", .home = "/"}));
  return bytes;
}

std::string a_lie(Dice& dice) {
  std::string bytes;
  const int frames = dice.between(1, kFramesOfALie);
  for (int i = 0; i < frames; ++i) bytes += a_frame(dice);
  return bytes;
}

// Like the boot script it answers, but for the words it says. It lies at once, or when it is asked
// for something; then it listens, or goes away.
std::string script_of(const std::string& directory) {
  return concat(
      "while read -r line; do case \"$line\" in n=*) nonce=${line#n=?}; nonce=${nonce%?};; "
      "'exit 0') break;; esac; done; read -r line\n"
      "version=$(($$ % ",
      kVersions,
      "))\n"
      "case $(($$ % 11)) in\n"
      "0) printf '\\001YONDER-%s tried \\033[2J/x: y\\n' \"$nonce\";;\n"
      "1) printf '\\001YONDER-%s need Plan9 \\033[2J 1\\n' \"$nonce\";;\n"
      "2) head -c 300000 /dev/urandom;;\n"
      "esac\n"
      "printf '\\001YONDER-%s ready\\n' \"$nonce\"\n"
      "cat \"",
      directory, "/hello.$version\"\n[ $(($$ % 2)) = 0 ] || head -c 9 >/dev/null\ncat \"",
      directory,
      "/lie.$version\"\n"
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
  for (int i = 0; i < kVersions; ++i) {
    write(concat(directory, "/hello.", i), a_hello(dice));
    write(concat(directory, "/lie.", i), a_lie(dice));
  }
  write(directory + "/liar", script_of(directory));
  return ShellText("exec bash").arg(directory + "/liar").str();
}

}  // namespace yonder::chaos
