#include "base/clean_text.h"

#include <gtest/gtest.h>

namespace yonder {
namespace {

const std::string kMissing = "\xEF\xBF\xBD";

TEST(HeadTail, KeepsBothEndsAndCountsWhatItDropped) {
  HeadTail buffer(3, 3);
  buffer.append("aaaXXXXX");
  buffer.append("bbb");
  EXPECT_EQ(buffer.head(), "aaa");
  EXPECT_EQ(buffer.tail(), "bbb");
  EXPECT_EQ(buffer.left_out(), 5U);
  EXPECT_EQ(buffer.total(), 11U);
  EXPECT_EQ(clean_text(buffer).text, "aaa\n[... 5 bytes left out ...]\nbbb");
}

TEST(HeadTail, KeepsTheSameHoweverTheBytesArrive) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>('a' + i % 26);
  for (std::size_t limit = 0; limit <= 320; limit += 40) {
    HeadTail at_once(limit, limit);
    HeadTail one_by_one(limit, limit);
    at_once.append(bytes);
    for (const char c : bytes) one_by_one.append({&c, 1});
    EXPECT_EQ(at_once.head(), one_by_one.head());
    EXPECT_EQ(at_once.tail(), one_by_one.tail());
    EXPECT_EQ(at_once.truncated(), limit * 2 < bytes.size());
    EXPECT_TRUE(at_once.truncated() || at_once.head() + at_once.tail() == bytes);
  }
}

TEST(HeadTail, CountsWhatTheSenderLeftOut) {
  HeadTail buffer(4, 4);
  buffer.append("ab");
  buffer.skip(1000);
  buffer.append("yz");
  buffer.skip(0);
  EXPECT_EQ(buffer.head(), "ab");
  EXPECT_EQ(buffer.tail(), "yz");
  EXPECT_EQ(buffer.left_out(), 1000U);
}

TEST(HeadTail, MayKeepNothing) {
  HeadTail buffer(0, 0);
  buffer.append("abc");
  EXPECT_EQ(buffer.left_out(), 3U);
  EXPECT_EQ(clean_text(buffer).text, "[... 3 bytes left out ...]\n");
}

TEST(CleanText, TakesEscapeSequencesOutAndKeepsTheText) {
  struct Row {
    std::string in, out;
  };
  for (const auto& [in, out] :
       std::vector<Row>{{"a\x1b[31mred\x1b[0mb", "aredb"},
                        {"\x1b[2K\x1b[1;1Hx", "x"},
                        {"\x1b[38:2:1:2:3mx", "x"},
                        {"\x1b]0;title\x07x", "x"},
                        {"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"},
                        {"\x1bPdevice\x1b\\x", "x"},
                        {"\x1b_app\x1b\\x", "x"},
                        {"\x1b(Bx", "x"},
                        {"\x1b=x\x1b>y\x1b"
                         "7z",
                         "xyz"},
                        {"x\x1b", "x"},
                        {"x\x1b[", "x"},
                        {"x\x1b[31", "x"},
                        {"x\x1b]0;never closed", "x"},
                        {"\x1b]0;unclosed\nnext", "\nnext"},
                        {"\x1b[31\nnext", "\nnext"},
                        {"\x1b[\xC3\xA4", "\xC3\xA4"},
                        {"\x1b\xC3\xA4", "\xC3\xA4"},
                        {"\x1b\x1b[31mx", "x"},
                        {"a\bb\x07"
                         "c\x7f",
                         "abc"},
                        {"a\tb\r\nc", "a\tb\nc"},
                        {"10%\r50%\r100%\ndone", "100%\ndone"},
                        {"10%\r50%\r", "50%"}}) {
    EXPECT_EQ(clean_text(in).text, out) << in;
    EXPECT_FALSE(clean_text(in).binary) << in;
  }
}

TEST(CleanText, ReplacesWhatIsNotUtf8) {
  struct Row {
    std::string in, out;
  };
  for (const auto& [in, out] : std::vector<Row>{
           {"\x80", kMissing},
           {"\xC3", kMissing},
           {"\xC3(", kMissing + "("},
           {"\xC0\xAF", kMissing + kMissing},                                // overlong
           {"\xE0\x80\x80", kMissing + kMissing + kMissing},                 // overlong
           {"\xED\xA0\x80", kMissing + kMissing + kMissing},                 // surrogate
           {"\xF0\x80\x80\x80", kMissing + kMissing + kMissing + kMissing},  // overlong
           {"\xF4\x90\x80\x80", kMissing + kMissing + kMissing + kMissing},  // above U+10FFFF
           {"\xF5", kMissing},
           {"\xFF\xFE", kMissing + kMissing},
           {"\xE2\x82", kMissing + kMissing}}) {
    EXPECT_EQ(clean_text(in).text, out);
    EXPECT_TRUE(clean_text(in).binary);
  }
  for (const std::string good :
       {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xEF\xBF\xBD", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(clean_text(good).text, good);
    EXPECT_FALSE(clean_text(good).binary);
  }
}

TEST(CleanText, LeavesOutNulsAndC1Controls) {
  EXPECT_EQ(clean_text(std::string("a\0b", 3)).text, "ab");
  EXPECT_TRUE(clean_text(std::string("a\0b", 3)).binary);
  EXPECT_EQ(clean_text("a\xC2\x9B"
                       "31mb")
                .text,
            "a31mb");
  EXPECT_FALSE(clean_text("\xC2\x85").binary);
  EXPECT_EQ(clean_text("\xC2\xA0").text, "\xC2\xA0");
}

TEST(CleanText, DoesNotTakeACutCharacterForABinary) {
  const std::string euro = "\xE2\x82\xAC";
  for (std::size_t head = 0; head <= 6; ++head) {
    for (std::size_t tail = 0; tail <= 6; ++tail) {
      HeadTail buffer(head, tail);
      for (int i = 0; i < 20; ++i) buffer.append(euro);
      const auto clean = clean_text(buffer);
      EXPECT_FALSE(clean.binary) << head << " " << tail;
      EXPECT_EQ(clean.text.find(kMissing), std::string::npos);
    }
  }
}

TEST(CleanText, JoinsACharacterOverTheBorderWhenNothingIsMissing) {
  HeadTail buffer(2, 10);
  buffer.append(
      "a\xE2\x82\xAC"
      "b");
  EXPECT_EQ(clean_text(buffer).text,
            "a\xE2\x82\xAC"
            "b");
}

TEST(Printable, ShowsEverythingOnOneLine) {
  EXPECT_EQ(printable("plain \xC3\xA4"), "plain \xC3\xA4");
  EXPECT_EQ(printable("a\nb\x1b[0m\x7f"), "a\\x0ab\\x1b[0m\\x7f");
  EXPECT_EQ(printable(std::string("\0\xff", 2)), "\\x00\\xff");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");
  EXPECT_EQ(printable(""), "");
}

}  // namespace
}  // namespace yonder
