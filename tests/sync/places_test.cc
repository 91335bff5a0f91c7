// Which places of this machine a sync may touch, when a link changes in the middle.
#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Places : public SyncTest {
 protected:
  Places() {
    fs::create_directory(secret());
    judge_ = [this](const std::string& path) -> Result<std::vector<std::string>> {
      const bool inside = path == secret() || path.starts_with(secret() + "/");
      if (inside) return Error{Errc::InvalidArgument, "a secret place", ""};
      return std::vector<std::string>(path == base() ? 1 : 0, "/secret");
    };
  }
  // With its links resolved, as the engine sees it.
  std::string base() const { return fs::canonical(base_).string(); }
  std::string secret() const { return base() + "/secret"; }
  void lead(const std::string& to) const {
    fs::remove(way());
    fs::create_directory_symlink(to, way());
  }
  std::string way() const { return base_ + "/way"; }
};

TEST_F(Places, AreJudgedByWhereTheyReallyAre) {
  write(secret() + "/key", "private");
  write(there("key"), "theirs");
  lead(secret());
  for (SyncRequest request : {push_request(), pull_request()}) {
    request.local_path = way();
    const auto refused = run(request);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("a secret place"));
  }
  EXPECT_EQ(read(secret() + "/key"), "private");
  EXPECT_FALSE(fs::exists(there("a")));
}

TEST_F(Places, AreJudgedAgainWhenTheLinkWasLost) {
  write(secret() + "/key", "private");
  write(here("large"), noise(6 << 20, 1));
  lead(here());
  deploy();
  set_ways({cut_to(3 << 20), "sh"});
  SyncRequest request = push_request();
  request.local_path = way();
  const auto refused = run(request, {.on_note = [&](const std::string&) { lead(secret()); }});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a secret place"));
  EXPECT_FALSE(fs::exists(there("key")));
}

TEST_F(Places, BelowTheTreeStayOutAndASingleFileDoesNotGetInto) {
  write(secret() + "/key", "private");
  // Not below what it is pulled into.
  const testing::Scratch far;
  const auto there = [&](const std::string& name) { return concat(far.path(), "/", name); };
  write(there("secret/key"), "theirs");
  write(there("secret/new"), "theirs");
  write(there("a"), "one");
  SyncRequest request = pull_request();
  request.remote_path = far.path();
  request.local_path = base_;
  const auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(read(base_ + "/a"), "one");
  EXPECT_EQ(read(secret() + "/key"), "private");
  EXPECT_FALSE(fs::exists(secret() + "/new"));
  write(there("single/secret"), "theirs");
  fs::remove_all(secret());
  request.remote_path = there("single/secret");
  const auto refused = run(request);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a secret place"));
  EXPECT_FALSE(fs::exists(secret()));
}

TEST_F(Places, OfAnExcludeFileAreJudgedToo) {
  write(secret() + "/key", "private");
  write(here("a"), "one");
  fs::create_symlink(secret() + "/key", base_ + "/rules");
  SyncRequest request = push_request();
  request.options.exclude_file = base_ + "/rules";
  const auto refused = run(request);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a secret place"));
}

}  // namespace
}  // namespace yonder::sync
