#include "config/address.h"

#include <gtest/gtest.h>

#include "config/home_path.h"

namespace yonder::config {
namespace {

TEST(CheckName, AcceptsWhatPeopleCallTheirMachines) {
  for (const char* name : {"gpu1", "GPU_1", "10.0.0.5", "me@host", "me@host:22", "::1",
                           "fe80::1%eth0", "a+b", "x", "_x"}) {
    EXPECT_TRUE(check_name(name, "name")) << name;
  }
}

TEST(CheckName, RefusesWhatCannotStandInAPathOrACommandLine) {
  for (const char* name :
       {"", "-x", ".", "..", ".hidden", "a b", "a/b", "a'b", "a$b", "a\nb", "ä", "a\x7f", "auto"}) {
    EXPECT_FALSE(check_name(name, "name")) << name;
  }
  EXPECT_FALSE(check_name(std::string(129, 'a'), "name"));
}

TEST(CheckHost, RefusesOptionsAndShellText) {
  for (const char* host : {"", "-oProxyCommand=x", "a b", "a\tb", "a\nb", "$(x)", "`x`", "a;b",
                           "a|b", "a&b", "a'b", "a\"b", "a\\b", "a/b", "me@host", "{a}", "a<b"}) {
    EXPECT_FALSE(check_host(host, "host")) << host;
  }
  for (const char* host : {"gpu1", "a.b.c", "::1", "fe80::1%eth0", "münchen.example", "a_b"}) {
    EXPECT_TRUE(check_host(host, "host")) << host;
  }
}

TEST(CheckHost, SaysWhereTheUserBelongs) {
  const auto checked = check_host("me@gpu1", "\"host\"");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "\"host\" must be a host alone, without a user");
  EXPECT_EQ(checked.error().hint, "write \"gpu1\" there, and the user in its own setting");
}

TEST(CheckUser, AcceptsDomainsAndRefusesOptions) {
  for (const char* user : {"me", "DOMAIN\\me", "me@domain", "machine$", "a.b-c_d"}) {
    EXPECT_TRUE(check_user(user, "user")) << user;
  }
  for (const char* user : {"", "-l", "a b", "a\n", "a;b", "$(x)", "me\\", "a/b", "`x`"}) {
    EXPECT_FALSE(check_user(user, "user")) << user;
  }
}

TEST(ParsePort, AcceptsDigitsInRangeOnly) {
  EXPECT_EQ(parse_port("1"), 1);
  EXPECT_EQ(parse_port("22"), 22);
  EXPECT_EQ(parse_port("65535"), 65535);
  for (const char* text :
       {"", "0", "65536", "-1", "+22", " 22", "22 ", "2 2", "0x16", "99999999999"}) {
    EXPECT_EQ(parse_port(text), std::nullopt) << text;
  }
}

TEST(KeyFilePath, IsAbsoluteOrBelowHome) {
  EXPECT_EQ(*key_file_path("~/.ssh/my key", "/home/me", "key"), "/home/me/.ssh/my key");
  EXPECT_EQ(*key_file_path("/keys/100%", "/home/me", "key"), "/keys/100%");
  for (const char* path : {"", "key", "./key", "~other/key", "/a\nb", "-i"}) {
    EXPECT_FALSE(key_file_path(path, "/home/me", "key")) << path;
  }
}

TEST(ShowPath, AbbreviatesOnlyTheOwnHome) {
  EXPECT_EQ(show_path("/home/me/.ssh/config", "/home/me"), "~/.ssh/config");
  EXPECT_EQ(show_path("/home/meg/x", "/home/me"), "/home/meg/x");
  EXPECT_EQ(show_path("/etc/x", ""), "/etc/x");
  EXPECT_EQ(expand_home("~", "/home/me"), "/home/me");
  EXPECT_EQ(expand_home("~/x", ""), "~/x");
}

}  // namespace
}  // namespace yonder::config
