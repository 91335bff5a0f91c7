#include "sandbox/prefix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/patience_test.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace yonder::sandbox {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

SandboxSpec ssh_spec(const std::string& host) {
  SandboxSpec spec;
  spec.name = host;
  spec.host = host;
  return spec;
}

SandboxSpec full_spec() {
  SandboxSpec spec = ssh_spec("gpu1");
  spec.user = "me";
  spec.port = 2222;
  spec.key_file = "/home/me/.ssh/id";
  spec.host_keys = HostKeyPolicy::AcceptNew;
  spec.connect_timeout = std::chrono::milliseconds(6500);
  spec.password = Secret("hunter2");
  spec.key_passphrase = Secret("hunter3");
  spec.password_command = "pass hunter4";
  return spec;
}

// What ssh itself makes of our options: "keyword value" lines.
std::string resolved_by_ssh(const Words& argv) {
  Words words{argv.front(), "-G", "-F", "none"};
  words.insert(words.end(), argv.begin() + 1, argv.end() - 1);  // without the final command
  SpawnOptions options;
  options.argv = words;
  options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C"};
  const auto ran = run_captured(options, "", 1 << 20, testing::patience());
  if (!ran) return ran.error().message;
  return concat("\n", ran->out, ran->err, ran->status.success() ? "" : "\nssh refused");
}

TEST(Prefix, IsAPlainShellOnThisMachine) {
  SandboxSpec spec;
  spec.name = "local";
  spec.backend = Backend::Local;
  const auto prefix = prefix_for(spec, {});
  ASSERT_TRUE(prefix);
  EXPECT_THAT(prefix->argv, ElementsAre("sh"));
  EXPECT_FALSE(prefix->asks_questions);
}

TEST(Prefix, LeavesEverythingThatWasNotSaidToSsh) {
  const auto prefix = prefix_for(ssh_spec("gpu1"), {});
  ASSERT_TRUE(prefix);
  EXPECT_EQ(prefix->argv, (Words{"ssh",    "-T",
                                 "-o",     "ConnectTimeout=15",
                                 "-o",     "ServerAliveInterval=15",
                                 "-o",     "ServerAliveCountMax=2",
                                 "-o",     "RemoteCommand=none",
                                 "-o",     "RequestTTY=no",
                                 "-o",     "ClearAllForwardings=yes",
                                 "-o",     "PermitLocalCommand=no",
                                 "-o",     "ControlMaster=no",
                                 "-o",     "NumberOfPasswordPrompts=1",
                                 "--",     "gpu1",
                                 "exec sh"}));
  EXPECT_TRUE(prefix->asks_questions);
}

TEST(Prefix, SaysEverythingThatWasSaidButTheSecrets) {
  const auto prefix =
      prefix_for(full_spec(), {.environment = {}, .control_path = "/run/y/c", .interactive = true});
  ASSERT_TRUE(prefix);
  EXPECT_EQ(prefix->argv, (Words{"ssh",    "-T",
                                 "-o",     "ConnectTimeout=7",
                                 "-o",     "ServerAliveInterval=15",
                                 "-o",     "ServerAliveCountMax=2",
                                 "-o",     "RemoteCommand=none",
                                 "-o",     "RequestTTY=no",
                                 "-o",     "ClearAllForwardings=yes",
                                 "-o",     "PermitLocalCommand=no",
                                 "-o",     "ControlMaster=no",
                                 "-o",     "ControlPath=/run/y/c",
                                 "-o",     "StrictHostKeyChecking=accept-new",
                                 "-p",     "2222",
                                 "-o",     "IdentityFile=/home/me/.ssh/id",
                                 "-o",     "IdentitiesOnly=yes",
                                 "-l",     "me",
                                 "--",     "gpu1",
                                 "exec sh"}));
  EXPECT_THAT(join(prefix->argv, " "), Not(HasSubstr("hunter")));
}

TEST(Prefix, NeverWaitsForEverToConnect) {
  SandboxSpec spec = ssh_spec("gpu1");
  spec.connect_timeout = Duration::zero();
  EXPECT_EQ(prefix_for(spec, {})->argv.at(3), "ConnectTimeout=1");
}

TEST(Prefix, RefusesHostsAndUsersThatLookLikeOptionsOrShellText) {
  for (const char* host : {"", "-oProxyCommand=x", "a b", "$(x)", "me@gpu1", "a;b", "ssh://x"}) {
    const auto prefix = prefix_for(ssh_spec(host), {});
    ASSERT_FALSE(prefix) << host;
    EXPECT_EQ(prefix.error().code, Errc::InvalidArgument);
  }
  for (const char* user : {"-x", "a b", "`x`"}) {
    SandboxSpec spec = ssh_spec("gpu1");
    spec.user = user;
    EXPECT_FALSE(prefix_for(spec, {})) << user;
  }
}

TEST(Prefix, RefusesPathsThatSshCannotBeTold) {
  for (const char* path : {"relative", "/a/${HOME}/b", "/a\nb"}) {
    SandboxSpec spec = ssh_spec("gpu1");
    spec.key_file = path;
    EXPECT_FALSE(prefix_for(spec, {})) << path;
    EXPECT_FALSE(prefix_for(ssh_spec("gpu1"), {.environment = {}, .control_path = path})) << path;
  }
}

TEST(Prefix, TakesSecretsOutOfTheEnvironmentAndKeepsTheRest) {
  const Words kept{"HOME=/home/me", "PATH=/bin",        "SSH_AUTH_SOCK=/run/agent",
                   "DISPLAY=:0",    "LANG=de_DE.UTF-8", "REMOTE_HOST=gpu1",
                   "EMPTY=",        "REMOTE_PASSAGE=x"};
  Words ours = kept;
  for (const char* secret :
       {"REMOTE_PASSWORD=hunter2", "REMOTE_KEY_PASSPHRASE=hunter2", "REMOTE_SANDBOX_LIST=[hunter2]",
        "YONDER_ASKPASS_TOKEN=hunter2", "SSH_ASKPASS=/bin/hunter2", "SSH_ASKPASS_REQUIRE=force"}) {
    ours.emplace_back(secret);
  }
  EXPECT_EQ(prefix_for(ssh_spec("gpu1"), {.environment = ours})->environment, kept);
}

TEST(Prefix, HidesYonderFromWorkOnThisMachineOnly) {
  const PrefixOptions options{.environment = {"YONDER_CONFIG=/x", "REMOTE_PASSWORD=p", "A=b"}};
  SandboxSpec local;
  local.backend = Backend::Local;
  EXPECT_THAT(prefix_for(local, options)->environment, ElementsAre("A=b"));
  EXPECT_THAT(prefix_for(ssh_spec("gpu1"), options)->environment,
              ElementsAre("YONDER_CONFIG=/x", "A=b"));
}

TEST(Prefix, IsUnderstoodBySsh) {
  const auto prefix = prefix_for(full_spec(), {.environment = {}, .control_path = "/run/y/c"});
  ASSERT_TRUE(prefix);
  const std::string seen = resolved_by_ssh(prefix->argv);
  for (const char* line :
       {"\nuser me\n", "\nhostname gpu1\n", "\nport 2222\n", "\nconnecttimeout 7\n",
        "\nserveraliveinterval 15\n", "\nserveralivecountmax 2\n", "\nrequesttty false\n",
        "\nclearallforwardings yes\n", "\npermitlocalcommand no\n", "\ncontrolmaster false\n",
        "\ncontrolpath /run/y/c\n", "\nstricthostkeychecking accept-new\n",
        "\nidentityfile /home/me/.ssh/id\n", "\nidentitiesonly yes\n",
        "\nnumberofpasswordprompts 1\n"}) {
    EXPECT_THAT(seen, HasSubstr(line));
  }
  EXPECT_THAT(seen, Not(HasSubstr("remotecommand")));
  EXPECT_THAT(seen, Not(HasSubstr("refused")));
}

TEST(Prefix, TellsSshAnyPathExactly) {
  for (const char* path : {"/a b/c", "/100%/h%h", "/quo\"te/it's", "/back\\slash\\", "/a #b",
                           "/a=b", "/$HOME", "/~", "/ends with blank ", "/\\\"", "/ä/ö"}) {
    SandboxSpec spec = ssh_spec("gpu1");
    spec.key_file = path;
    const auto prefix = prefix_for(spec, {.environment = {}, .control_path = path});
    ASSERT_TRUE(prefix) << path;
    const std::string seen = resolved_by_ssh(prefix->argv);
    EXPECT_THAT(seen, HasSubstr(concat("\ncontrolpath ", path, "\n")));
    EXPECT_THAT(seen, Not(HasSubstr("refused"))) << path;
    // ssh shows an identity file before it expands %-tokens.
    std::string escaped;
    for (const char* c = path; *c != '\0'; ++c) escaped += *c == '%' ? "%%" : std::string(1, *c);
    EXPECT_THAT(seen, HasSubstr(concat("\nidentityfile ", escaped, "\n")));
  }
}

TEST(Prefix, ReachesIpv6AddressesAsTheyAre) {
  const auto prefix = prefix_for(ssh_spec("fe80::1%eth0"), {});
  ASSERT_TRUE(prefix);
  EXPECT_THAT(resolved_by_ssh(prefix->argv), HasSubstr("\nhostname fe80::1%eth0\n"));
}

}  // namespace
}  // namespace yonder::sandbox
