#include "config/config_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/scratch_test.h"
#include "base/thread.h"
#include "config/trusted_file.h"
#include "lab/need.h"

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
  scratch.write(kFile, "[sandbox.gpu3]\nhost='a'\n");
  EXPECT_FALSE(store.find("gpu1"));
}

TEST(ConfigStore, TakesAFileThatBecomesEmptyMissingOrUnreadableForABrokenEdit) {
  const Scratch scratch;
  const std::string path = scratch.path() + "/" + kFile;
  const std::string good = "[sandbox.z]\nhost='a'\n";
  scratch.write(kFile, good);
  ConfigStore store(sources(scratch));
  const auto expect_kept = [&](const std::string& why) {
    for (int i = 0; i < 2; ++i) {
      const auto catalog = store.catalog();
      ASSERT_TRUE(catalog) << why;
      EXPECT_EQ(catalog->active, "z") << why;
      EXPECT_TRUE(store.find("z")) << why;
      ASSERT_EQ(catalog->warnings.size(), 1U) << why;
      EXPECT_THAT(catalog->warnings[0], HasSubstr("config.toml " + why));
      EXPECT_EQ(catalog->broken, catalog->warnings[0]);
    }
    scratch.write(kFile, good);
    EXPECT_THAT(store.catalog()->warnings, IsEmpty());
    EXPECT_EQ(store.catalog()->broken, "");
  };
  ASSERT_TRUE(store.catalog());
  scratch.write(kFile, "");
  expect_kept("is empty");
  scratch.write(kFile, " \n\n");
  expect_kept("is empty");
  std::filesystem::remove(path);
  expect_kept("is gone");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  const auto catalog = store.catalog();
  ASSERT_TRUE(catalog);
  EXPECT_EQ(catalog->active, "z");
  EXPECT_THAT(catalog->broken, HasSubstr("is not a regular file"));
}

TEST(ConfigStore, NeverImpliesThisMachineAfterAnotherOneWasKnown) {
  const Scratch scratch;
  scratch.write(kFile, "[sandbox.z]\nhost='a'\n");
  ConfigStore store(sources(scratch));
  ASSERT_TRUE(store.catalog());
  scratch.write(kFile, "# [sandbox.z]\n");
  for (int i = 0; i < 2; ++i) {
    const auto catalog = store.catalog();
    ASSERT_TRUE(catalog);
    EXPECT_EQ(catalog->active, "");
    EXPECT_THAT(catalog->why_none_active, HasSubstr("gone from the settings"));
    EXPECT_FALSE(store.find("z"));
  }
}

TEST(ConfigStore, NeverImpliesThisMachineWhileTheFileIsEmpty) {
  const Scratch scratch;
  scratch.write(kFile, "");
  ConfigStore store(sources(scratch));
  const auto catalog = store.catalog();
  ASSERT_TRUE(catalog);
  EXPECT_EQ(catalog->active, "");
  ASSERT_EQ(catalog->warnings.size(), 1U);
  EXPECT_THAT(catalog->warnings[0], HasSubstr("config.toml is empty"));
  EXPECT_TRUE(store.find("local"));
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

TEST(ConfigStore, RefusesAPasswordThatOthersCanRead) {
  const Scratch scratch;
  const std::string path = scratch.path() + "/" + kFile;
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\npassword='hunter2'\n", 0640);
  ConfigStore store(sources(scratch));
  const auto open = store.catalog();
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, Errc::Config);
  EXPECT_THAT(open.error().message, HasSubstr("holds a password and other users may read it"));
  EXPECT_THAT(open.error().hint, HasSubstr("chmod 600 " + path));
  ::chmod(path.c_str(), 0600);
  EXPECT_TRUE(store.catalog());
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\npassword_command='pass gpu1'\n", 0644);
  EXPECT_THAT(store.catalog()->warnings, IsEmpty());
}

TEST(ConfigStore, RefusesAFileThatOthersCanWrite) {
  const Scratch scratch;
  const std::string path = scratch.path() + "/" + kFile;
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\n");
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    ::chmod(path.c_str(), mode);
    const auto refused = ConfigStore(sources(scratch)).catalog();
    ASSERT_FALSE(refused) << mode;
    EXPECT_EQ(refused.error().code, Errc::Config);
    EXPECT_THAT(refused.error().message, HasSubstr("config.toml may be written by other users"));
    EXPECT_THAT(refused.error().hint, HasSubstr("chmod go-w " + path));
  }
}

TEST(ConfigStore, RefusesAFileInADirectoryThatOthersCanWrite) {
  const Scratch scratch;
  scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\n");
  const std::string directory = scratch.path() + "/.config";
  ConfigStore store(sources(scratch));
  ::chmod(directory.c_str(), 0770);
  const auto refused = store.catalog();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the directory " + directory));
  EXPECT_THAT(refused.error().hint, HasSubstr("chmod go-w " + directory));
  ::chmod(directory.c_str(), 0755);
  EXPECT_TRUE(store.catalog());
}

TEST(ConfigStore, RefusesAFileOfAnotherUser) {
  const Scratch scratch;
  const std::string path = scratch.write(kFile, "[sandbox.gpu1]\nhost='a'\n");
  constexpr uid_t kOther = 65534;
  if (::chown(path.c_str(), kOther, 0) != 0) lab::skip_for(lab::Need::Users);
  const auto refused = ConfigStore(sources(scratch)).catalog();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("belongs to another user (uid 65534)"));
  EXPECT_THAT(refused.error().hint, HasSubstr("chown " + std::to_string(::geteuid()) + " " + path));
}

TEST(TrustedFile, MayBeWrittenByItsUserAndRootAlone) {
  const auto why = [](uid_t owner, mode_t mode) {
    return why_not_trusted({.owner = owner, .mode = mode, .me = 1000});
  };
  EXPECT_EQ(why(1000, S_IFREG | 0644), "");
  EXPECT_EQ(why(0, S_IFREG | 0644), "");
  EXPECT_EQ(why(0, S_IFDIR | 01777), "");
  EXPECT_THAT(why(1001, S_IFREG | 0600), HasSubstr("uid 1001"));
  EXPECT_THAT(why(1001, S_IFDIR | 01777), HasSubstr("uid 1001"));
  EXPECT_THAT(why(1000, S_IFREG | 0664), HasSubstr("may be written"));
  EXPECT_THAT(why(1000, S_IFREG | 01666), HasSubstr("may be written"));
  EXPECT_THAT(why(0, S_IFDIR | 0777), HasSubstr("may be written"));
}

TEST(ConfigStore, EditsItsFileWholeAndForThisUserAlone) {
  const Scratch scratch;
  ConfigStore store(sources(scratch));
  const auto to = [](std::string text) {
    return [text = std::move(text)](const std::string&) -> Result<std::string> { return text; };
  };
  const std::string one = "[sandbox.a]\nhost='x'\n";
  const auto made = store.edit(to(one));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->changed);
  EXPECT_EQ(made->catalog.active, "a");
  EXPECT_EQ(scratch.read(kFile), one);
  EXPECT_EQ(testing::mode_of(scratch / kFile), 0600U);
  EXPECT_EQ(testing::mode_of(scratch / ".config/yonder"), 0700U);
  EXPECT_FALSE(store.edit(to(one))->changed);
  for (const char* bad : {"active='b'\n[sandbox.a]\nhost='x'\n", "[sandbox.a]\n", "broken"}) {
    EXPECT_FALSE(store.edit(to(bad))) << bad;
    EXPECT_EQ(scratch.read(kFile), one);
  }
  scratch.write(kFile, "broken");
  EXPECT_FALSE(store.edit(to(one)));
  EXPECT_EQ(scratch.read(kFile), "broken");
}

TEST(ConfigStore, EditsTheFileThatALinkLeadsTo) {
  const Scratch scratch;
  const std::string target = scratch.write("dotfiles/yonder.toml", "# mine\n");
  std::filesystem::create_directories(scratch / ".config/yonder");
  std::filesystem::create_symlink(target, scratch / kFile);
  ConfigStore store(sources(scratch));
  ASSERT_TRUE(store.edit([](const std::string& text) -> Result<std::string> {
    return text + "[sandbox.a]\nhost='x'\n";
  }));
  EXPECT_EQ(scratch.read("dotfiles/yonder.toml"), "# mine\n[sandbox.a]\nhost='x'\n");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / kFile));
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
