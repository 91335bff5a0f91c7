#include "config/ssh_aliases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "base/text.h"

namespace yonder::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Scratch;

std::vector<std::string> aliases_in(std::string_view text) {
  std::vector<std::string> out;
  for (const auto& entry : parse_ssh_config(text)) {
    if (entry.kind == SshConfigEntry::Kind::Alias) out.push_back(entry.text);
  }
  return out;
}

std::vector<std::string> read_aliases(const Scratch& scratch) {
  Watched watched;
  std::vector<std::string> out;
  for (const auto& spec : read_ssh_aliases(scratch.path(), watched).sandboxes) {
    out.push_back(concat(spec.name, " ", spec.origin));
  }
  return out;
}

TEST(ParseSshConfig, FindsAliasesInEverySpelling) {
  EXPECT_THAT(aliases_in("Host gpu1"), ElementsAre("gpu1"));
  EXPECT_THAT(aliases_in("host gpu1 gpu2\tgpu3\r\n"), ElementsAre("gpu1", "gpu2", "gpu3"));
  EXPECT_THAT(aliases_in("HOST=gpu1"), ElementsAre("gpu1"));
  EXPECT_THAT(aliases_in("  Host = gpu1 gpu2"), ElementsAre("gpu1", "gpu2"));
  EXPECT_THAT(aliases_in("Host \"gpu1\" 'gpu2' a\" \"b"), ElementsAre("gpu1", "gpu2", "a b"));
  EXPECT_THAT(aliases_in("Host gpu1 # gpu2"), ElementsAre("gpu1"));
  EXPECT_THAT(aliases_in("Host \"# no\\\" comment\""), ElementsAre("# no\" comment"));
  EXPECT_THAT(aliases_in("Host a\\ b"), ElementsAre("a b"));
}

TEST(ParseSshConfig, LeavesOutWhatNamesNoSingleMachine) {
  EXPECT_THAT(aliases_in("Host *"), IsEmpty());
  EXPECT_THAT(aliases_in("Host gpu? *.lab !gpu3 gpu1"), ElementsAre("gpu1"));
  EXPECT_THAT(aliases_in("# Host gpu1\n  #Host gpu2"), IsEmpty());
  EXPECT_THAT(aliases_in("HostName gpu1\nMatch host gpu2\nHostKeyAlias x\nUser host"), IsEmpty());
  EXPECT_THAT(aliases_in("Host\nHost=\nHost \"\"\n\n=\n"), IsEmpty());
  EXPECT_THAT(aliases_in("Host \"never closed"), ElementsAre("never closed"));
}

TEST(ParseSshConfig, KeepsTheOrderAndTheLines) {
  const auto entries = parse_ssh_config("Include a b\n\nHost x\n  include \"c d\"\nHost y\n");
  using Kind = SshConfigEntry::Kind;
  EXPECT_THAT(
      entries,
      ElementsAre(SshConfigEntry{Kind::Include, "a", 1}, SshConfigEntry{Kind::Include, "b", 1},
                  SshConfigEntry{Kind::Alias, "x", 3}, SshConfigEntry{Kind::Include, "c d", 4},
                  SshConfigEntry{Kind::Alias, "y", 5}));
}

TEST(SshAliases, BecomeSandboxesWithoutSettings) {
  const Scratch scratch;
  scratch.write(".ssh/config", "Host *\n\nHost gpu1 gpu1\n  User me\nHost gpu1\n");
  Watched watched;
  const auto aliases = read_ssh_aliases(scratch.path(), watched);
  EXPECT_TRUE(aliases.found);
  ASSERT_EQ(aliases.sandboxes.size(), 1U);
  const SandboxSpec& spec = aliases.sandboxes[0];
  EXPECT_EQ(spec.name, "gpu1");
  EXPECT_EQ(spec.host, "gpu1");
  EXPECT_EQ(spec.backend, Backend::Ssh);
  EXPECT_EQ(spec.user, "");
  EXPECT_EQ(spec.host_keys, HostKeyPolicy::UserSettings);
  EXPECT_EQ(spec.origin, "~/.ssh/config:3");
}

TEST(SshAliases, AreNoneWithoutAFileOrAHome) {
  const Scratch scratch;
  Watched watched;
  EXPECT_FALSE(read_ssh_aliases(scratch.path(), watched).found);
  EXPECT_THAT(read_ssh_aliases("", watched).sandboxes, IsEmpty());
}

TEST(SshAliases, FollowIncludesOfEveryKind) {
  const Scratch scratch;
  scratch.write(".ssh/config", concat("Include conf.d/*.conf ~/more ", scratch.path(),
                                      "/absolute\nInclude missing nowhere/*\nHost last\n"));
  scratch.write(".ssh/conf.d/1.conf", "Host one\nInclude nested\n");
  scratch.write(".ssh/conf.d/2.conf", "Host two\n");
  scratch.write(".ssh/conf.d/3.other", "Host other\n");
  scratch.write(".ssh/nested", "Host nested\n");
  scratch.write("more", "Host more\n");
  scratch.write("absolute", "Host absolute\n");
  EXPECT_THAT(read_aliases(scratch),
              ElementsAre("one ~/.ssh/conf.d/1.conf:1", "nested ~/.ssh/nested:1",
                          "two ~/.ssh/conf.d/2.conf:1", "more ~/more:1", "absolute ~/absolute:1",
                          "last ~/.ssh/config:3"));
}

TEST(SshAliases, EndWhenIncludesGoInACircle) {
  const Scratch scratch;
  scratch.write(".ssh/config", "Include *\nInclude a\nHost top\n");
  scratch.write(".ssh/a", "Include b\nHost a\n");
  scratch.write(".ssh/b", "Include a config ../.ssh/a\nHost b\n");
  std::filesystem::create_symlink("a", scratch.path() + "/.ssh/c");
  EXPECT_THAT(read_aliases(scratch),
              ElementsAre("b ~/.ssh/b:2", "a ~/.ssh/a:2", "top ~/.ssh/config:3"));
}

TEST(SshAliases, StopAtTheDepthWhereSshStops) {
  const Scratch scratch;
  scratch.write(".ssh/config", "Include f1\n");
  for (int i = 1; i <= 20; ++i) {
    scratch.write(concat(".ssh/f", i), concat("Host h", i, "\nInclude f", i + 1, "\n"));
  }
  EXPECT_EQ(read_aliases(scratch).size(), 16U);
}

TEST(SshAliases, DoNotWaitForAPipeAndSkipDirectories) {
  const Scratch scratch;
  scratch.write(".ssh/config", "Include pipe\nInclude directory\nHost gpu1\n");
  ASSERT_EQ(::mkfifo((scratch.path() + "/.ssh/pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(scratch.path() + "/.ssh/directory");
  EXPECT_THAT(read_aliases(scratch), ElementsAre("gpu1 ~/.ssh/config:3"));
}

TEST(SshAliases, LeaveOutAFileThatIsTooLargeAndSaySo) {
  const Scratch scratch;
  scratch.write(".ssh/config", "Include big\nHost gpu1\n");
  scratch.write(".ssh/big", "Host hidden\n" + std::string(std::size_t{1024} * 1024, '#'));
  Watched watched;
  const auto aliases = read_ssh_aliases(scratch.path(), watched);
  EXPECT_EQ(aliases.sandboxes.size(), 1U);
  EXPECT_EQ(aliases.warnings.size(), 1U);
}

TEST(SshAliases, LeaveOutWhatCannotBeANameHere) {
  const Scratch scratch;
  scratch.write(".ssh/config", "Host \"a b\" $(x) -x auto a/b ok\n");
  EXPECT_THAT(read_aliases(scratch), ElementsAre("ok ~/.ssh/config:1"));
}

}  // namespace
}  // namespace yonder::config
