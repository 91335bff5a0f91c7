#include "base/base64.h"

#include <gtest/gtest.h>

namespace yonder {
namespace {

TEST(Base64, IsAsTheStandardHasIt) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64(std::string_view("\0\xff\x10", 3)), "AP8Q");
}

TEST(Base64, ComesBack) {
  for (const std::string& bytes : {std::string(), std::string("a"), std::string("ab"),
                                   std::string("abc"), std::string("\0\xff\x80", 3)}) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
  EXPECT_EQ(from_base64("YWJj\nZA"), "abcd");
  for (const char* bad : {"a", "YQ==YQ", "Y*==", "====", "YWJjZ"}) {
    EXPECT_FALSE(from_base64(bad)) << bad;
  }
}

}  // namespace
}  // namespace yonder
