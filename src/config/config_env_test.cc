#include "config/config_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Variables = std::map<std::string, std::string>;

Result<EnvironmentSettings> read(const Variables& variables) {
  return read_environment(variables, "/home/me");
}

Result<EnvironmentSettings> read_list(const std::string& json) {
  return read({{"REMOTE_SANDBOX_LIST", json}});
}

TEST(ConfigEnv, SaysNothingWhenNothingIsSet) {
  const auto settings =
      read({{"PATH", "/bin"}, {"REMOTE_HOST", ""}, {"REMOTE_CONTAINERS", "true"}});
  ASSERT_TRUE(settings);
  EXPECT_THAT(settings->sandboxes, IsEmpty());
  EXPECT_THAT(settings->warnings, IsEmpty());
}

TEST(ConfigEnv, ReadsOneRemoteHost) {
  const auto settings = read({{"REMOTE_HOST", "gpu1"},
                              {"REMOTE_PORT", "2222"},
                              {"REMOTE_USER", "me"},
                              {"REMOTE_PASSWORD", " hunter2 "},
                              {"REMOTE_KEY_FILE", "~/.ssh/id"},
                              {"REMOTE_KEY_PASSPHRASE", "open"}});
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->sandboxes.size(), 1U);
  const SandboxSpec& spec = settings->sandboxes[0];
  EXPECT_EQ(spec.name, "gpu1");
  EXPECT_EQ(spec.host, "gpu1");
  EXPECT_EQ(spec.port, 2222);
  EXPECT_EQ(spec.user, "me");
  EXPECT_EQ(spec.password.reveal(), " hunter2 ");
  EXPECT_EQ(spec.key_file, "/home/me/.ssh/id");
  EXPECT_EQ(spec.key_passphrase.reveal(), "open");
  EXPECT_EQ(spec.host_keys, HostKeyPolicy::AcceptNew);
  EXPECT_EQ(spec.origin, "REMOTE_HOST");
}

TEST(ConfigEnv, NeedsNeitherUserNorSecret) {
  const auto settings = read({{"REMOTE_HOST", "gpu1"}, {"REMOTE_USER", ""}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->sandboxes.at(0).user, "");
  EXPECT_TRUE(settings->sandboxes.at(0).password.empty());
}

TEST(ConfigEnv, PrefersTheListToRemoteHost) {
  const auto settings =
      read({{"REMOTE_SANDBOX_LIST", R"([{"host":"a"},{"host":"b","name":"bee"}])"},
            {"REMOTE_HOST", "c"},
            {"REMOTE_PORT", "broken"}});
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->sandboxes.size(), 2U);
  EXPECT_EQ(settings->sandboxes[0].name, "a");
  EXPECT_EQ(settings->sandboxes[0].origin, "REMOTE_SANDBOX_LIST[0]");
  EXPECT_EQ(settings->sandboxes[1].name, "bee");
  EXPECT_EQ(settings->sandboxes[1].host_keys, HostKeyPolicy::AcceptNew);
  EXPECT_EQ(settings->sources.at(1).found, "not used, because REMOTE_SANDBOX_LIST is set");
}

TEST(ConfigEnv, ReadsEveryFieldOfTheList) {
  const auto settings = read_list(
      R"([{"name":"g","host":"h","user":"u","port":"22","password":"p","key_file":"~/k","key_passphrase":null}])");
  ASSERT_TRUE(settings) << settings.error().message;
  const SandboxSpec& spec = settings->sandboxes.at(0);
  EXPECT_EQ(spec.user, "u");
  EXPECT_EQ(spec.port, 22);
  EXPECT_EQ(spec.password.reveal(), "p");
  EXPECT_EQ(spec.key_file, "/home/me/k");
  EXPECT_TRUE(spec.key_passphrase.empty());
}

struct Bad {
  Variables variables;
  const char* message;  // a part of it
  const char* hint;     // a part of it
};

TEST(ConfigEnv, NamesTheVariableThatIsWrong) {
  const std::vector<Bad> table{
      {{{"REMOTE_HOST", "-oProxyCommand=x"}}, "REMOTE_HOST must not begin with '-'", ""},
      {{{"REMOTE_HOST", "me@gpu1"}}, "REMOTE_HOST must be a host alone", "\"gpu1\""},
      {{{"REMOTE_HOST", "  "}}, "REMOTE_HOST must not be empty", ""},
      {{{"REMOTE_HOST", "auto"}}, "REMOTE_HOST must not be \"auto\"", ""},
      {{{"REMOTE_HOST", "g"}, {"REMOTE_PORT", "ssh"}}, "REMOTE_PORT must be a number", ""},
      {{{"REMOTE_HOST", "g"}, {"REMOTE_PORT", "70000"}}, "REMOTE_PORT must be a number", ""},
      {{{"REMOTE_HOST", "g"}, {"REMOTE_USER", "-x"}}, "REMOTE_USER must not begin", ""},
      {{{"REMOTE_HOST", "g"}, {"REMOTE_KEY_FILE", "id"}},
       "REMOTE_KEY_FILE must be an absolute",
       ""},
      {{{"SSH_HOST", "me@-x"}}, "the host of SSH_HOST must not begin", ""},
      {{{"SSH_HOST", "me@"}}, "the host of SSH_HOST must not be empty", ""},
      {{{"SSH_HOST", "g"}, {"SSH_PORT", "0"}}, "SSH_PORT must be a number", ""},
      {{{"SSH_HOST", "me@g:1"}, {"SSH_PORT", "2"}}, "name different ports", "keep one"},
      {{{"SSH_HOST", "g"}, {"SSH_KEY_PATH", "id"}}, "SSH_KEY_PATH must be an absolute", ""},
  };
  for (const auto& row : table) {
    const auto settings = read(row.variables);
    ASSERT_FALSE(settings) << row.message;
    EXPECT_EQ(settings.error().code, Errc::Config) << row.message;
    EXPECT_THAT(settings.error().message, HasSubstr(row.message));
    EXPECT_THAT(settings.error().hint, HasSubstr(row.hint));
  }
}

TEST(ConfigEnv, NamesTheEntryOfTheListThatIsWrong) {
  const std::vector<Bad> table{
      {{{"", "{}"}}, "REMOTE_SANDBOX_LIST must be a JSON array", ""},
      {{{"", "[]"}}, "REMOTE_SANDBOX_LIST is an empty list", "unset it"},
      {{{"", "[1]"}}, "REMOTE_SANDBOX_LIST[0] must be a JSON object", ""},
      {{{"", "[1e999]"}}, "REMOTE_SANDBOX_LIST holds a number that is too large", ""},
      {{{"", R"([{"host":"a"},{"user":"u"}])"}},
       "REMOTE_SANDBOX_LIST[1] lacks the required field \"host\"",
       ""},
      {{{"", R"([{"host":"a","prot":1}])"}},
       "[0] has an unknown field \"prot\"",
       "did you mean \"port\"?"},
      {{{"", R"([{"host":"a","xyzzy":1}])"}}, "unknown field \"xyzzy\"", "the fields are name"},
      {{{"", R"([{"host":"-a"}])"}}, "[0].host must not begin with '-'", ""},
      {{{"", R"([{"host":"a","user":"-u"}])"}}, "[0].user must not begin with '-'", ""},
      {{{"", R"([{"host":"a","user":1}])"}}, "[0].user must be a string", ""},
      {{{"", R"([{"host":"a","port":0}])"}}, "[0].port must be a number", ""},
      {{{"", R"([{"host":"a","port":22.5}])"}}, "[0].port must be a number", ""},
      {{{"", R"([{"host":"a","port":true}])"}}, "[0].port must be a number", ""},
      {{{"", R"([{"host":"a","name":"a b"}])"}}, "[0].name", "names are made of"},
      {{{"", R"([{"host":"a","key_file":"k"}])"}}, "[0].key_file must be an absolute", ""},
      {{{"", "[{\"host\":\"a\\u0000b\"}]"}}, "[0].host must not contain a NUL", ""},
  };
  for (const auto& row : table) {
    const auto settings = read_list(row.variables.at(""));
    ASSERT_FALSE(settings) << row.message;
    EXPECT_EQ(settings.error().code, Errc::Config) << row.message;
    EXPECT_THAT(settings.error().message, HasSubstr(row.message));
    EXPECT_THAT(settings.error().hint, HasSubstr(row.hint));
  }
}

TEST(ConfigEnv, GivesOnlyThePositionInBrokenJsonBecauseItMayHoldAPassword) {
  for (const char* json :
       {R"([{"host":"a","password":"hunter2"])", R"(["hunter2)", "hunter2",
        R"([{"host":"a","password":["hunter2"]}])", R"([{"host":"a","port":"hunter2"}])"}) {
    const auto settings = read_list(json);
    ASSERT_FALSE(settings) << json;
    EXPECT_THAT(settings.error().message, Not(HasSubstr("hunter2")));
    EXPECT_THAT(settings.error().message, HasSubstr("REMOTE_SANDBOX_LIST"));
  }
  EXPECT_EQ(read_list("[{]").error().message, "REMOTE_SANDBOX_LIST is not valid JSON, at byte 3");
}

TEST(ConfigEnv, ReadsSshHostAsAliasOrAddressAndLeavesHostKeysToTheUser) {
  const auto alias = read({{"SSH_HOST", "gpu1"}, {"SSH_PORT", "2222"}, {"SSH_KEY_PATH", "~/k"}});
  ASSERT_TRUE(alias) << alias.error().message;
  const SandboxSpec& spec = alias->sandboxes.at(0);
  EXPECT_EQ(spec.name, "gpu1");
  EXPECT_EQ(spec.host, "gpu1");
  EXPECT_EQ(spec.user, "");
  EXPECT_EQ(spec.port, 2222);
  EXPECT_EQ(spec.key_file, "/home/me/k");
  EXPECT_EQ(spec.host_keys, HostKeyPolicy::UserSettings);
  EXPECT_EQ(spec.origin, "SSH_HOST");

  const auto address = read({{"SSH_HOST", "root@localhost"}, {"SSH_PORT", "10022"}});
  ASSERT_TRUE(address);
  EXPECT_EQ(address->sandboxes.at(0).name, "root@localhost");
  EXPECT_EQ(address->sandboxes.at(0).user, "root");
  EXPECT_EQ(address->sandboxes.at(0).host, "localhost");
  EXPECT_EQ(address->sandboxes.at(0).port, 10022);
}

TEST(ConfigEnv, WarnsOfVariablesThatNobodyReads) {
  const auto idle = read({{"REMOTE_USER", "me"}, {"SSH_PORT", "22"}});
  ASSERT_TRUE(idle);
  EXPECT_THAT(idle->warnings, ElementsAre("REMOTE_USER is set, but REMOTE_HOST is not",
                                          "SSH_PORT is set, but SSH_HOST is not"));
  const auto slip = read({{"REMOTE_HOST", "g"}, {"REMOTE_KEYFILE", "hunter2"}});
  ASSERT_TRUE(slip);
  EXPECT_THAT(slip->warnings,
              ElementsAre("REMOTE_KEYFILE is not used; did you mean REMOTE_KEY_FILE?"));
}

TEST(ConfigEnv, RefusesAPasswordInAHostAndDoesNotRepeatIt) {
  for (const auto& variables : std::vector<std::map<std::string, std::string>>{
           {{"SSH_HOST", "u:hunter2@gpu1"}},
           {{"SSH_HOST", "ssh://u:hunter2@gpu1"}},
           {{"REMOTE_HOST", "u:hunter2@gpu1"}},
           {{"REMOTE_HOST", "ssh://u:hunter2@gpu1"}},
           {{"REMOTE_SANDBOX_LIST", R"([{"host": "ssh://u:hunter2@gpu1"}])"}}}) {
    const auto read = read_environment(variables, "/home/me");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::Config);
    EXPECT_EQ((read.error().message + read.error().hint).find("hunter2"), std::string::npos)
        << read.error().message << read.error().hint;
  }
}

}  // namespace
}  // namespace yonder::config
