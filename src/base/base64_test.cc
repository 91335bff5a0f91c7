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

}  // namespace
}  // namespace yonder
