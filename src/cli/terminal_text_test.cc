#include "cli/terminal_text.h"

#include <gtest/gtest.h>

namespace yonder::cli {
namespace {

std::string shown(std::string_view bytes, bool colours = true) {
  TerminalText text(colours);
  std::string out = text.pass(bytes);
  return out + text.finish();
}

TEST(TerminalText, KeepsTextColoursAndProgressBars) {
  EXPECT_EQ(shown("a\tb\r\nä€😀\n"), "a\tb\r\nä€😀\n");
  EXPECT_EQ(shown("\x1b[1;31mred\x1b[0m"), "\x1b[1;31mred\x1b[0m");
  EXPECT_EQ(shown("\x1b[38:2:1:2:3mx\x1b[m"), "\x1b[38:2:1:2:3mx\x1b[m");
  EXPECT_EQ(shown("10%\r\x1b[K20%"), "10%\r\x1b[K20%");
}

TEST(TerminalText, GivesTheTerminalItsOwnColoursBack) {
  EXPECT_EQ(shown("\x1b[31mred"), "\x1b[31mred\x1b[0m");
}

TEST(TerminalText, ShowsNoColoursWhereNoneAreWanted) {
  EXPECT_EQ(shown("\x1b[31mred\x1b[0m", false), "red");
}

TEST(TerminalText, DropsWhatATerminalWouldObey) {
  EXPECT_EQ(shown("a\x1b[2Jb\x1b[10;10Hc\x1b[6nd"), "abcd");
  EXPECT_EQ(shown("a\x1b]0;title\x07"
                  "b\x1b]52;c;cm0=\x1b\\c"),
            "abc");
  EXPECT_EQ(shown("a\x1bP1$r\x1b\\b\x1b^x\x1b\\c\x1b_x\x1b\\d"), "abcd");
  EXPECT_EQ(shown("a\x1b"
                  "cb\x1b(0c\x1b#8d"),
            "abcd");
  EXPECT_EQ(shown("a\x1b[>4;1mb\x1b[?25hc\x1b[1$mx"), "abcx");
  EXPECT_EQ(shown(std::string_view("a\0\x07\x08\x7f\x0e"
                                   "b",
                                   7)),
            "ab");
}

TEST(TerminalText, DropsControlCharactersOfEightBits) {
  EXPECT_EQ(shown("a\xC2\x9B"
                  "2Jb"),
            "a2Jb");
  EXPECT_EQ(shown("a\x9B"
                  "2Jb"),
            "a\xEF\xBF\xBD"
            "2Jb");
}

TEST(TerminalText, ReplacesWhatIsNoText) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(shown("\xFF\xC0x"), bad + bad + "x");
  EXPECT_EQ(shown("\xE2\x82x"), bad + "x");
  EXPECT_EQ(shown("\xE2\x82"), bad);
  EXPECT_EQ(shown("\xC3\x1b[2Jx"), bad + "x");
  EXPECT_EQ(shown("\xED\xA0\x80"), bad + bad + bad);
}

TEST(TerminalText, IsTheSameHoweverTheBytesAreCut) {
  const std::string bytes =
      "ä€😀\x1b[1;31mred\x1b[0m\x1b[2J\x1b]0;t\x1b\\x\x1b(0y\xC2\x9bz\x1b[K\xE2\x82q\x1b]8;;"
      "u\ntail\n";
  const std::string whole = shown(bytes);
  TerminalText text(true);
  std::string pieces;
  for (const char byte : bytes) pieces += text.pass(std::string_view(&byte, 1));
  EXPECT_EQ(pieces + text.finish(), whole);
}

TEST(TerminalText, LosesNoLineToASequenceWithoutAnEnd) {
  EXPECT_EQ(shown("\x1b]0;never ends\nnext"), "\nnext");
  EXPECT_EQ(shown("\x1b[12\nnext"), "\nnext");
  EXPECT_EQ(shown("\x1b\nnext"), "\nnext");
  EXPECT_EQ(shown("\x1b[" + std::string(5000, '1') + "mx"), "x");
}

}  // namespace
}  // namespace yonder::cli
