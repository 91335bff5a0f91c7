#include "base/user_name.h"

#include <gtest/gtest.h>

namespace yonder {
namespace {

constexpr std::string_view kPasswd =
    "root:x:0:0:root:/root:/bin/sh\n"
    "\n"
    "# no colons here\n"
    ":x:7:7::/:/bin/sh\n"
    "short:x\n"
    "anna:x:1000:1000:Anna:/home/anna:/bin/sh\n"
    "other:x:10001:1000::/:/bin/sh\n"
    "odd\x1b[31m:x:1001:1::/:/bin/sh";

TEST(UserName, IsFoundByTheWholeNumber) {
  EXPECT_EQ(name_in_passwd(kPasswd, 0), "root");
  EXPECT_EQ(name_in_passwd(kPasswd, 1000), "anna");
  EXPECT_EQ(name_in_passwd(kPasswd, 10001), "other");
}

TEST(UserName, IsEmptyForWhoIsNotInTheFile) {
  EXPECT_EQ(name_in_passwd(kPasswd, 100), "");
  EXPECT_EQ(name_in_passwd(kPasswd, 7), "");
  EXPECT_EQ(name_in_passwd("", 0), "");
}

TEST(UserName, CarriesNoEscapeCodes) {
  EXPECT_EQ(name_in_passwd(kPasswd, 1001), "odd\\x1b[31m");
}

TEST(UserName, IsTheNumberWhereNoNameIsKnown) {
  EXPECT_EQ(user_name(4123456789U), "4123456789");
  EXPECT_EQ(user_name(0), "root");
}

}  // namespace
}  // namespace yonder
