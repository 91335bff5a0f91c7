#include "config/config_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config_toml.h"

namespace yonder::config {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText = R"(# My machines.

[sandbox.gpu1]   # the fast one
host = "gpu1"
labels = [
  "a",
  # a label
  "b",
]

# In the lab.
[sandbox."lab.one"]
host = 'lab'

[sync]
allow = ["~/work"]
# the end
)";

SandboxSpec spec(const std::string& name, const std::string& host) {
  SandboxSpec spec;
  spec.name = name;
  spec.host = host;
  return spec;
}

TEST(ConfigEdit, SetsTheActiveSandboxAndKeepsEveryOtherByte) {
  const auto first = with_active(kText, "gpu1");
  ASSERT_TRUE(first) << first.error().message;
  const std::string head = "# My machines.\n\n";
  EXPECT_EQ(*first, head + "active = \"gpu1\"\n" + std::string(kText).substr(head.size()));
  const auto second = with_active(*first, "lab.one");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(*second, head + "active = \"lab.one\"\n" + std::string(kText).substr(head.size()));
  const auto none = without_active(*second, "lab.one");
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(*none, kText);
  EXPECT_EQ(*without_active(*second, "gpu1"), *second);
}

TEST(ConfigEdit, KeepsACommentBehindTheActiveSandbox) {
  const auto changed = with_active("  active='a'   # \"mine\"\n[sandbox.a]\nhost='x'\n", "local");
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(*changed, "  active=\"local\"   # \"mine\"\n[sandbox.a]\nhost='x'\n");
  EXPECT_EQ(*with_active("", "local"), "active = \"local\"\n");
}

TEST(ConfigEdit, AddsASandboxAtTheEnd) {
  SandboxSpec added = spec("new.box", "10.0.0.7");
  added.user = "DOMAIN\\me";
  added.port = 2222;
  added.key_file = "~/.ssh/k\"ey";
  added.cwd = "~/work";
  added.labels = {"a100", "fast"};
  const auto text = with_sandbox(kText, added);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_TRUE(text->starts_with(kText));
  const auto settings = parse_config_toml(*text, "config.toml", "/home/me");
  ASSERT_TRUE(settings) << settings.error().message;
  const SandboxSpec& read = settings->sandboxes.back();
  EXPECT_EQ(read.name, "new.box");
  EXPECT_EQ(read.host, "10.0.0.7");
  EXPECT_EQ(read.user, "DOMAIN\\me");
  EXPECT_EQ(read.port, 2222);
  EXPECT_EQ(read.key_file, "/home/me/.ssh/k\"ey");
  EXPECT_EQ(read.cwd, "~/work");
  EXPECT_EQ(read.labels, added.labels);
  EXPECT_EQ(*with_sandbox("", spec("a", "b")), "[sandbox.a]\nhost = \"b\"\n");
  EXPECT_EQ(*with_sandbox("# x", spec("a", "b")), "# x\n\n[sandbox.a]\nhost = \"b\"\n");
}

TEST(ConfigEdit, RemovesASandboxAndKeepsTheCommentsAroundIt) {
  const auto first = without_sandbox(kText, "gpu1");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*first,
            "# My machines.\n\n# In the lab.\n[sandbox.\"lab.one\"]\nhost = 'lab'\n\n[sync]\n"
            "allow = [\"~/work\"]\n# the end\n");
  const auto both = without_sandbox(*first, "lab.one");
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(*both, "# My machines.\n\n# In the lab.\n\n[sync]\nallow = [\"~/work\"]\n# the end\n");
  EXPECT_EQ(without_sandbox(*both, "gpu1").error().code, Errc::NotFound);
  EXPECT_EQ(*without_sandbox("[sandbox.a]\nhost='b'", "a"), "");
}

TEST(ConfigEdit, UndoesWhatItAdded) {
  const auto added = with_sandbox(kText, spec("new", "host"));
  ASSERT_TRUE(added);
  const auto removed = without_sandbox(*added, "new");
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(parse_config_toml(*removed, "", "/")->sandboxes.size(), 2U);
  EXPECT_TRUE(removed->starts_with(kText));
}

TEST(ConfigEdit, RefusesWhatWouldMakeTheFileInvalid) {
  EXPECT_FALSE(with_sandbox(kText, spec("gpu1", "x")));
  EXPECT_EQ(with_sandbox(kText, spec("a b", "x")).error().code, Errc::InvalidArgument);
  EXPECT_EQ(with_sandbox(kText, spec("auto", "x")).error().code, Errc::InvalidArgument);
  EXPECT_EQ(with_sandbox(kText, spec("a", "-x")).error().code, Errc::InvalidArgument);
  EXPECT_FALSE(with_active("broken", "a"));
}

TEST(ConfigEdit, RefusesANameThatAPathBehindItWouldCutInTwo) {
  const auto refused = with_sandbox(kText, spec("a:b", "x"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::InvalidArgument);
  EXPECT_THAT(refused.error().hint, HasSubstr("NAME:PATH"));
}

TEST(ConfigEdit, LeavesToPeopleWhatItCannotChange) {
  const std::string text = "sandbox = { a = { host = 'x' } }\n";
  for (const auto& edited : {without_sandbox(text, "a"), with_sandbox(text, spec("b", "x")),
                             without_sandbox("[sandbox]\na = { host = 'x' }\n", "a"),
                             with_active("active = '''a'''\n[sandbox.a]\nhost='x'\n", "local")}) {
    ASSERT_FALSE(edited) << *edited;
    EXPECT_EQ(edited.error().code, Errc::Config);
    EXPECT_THAT(edited.error().hint, HasSubstr("editor"));
  }
}

}  // namespace
}  // namespace yonder::config
