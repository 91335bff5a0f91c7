#include "ops/sync_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "tree/rules.h"

namespace yonder::ops {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kSecrets{"/home/me/.ssh", "/home/me/.config/yonder",
                                        "/home/me/.netrc"};

Result<std::vector<std::string>> judge(const std::string& path,
                                       const config::SyncSettings& settings = {},
                                       bool by_agent = true) {
  return judge_place(
      {.path = path, .secrets = kSecrets, .settings = settings, .by_agent = by_agent});
}

TEST(SyncPlaces, RefuseWhatIsOrLiesInASecretPlace) {
  for (const char* path : {"/home/me/.ssh", "/home/me/.ssh/id_rsa", "/home/me/.netrc"}) {
    const auto refused = judge(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Errc::InvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr(path));
    EXPECT_THAT(refused.error().hint, HasSubstr("allow_secrets"));
    EXPECT_FALSE(judge(path, {}, false)) << "people make mistakes too";
  }
}

TEST(SyncPlaces, DoNotRefuseWhatOnlyBeginsAlike) {
  for (const char* path : {"/home/me/.ssh2", "/home/me/src", "/home/you/.ssh", "/srv"}) {
    const auto judged = judge(path);
    ASSERT_TRUE(judged) << path;
    EXPECT_THAT(*judged, IsEmpty()) << path;
  }
}

TEST(SyncPlaces, AreKeptOutOfASyncOfWhatContainsThem) {
  EXPECT_THAT(*judge("/home/me"), ElementsAre("/.ssh", "/.config/yonder", "/.netrc"));
  EXPECT_THAT(*judge("/home/me/.config"), ElementsAre("/yonder"));
  EXPECT_THAT(*judge("/"), Contains("/home/me/.ssh"));
}

TEST(SyncPlaces, AreAllowedBySettings) {
  EXPECT_TRUE(judge("/home/me/.ssh", {.allow_secrets = true}));
  EXPECT_THAT(*judge("/home/me", {.allow_secrets = true}), IsEmpty());
}

TEST(SyncPlaces, MayBeOnlyThoseThatTheSettingsNameForAgents) {
  const config::SyncSettings settings{.allow = std::vector<std::string>{"/srv/work"}};
  EXPECT_TRUE(judge("/srv/work", settings));
  EXPECT_TRUE(judge("/srv/work/a", settings));
  const auto refused = judge("/srv/worker", settings);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("/srv/work"));
  EXPECT_TRUE(judge("/srv/worker", settings, false));
  EXPECT_FALSE(judge("/srv", {.allow = std::vector<std::string>{}}));
}

TEST(SyncPlaces, BecomePatternsThatMeanThemOnly) {
  const std::vector<std::string> odd{"/h/a *[b]!"};
  const auto patterns = judge_place({.path = "/h", .secrets = odd, .settings = {}});
  ASSERT_TRUE(patterns);
  tree::RuleSet rules;
  ASSERT_TRUE(rules.add("", patterns->front(), {"secret place"}));
  EXPECT_TRUE(rules.judge("a *[b]!", true).excluded);
  EXPECT_FALSE(rules.judge("a xx[b]!", true).excluded);
  EXPECT_FALSE(rules.judge("sub/a *[b]!", true).excluded);
}

TEST(SyncPlaces, AreFoundBehindLinks) {
  const yonder::testing::Scratch scratch;
  std::filesystem::create_directories(scratch / "home/keys");
  std::filesystem::create_directory_symlink("keys", scratch / "home/.ssh");
  std::filesystem::create_directory_symlink(".ssh", scratch / "home/innocent");
  const auto secrets = secret_places({.home = scratch / "home"});
  const std::string behind = real_path(scratch / "home/innocent/id_rsa");
  EXPECT_FALSE(judge_place({.path = behind, .secrets = secrets, .settings = {}}));
}

}  // namespace
}  // namespace yonder::ops
