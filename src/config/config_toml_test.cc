#include "config/config_toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Result<TomlSettings> parse(std::string_view text) {
  return parse_config_toml(text, "config.toml", "/home/me");
}

TEST(ConfigToml, ReadsLabels) {
  const auto settings =
      parse("[sandbox.a]\nbackend = \"local\"\nlabels = [\"a100\", \"big.mem\"]\n");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->sandboxes.at(0).labels, (std::vector<std::string>{"a100", "big.mem"}));
}

TEST(ConfigToml, RefusesLabelsThatNobodyCouldType) {
  for (const char* labels :
       {"\"a100\"", "[\"a b\"]", "[\"-x\"]", "[\"a\", \"a\"]", "[1]", "[\"\"]"}) {
    const auto settings = parse(std::string("[sandbox.a]\nhost = \"h\"\nlabels = ") + labels);
    ASSERT_FALSE(settings) << labels;
    EXPECT_THAT(settings.error().message, HasSubstr("labels")) << labels;
    EXPECT_THAT(settings.error().message, HasSubstr("config.toml:3")) << labels;
  }
}

TEST(ConfigToml, ReadsEveryKey) {
  const auto settings = parse(R"(active = "gpu1"

[sandbox.gpu1]
host = "10.0.0.5"
user = "me"
port = 2222
key_file = "~/.ssh/gpu key"
password_command = "pass show gpu1"
key_passphrase = "open sesame"
cwd = "~/work"
connect_timeout_s = 7
idle_close_s = 60
host_keys = "accept-new"
)");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->active, "gpu1");
  EXPECT_EQ(settings->active_origin, "config.toml:1");
  EXPECT_TRUE(settings->holds_secret);
  ASSERT_EQ(settings->sandboxes.size(), 1U);
  const SandboxSpec& spec = settings->sandboxes[0];
  EXPECT_EQ(spec.name, "gpu1");
  EXPECT_EQ(spec.backend, Backend::Ssh);
  EXPECT_EQ(spec.host, "10.0.0.5");
  EXPECT_EQ(spec.user, "me");
  EXPECT_EQ(spec.port, 2222);
  EXPECT_EQ(spec.key_file, "/home/me/.ssh/gpu key");
  EXPECT_EQ(spec.password_command, "pass show gpu1");
  EXPECT_TRUE(spec.password.empty());
  EXPECT_EQ(spec.key_passphrase.reveal(), "open sesame");
  EXPECT_EQ(spec.cwd, "~/work");
  EXPECT_EQ(spec.connect_timeout, std::chrono::seconds(7));
  EXPECT_EQ(spec.idle_close, std::chrono::seconds(60));
  EXPECT_EQ(spec.host_keys, HostKeyPolicy::AcceptNew);
  EXPECT_EQ(spec.origin, "config.toml:3");
}

TEST(ConfigToml, NeedsOnlyAHostAndLeavesTheRestToSsh) {
  const auto settings = parse("[sandbox.gpu1]\nhost = \"gpu1\"\n");
  ASSERT_TRUE(settings);
  const SandboxSpec& spec = settings->sandboxes.at(0);
  EXPECT_EQ(spec.user, "");
  EXPECT_EQ(spec.port, 0);
  EXPECT_EQ(spec.host_keys, HostKeyPolicy::UserSettings);
  EXPECT_EQ(spec.connect_timeout, SandboxSpec{}.connect_timeout);
  EXPECT_FALSE(settings->holds_secret);
  EXPECT_EQ(settings->active, "");
}

TEST(ConfigToml, KeepsTheOrderOfTheFile) {
  const auto settings = parse(
      "[sandbox.zeta]\nhost='z'\n[sandbox.alpha]\nbackend='local'\ncwd='/tmp'\n"
      "[sandbox.\"me@mid:22\"]\nhost='m'\n");
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->sandboxes.size(), 3U);
  EXPECT_EQ(settings->sandboxes[0].name, "zeta");
  EXPECT_EQ(settings->sandboxes[1].name, "alpha");
  EXPECT_EQ(settings->sandboxes[1].backend, Backend::Local);
  EXPECT_EQ(settings->sandboxes[1].host, "");
  EXPECT_EQ(settings->sandboxes[2].name, "me@mid:22");
}

TEST(ConfigToml, AcceptsAnEmptyFile) {
  EXPECT_TRUE(parse(""));
  EXPECT_TRUE(parse("# nothing yet\n"));
}

struct Bad {
  const char* text;
  const char* message;  // a part of it
  const char* hint;     // a part of it
};

void expect_errors(const std::vector<Bad>& table) {
  for (const auto& row : table) {
    const auto settings = parse(row.text);
    ASSERT_FALSE(settings) << row.text;
    EXPECT_EQ(settings.error().code, Errc::Config) << row.text;
    EXPECT_THAT(settings.error().message, StartsWith("config.toml:")) << row.text;
    EXPECT_THAT(settings.error().message, HasSubstr(row.message)) << row.text;
    EXPECT_THAT(settings.error().hint, HasSubstr(row.hint)) << row.text;
  }
}

TEST(ConfigToml, NamesLineAndNearestKeyForAnUnknownOne) {
  expect_errors({
      {"[sandbox.a]\nhost='h'\nprot = 22\n", "config.toml:3: \"prot\" is not a key of [sandbox.a]",
       "did you mean \"port\"?"},
      {"[sandbox.a]\nhost='h'\nxyzzy = 22\n", ":3: \"xyzzy\"", "the keys are backend, host"},
      {"activ = 'a'\n", ":1: \"activ\" is not a key of the file", "did you mean \"active\"?"},
      {"[sandboxes.a]\nhost='h'\n", ":1: \"sandboxes\"", "did you mean \"sandbox\"?"},
      {"\n[gpu1]\nhost='h'\n", ":2: \"gpu1\"", "write [sandbox.gpu1]"},
      {"[sandbox.a]\nhost='h'\nactive='a'\n", ":3: \"active\" stands inside", "move it to the top"},
  });
}

TEST(ConfigToml, NamesLineAndKeyForAWrongValue) {
  expect_errors({
      {"active = 3\n", ":1: \"active\" must be a string, not an integer", "active = \"...\""},
      {"sandbox = 3\n", ":1: \"sandbox\" must be tables", "[sandbox.NAME]"},
      {"[[sandbox]]\nhost='h'\n", "\"sandbox\" must be tables", "[sandbox.NAME]"},
      {"[sandbox]\nhost='h'\n", ":2: \"host\" in [sandbox] is not a table", "[sandbox.host]"},
      {"[sandbox.a]\n", ":1: [sandbox.a] lacks the key \"host\"", "add host"},
      {"[sandbox.a]\nhost=''\n", ":2: \"host\" must not be empty", ""},
      {"[sandbox.a]\nhost=['h']\n", ":2: \"host\" must be a string, not an array", ""},
      {"[sandbox.a]\nhost='-oProxyCommand=x'\n", ":2: \"host\" must not begin with '-'", ""},
      {"[sandbox.a]\nhost='me@h'\n", ":2: \"host\" must be a host alone", "\"h\""},
      {"[sandbox.a]\nhost='h'\nuser='-l'\n", ":3: \"user\" must not begin with '-'", ""},
      {"[sandbox.a]\nhost='h'\nport=0\n", ":3: \"port\" must be a whole number from 1 to 65535",
       ""},
      {"[sandbox.a]\nhost='h'\nport=65536\n", ":3: \"port\"", ""},
      {"[sandbox.a]\nhost='h'\nport=22.5\n", ":3: \"port\"", ""},
      {"[sandbox.a]\nhost='h'\nport='22'\n", ":3: \"port\"", "without quotes"},
      {"[sandbox.a]\nhost='h'\nkey_file='id'\n", ":3: \"key_file\" must be an absolute path", ""},
      {"[sandbox.a]\nhost='h'\nhost_keys='no'\n", ":3: \"host_keys\" must be one of user", ""},
      {"[sandbox.a]\nhost='h'\nhost_keys='accept_new'\n", ":3:", "did you mean \"accept-new\"?"},
      {"[sandbox.a]\nhost='h'\nconnect_timeout_s=0\n", ":3: \"connect_timeout_s\"", ""},
      {"[sandbox.a]\nhost='h'\nidle_close_s=-1\n", ":3: \"idle_close_s\"", ""},
      {"[sandbox.a]\nhost=\"h\\u0000x\"\n", ":2: \"host\" must not contain a NUL", ""},
      {"[sandbox.a]\nhost='h'\npassword='x'\npassword_command='y'\n", ":3: \"password\" and",
       "keep one"},
  });
}

TEST(ConfigToml, RefusesBackendsByName) {
  expect_errors({
      {"[sandbox.a]\nbackend='docker'\nimage='x'\n",
       ":2: \"backend\" is \"docker\", which this version", "ssh and local"},
      {"[sandbox.a]\nbackend='podman'\n", ":2: \"backend\" is \"podman\"", "ssh and local"},
      {"[sandbox.a]\nbackend='shh'\nhost='h'\n", ":2: \"backend\" must be one of",
       "did you mean \"ssh\"?"},
      {"[sandbox.a]\nbackend='local'\nhost='h'\n", ":3: \"host\" has no meaning for", "remove it"},
  });
}

TEST(ConfigToml, RefusesNamesThatCannotBeUsed) {
  expect_errors({
      {"[sandbox.auto]\nhost='h'\n", ":1: the name of a sandbox must not be \"auto\"", "another"},
      {"[sandbox.\"\"]\nhost='h'\n", ":1: the name of a sandbox must not be empty", ""},
      {"[sandbox.\"a b\"]\nhost='h'\n", ":1: the name of a sandbox \"a b\"", "names are made of"},
      {"[sandbox.\"-x\"]\nhost='h'\n", "\"-x\"", "begin with neither"},
      {"[sandbox.\"../x\"]\nhost='h'\n", "\"../x\"", ""},
  });
}

TEST(ConfigToml, SaysThatANameIsUsedTwice) {
  expect_errors({
      {"[sandbox.a]\nhost='h'\n[sandbox.a]\nhost='i'\n",
       ":3: table header: cannot redefine existing table 'sandbox.a'", "used twice"},
      {"[sandbox.a]\nhost='h'\nhost='i'\n",
       ":3: key-value pair: cannot redefine existing string 'host'", "used twice"},
  });
}

TEST(ConfigToml, NeverQuotesWhatMayBeAPassword) {
  for (const char* text :
       {"[sandbox.a]\npassword = hunter2\n", "[sandbox.a]\npassword = 'hunter2\n",
        "[sandbox.a]\npassword hunter2\n", "[sandbox.a]\nhost='h'\npassword = ['hunter2']\n",
        "[sandbox.a]\nhost='h'\npassword = {x='hunter2'}\n", "[sandbox.a]\npassword='x' hunter2\n",
        "[sandbox.a]\nhost='h'\nport=1\npassword='hunter2'\nxyzzy=1\n"}) {
    const auto settings = parse(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_THAT(settings.error().message, Not(HasSubstr("hunter"))) << text;
    EXPECT_THAT(settings.error().hint, Not(HasSubstr("hunter"))) << text;
  }
  EXPECT_EQ(parse("[sandbox.a]\npassword = tru5tno1\n").error().message,
            "config.toml:2: boolean: expected 'true'");
  EXPECT_EQ(parse("[sandbox.a]\npassword : x\n").error().message,
            "config.toml:2: key-value pair: expected '=', saw ':'");
  const auto digits = parse("[sandbox.a]\npassword = 12345678901234567890\n");
  ASSERT_FALSE(digits);
  EXPECT_EQ(digits.error().message,
            "config.toml:2: decimal integer: it is not representable in 64 bits");
}

TEST(ConfigToml, SurvivesForeignBytes) {
  EXPECT_FALSE(parse("\xff\xfe = 1"));
  EXPECT_FALSE(parse(std::string(5000, '[')));
  EXPECT_FALSE(parse("a = " + std::string(5000, '[')));
}

TEST(ConfigToml, ReadsWhatMayBeSynced) {
  const auto settings = parse("[sync]\nallow = [\"~/work\", \"/srv\"]\nallow_secrets = true\n");
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_TRUE(settings->sync.allow);
  EXPECT_EQ(*settings->sync.allow, (std::vector<std::string>{"/home/me/work", "/srv"}));
  EXPECT_TRUE(settings->sync.allow_secrets);
  const auto nothing = parse("");
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->sync.allow);
  EXPECT_FALSE(nothing->sync.allow_secrets);
}

TEST(ConfigToml, RefusesWrongSettingsOfSyncs) {
  const auto message = [](std::string_view text) {
    const auto settings = parse(text);
    return settings ? "(accepted)" : settings.error().message + " | " + settings.error().hint;
  };
  EXPECT_THAT(message("[sync]\nallow = \"/srv\"\n"), HasSubstr("list of strings"));
  EXPECT_THAT(message("[sync]\nallow = [\"work\"]\n"), HasSubstr("absolute"));
  EXPECT_THAT(message("[sync]\nallow = [1]\n"), HasSubstr("list of strings"));
  EXPECT_THAT(message("[sync]\nallow_secrets = \"yes\"\n"), HasSubstr("true or false"));
  EXPECT_THAT(message("[sync]\nalow = []\n"), HasSubstr("did you mean \"allow\""));
  EXPECT_THAT(message("sync = 1\n"), HasSubstr("[sync]"));
}

}  // namespace
}  // namespace yonder::config
