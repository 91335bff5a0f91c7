#include <algorithm>

#include "base/utf8.h"
#include "cli/terminal_text.h"
#include "fuzz/target.h"

// Bytes of a far command on a person's terminal: of escape codes only colours and the erasing of a
// line are left.
namespace yonder::fuzz {
namespace {

std::string passed(std::string_view bytes, bool colours, std::size_t piece) {
  cli::TerminalText text(colours);
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    out += text.pass(bytes.substr(0, piece));
  }
  return out + text.finish();
}

// Behind an escape character there is "[", then what a number list is made of, then m or K.
void require_harmless(std::string_view out, bool colours) {
  require(is_utf8(out), "a terminal gets UTF-8");
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    const bool control =
        (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F;
    if (!control) continue;
    require(byte == 0x1B && out.substr(i + 1, 1) == "[", "no control character but a sequence");
    const std::size_t end = out.find_first_not_of("0123456789;:", i + 2);
    require(end != std::string_view::npos && (out[end] == 'K' || (colours && out[end] == 'm')),
            "no sequence but colours and the erasing of a line");
  }
}

void terminal(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t piece = 1 + pieces.byte();
  for (const bool colours : {true, false}) {
    const std::string out = passed(pieces.rest(), colours, ~std::size_t{0});
    require_harmless(out, colours);
    require(passed(pieces.rest(), colours, piece) == out, "where it is cut makes no difference");
  }
}

const Registered kTerminal("terminal", terminal);

}  // namespace
}  // namespace yonder::fuzz
