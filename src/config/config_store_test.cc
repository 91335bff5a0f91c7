#include "config/config_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/scratch_test.h"
#include "base/thread.h"

namespace yonder::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Scratch;

constexpr const char* kFile = ".config/yonder/config.toml";

Sources sources(const Scratch& scratch, std::map<std::string, std::string> environment = {}) {
  return {std::move(environment), scratch.path()};
}

TEST(ConfigStore, ChoosesTheFileByEnvironment) {
  const auto path = [](std::map<std::string, std::string> environment) {
    return ConfigStore({std::move(environment), "/home/me"}).file_path();
  };
  EXPECT_EQ(path({}), "/home/me/.config/yonder/config.toml");
  EXPECT_EQ(path({{"XDG_CONFIG_HOME", "/xdg"}}), "/xdg/yonder/config.toml");
  EXPECT_EQ(path({{"XDG_CONFIG_HOME", "relative"}}), "/home/me/.config/yonder/config.toml");
  EXPECT_EQ(path({{"XDG_CONFIG_HOME", "/xdg"}, {"YONDER_CONFIG", "~/y.toml"}}), "/home/me/y.toml");
  EXPECT_EQ(path({{"YONDER_CONFIG", ""}}), "/home/me/.config/yonder/config.toml");
}

TEST(ConfigStore, GathersAllSourcesAndNotesThem) {
  const Scratch scratch;
  scratch.write(kFile, "[sandbox.box]\nhost = 'box.example'\n");
  scratch.write(".ssh/config", "Host gpu1 gpu2\n");
  ConfigStore store(sources(scratch, {{"REMOTE_HOST", "far"}}));
  const auto catalog = store.catalog();
  ASSERT_TRUE(catalog) << catalog.error().message;
  EXPECT_EQ(catalog->active, "far");
  EXPECT_EQ(catalog->sandboxes.size(), 5U);
  ASSERT_EQ(catalog->sources.size(), 3U);
  EXPECT_EQ(catalog->sources[0].source, "~/.config/yonder/config.toml");
  EXPECT_EQ(catalog->sources[0].found, "1 sandbox");
  EXPECT_EQ(catalog->sources[1].source, "REMOTE_HOST");
  EXPECT_EQ(catalog->sources[2].found, "2 aliases");
  EXPECT_EQ(store.find("box")->origin, "~/.config/yonder/config.toml:1");
  EXPECT_EQ(store.find("gpu2")->origin, "~/.ssh/config:1");
}

TEST(ConfigStore, HasLocalWithNothingAtAll) {
  const Scratch scratch;
  ConfigStore store(sources(scratch));
  const auto catalog = store.catalog();
  ASSERT_TRUE(catalog);
  EXPECT_EQ(catalog->active, "local");
  EXPECT_THAT(catalog->warnings, IsEmpty());
  EXPECT_TRUE(ConfigStore(Sources{}).catalog());
}

TEST(ConfigStore, NeverFallsBackToLocalWhenAMachineWasNamedBadly) {
  const Scratch scratch;
  for (const auto& environment : std::vector<std::map<std::string, std::string>>{
           {{"REMOTE_HOST", "-x"}},
           {{"REMOTE_HOST", "far"}, {"REMOTE_PORT", "x"}},
           {{"REMOTE_SANDBOX_LIST", "[{]"}},
           {{"REMOTE_SANDBOX_LIST", "[]"}},
           {{"SSH_HOST", "me@"}},
           {{"YONDER_CONFIG", scratch.path() + "/missing.toml"}},
           {{"YONDER_CONFIG", scratch.path()}}}) {
    ConfigStore store(sources(scratch, environment));
    const auto catalog = store.catalog();
    ASSERT_FALSE(catalog);
    EXPECT_EQ(catalog.error().code, Errc::Config);
    EXPECT_FALSE(store.find("local"));
  }
}

TEST(ConfigStore, NoticesEveryKindOfChange) {
  const Scratch scratch;
  scratch.write(".ssh/config", "Include conf.d/*\n");
  ConfigStore store(sources(scratch));
  EXPECT_FALSE(store.find("gpu1"));
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\n");
  EXPECT_EQ(store.find("gpu1")->host, "a");
  scratch.write(kFile, "[sandbox.gpu1]\nhost='b'\n");  // the same size, at nearly the same time
  EXPECT_EQ(store.find("gpu1")->host, "b");
  EXPECT_FALSE(store.find("gpu2"));
  scratch.write(".ssh/conf.d/new", "Host gpu2\n");
  EXPECT_TRUE(store.find("gpu2"));
  std::filesystem::remove(scratch.path() + "/" + kFile);
  EXPECT_FALSE(store.find("gpu1"));
}

TEST(ConfigStore, KeepsTheLastGoodSettingsAfterABrokenEditAndSaysSo) {
  const Scratch scratch;
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\n");
  ConfigStore store(sources(scratch));
  ASSERT_TRUE(store.catalog());
  scratch.write(kFile, "[sandbox.gpu1]\nhsot='b'\n");
  for (int i = 0; i < 2; ++i) {
    const auto catalog = store.catalog();
    ASSERT_TRUE(catalog);
    EXPECT_EQ(catalog->active, "gpu1");
    ASSERT_EQ(catalog->warnings.size(), 1U);
    EXPECT_THAT(
        catalog->warnings[0],
        HasSubstr("those from before still count: ~/.config/yonder/config.toml:2: \"hsot\""));
    EXPECT_THAT(catalog->warnings[0], HasSubstr("did you mean \"host\"?"));
  }
  scratch.write(kFile, "[sandbox.gpu1]\nhost='c'\n");
  const auto repaired = store.catalog();
  ASSERT_TRUE(repaired);
  EXPECT_THAT(repaired->warnings, IsEmpty());
  EXPECT_EQ(store.find("gpu1")->host, "c");
}

TEST(ConfigStore, IsAnErrorUntilTheFirstGoodReading) {
  const Scratch scratch;
  scratch.write(kFile, "[sandbox.gpu1]\n");
  ConfigStore store(sources(scratch));
  const auto broken = store.catalog();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::Config);
  EXPECT_EQ(broken.error().message,
            "~/.config/yonder/config.toml:1: [sandbox.gpu1] lacks the key \"host\"");
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\n");
  EXPECT_TRUE(store.catalog());
}

TEST(ConfigStore, WarnsWhenOthersCanReadAPassword) {
  const Scratch scratch;
  const std::string path = scratch.path() + "/" + kFile;
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\npassword='hunter2'\n");
  ConfigStore store(sources(scratch));
  EXPECT_THAT(store.catalog()->warnings, IsEmpty());
  ::chmod(path.c_str(), 0640);
  const auto open = store.catalog();
  ASSERT_TRUE(open);
  ASSERT_EQ(open->warnings.size(), 1U);
  EXPECT_THAT(open->warnings[0], HasSubstr("chmod 600 ~/.config/yonder/config.toml"));
  ::chmod(path.c_str(), 0600);
  EXPECT_THAT(store.catalog()->warnings, IsEmpty());
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\npassword_command='pass gpu1'\n");
  ::chmod(path.c_str(), 0644);
  EXPECT_THAT(store.catalog()->warnings, IsEmpty());
}

TEST(ConfigStore, AnswersSeveralThreadsWhileTheFileChanges) {
  const Scratch scratch;
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\n");
  ConfigStore store(sources(scratch));
  ASSERT_TRUE(store.catalog());
  std::vector<Thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("reader", [&] {
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(store.find("gpu1"));
    });
  }
  for (int i = 0; i < 50; ++i) {
    scratch.write("new.toml", i % 2 == 0 ? "broken" : "[sandbox.gpu1]\nhost='b'\n");
    std::filesystem::rename(scratch.path() + "/new.toml", scratch.path() + "/" + kFile);
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store.find("gpu1")->host, "b");
}

}  // namespace
}  // namespace yonder::config
