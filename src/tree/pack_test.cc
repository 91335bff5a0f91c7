#include "tree/pack.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace yonder::tree {
namespace {

TEST(Pack, NumbersAndTextsComeBack) {
  const std::vector<std::uint64_t> numbers{0, 1, 127, 128, 16383, 16384, 1ULL << 62U, ~0ULL};
  const std::vector<std::int64_t> integers{0,
                                           -1,
                                           1,
                                           -64,
                                           64,
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max()};
  Packer out;
  for (const auto n : numbers) out.number(n);
  for (const auto n : integers) out.integer(n);
  out.text("").text(std::string_view("a\0b", 3)).flag(true).flag(false);
  Unpacker in(out.bytes());
  for (const auto n : numbers) EXPECT_EQ(in.number(), n);
  for (const auto n : integers) EXPECT_EQ(in.integer(), n);
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.text(), std::string_view("a\0b", 3));
  EXPECT_TRUE(in.flag());
  EXPECT_FALSE(in.flag());
  EXPECT_TRUE(in.done());
}

TEST(Pack, EveryTruncatedListIsAnError) {
  const std::string whole = Packer().number(~0ULL).text("abc").integer(-1000000).take();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Unpacker in(std::string_view(whole).substr(0, size));
    in.number();
    in.text();
    in.integer();
    EXPECT_FALSE(in.ok()) << size;
  }
}

TEST(Pack, NumbersOfMoreThan64BitsAreAnError) {
  for (const std::string& bytes : {std::string(10, '\xff'), std::string(9, '\xff') + '\x02'}) {
    Unpacker in(bytes);
    EXPECT_EQ(in.number(), 0U);
    EXPECT_FALSE(in.ok());
  }
}

TEST(Pack, AfterAMistakeEverythingIsEmpty) {
  const std::string bytes = Packer().number(1000).take() + "short";
  Unpacker in(bytes);
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.number(), 0U);
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.empty());
  EXPECT_FALSE(in.done());
}

TEST(Pack, RandomBytesNeverReadBeyondTheEnd) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    Unpacker in(bytes);
    while (in.ok() && !in.empty()) (random() % 2 == 0) ? (void)in.text() : (void)in.integer();
  }
}

}  // namespace
}  // namespace yonder::tree
