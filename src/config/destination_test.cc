#include "config/destination.h"

#include <gtest/gtest.h>

namespace yonder::config {
namespace {

struct Good {
  const char* text;
  const char* user;
  const char* host;
  int port;
  const char* name;
};

TEST(Destination, ParsesEverySpellingAndHasOneNameForAMachine) {
  const Good table[] = {
      {"me@gpu1", "me", "gpu1", 0, "me@gpu1"},
      {"me@gpu1:2222", "me", "gpu1", 2222, "me@gpu1:2222"},
      {"ssh://me@gpu1:2222", "me", "gpu1", 2222, "me@gpu1:2222"},
      {"ssh://gpu1", "", "gpu1", 0, "ssh://gpu1"},
      {"ssh://gpu1/", "", "gpu1", 0, "ssh://gpu1"},
      {"ssh://gpu1:22", "", "gpu1", 22, "ssh://gpu1:22"},
      {"me@[::1]:22", "me", "::1", 22, "me@[::1]:22"},
      {"me@[::1]", "me", "::1", 0, "me@[::1]"},
      {"[::1]", "", "::1", 0, "ssh://[::1]"},
      {"me@fe80::1%eth0", "me", "fe80::1%eth0", 0, "me@[fe80::1%eth0]"},
      {"ssh://[2001:db8::1]:22", "", "2001:db8::1", 22, "ssh://[2001:db8::1]:22"},
      {"me@domain@gpu1", "me@domain", "gpu1", 0, "me@domain@gpu1"},
  };
  for (const auto& row : table) {
    ASSERT_TRUE(looks_like_destination(row.text)) << row.text;
    const auto parsed = parse_destination(row.text, "it");
    ASSERT_TRUE(parsed) << row.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->user, row.user) << row.text;
    EXPECT_EQ(parsed->host, row.host) << row.text;
    EXPECT_EQ(parsed->port, row.port) << row.text;
    EXPECT_EQ(destination_name(*parsed), row.name) << row.text;
    const auto again = parse_destination(row.name, "it");
    ASSERT_TRUE(again) << row.name;
    EXPECT_EQ(destination_name(*again), row.name);
  }
}

TEST(Destination, RefusesWhatIsMalformedOrDangerous) {
  for (const char* text :
       {"me@", "@gpu1", "ssh://", "ssh:///", "me@-oProxyCommand=x", "-l@gpu1",
        "me@gpu1:", "me@gpu1:0", "me@gpu1:65536", "me@gpu1:ssh", "me@[::1", "me@[::1]22", "me@[]",
        "me@$(x)", "m;e@gpu1", "me@gpu1 -x", "ssh://gpu1/path", "me@gpu1\n"}) {
    const auto parsed = parse_destination(text, "it");
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::InvalidArgument) << text;
  }
}

TEST(Destination, IsNotSeenInAPlainName) {
  for (const char* text : {"gpu1", "10.0.0.5", "gpu1:22", "::1", ""}) {
    EXPECT_FALSE(looks_like_destination(text)) << text;
  }
}

}  // namespace
}  // namespace yonder::config
