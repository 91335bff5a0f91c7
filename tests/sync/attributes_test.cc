// Extended attributes are looked for where they may have changed, and nowhere else.
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kSecond = 1000000000;
// Two changes within it may have one time.
constexpr std::int64_t kTick = 50LL * 1000 * 1000;

class Attributes : public SyncTest {
 protected:
  void SetUp() override {
    write(here("probe"), "");
    if (!give(here("probe"), "1")) GTEST_SKIP() << "this file system has no extended attributes";
    fs::remove(here("probe"));
  }
  static bool give(const std::string& path, const std::string& value) {
    return ::lsetxattr(path.c_str(), "user.a", value.data(), value.size(), 0) == 0;
  }
  static std::string attribute(const std::string& path) {
    std::string value(256, '\0');
    const ssize_t n = ::lgetxattr(path.c_str(), "user.a", value.data(), value.size());
    value.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return value;
  }
  static std::int64_t in_ns(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }
  // So that a later change has another time.
  static void let_a_tick_pass(const std::string& root) {
    std::int64_t last = 0;
    for (const auto& item : fs::recursive_directory_iterator(root)) {
      struct stat info {};
      ASSERT_EQ(::lstat(item.path().c_str(), &info), 0);
      last = std::max(last, in_ns(info.st_ctim));
    }
    EXPECT_TRUE(testing::eventually([&] {
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME, &now);
      return in_ns(now) > last + kTick;
    }));
  }
  // Both ends are the same, and each direction knows it.
  void settle() {
    for (const char* name : {"f", "g", "d/h"}) write(here(name), name);
    EXPECT_TRUE(give(here("f"), "1"));
    EXPECT_TRUE(give(here("d"), "1"));
    let_a_tick_pass(here());
    EXPECT_TRUE(push().complete());
    let_a_tick_pass(there());
    EXPECT_TRUE(pull().complete());
  }
};

TEST_F(Attributes, AreNotLookedForWhereNothingWasChanged) {
  settle();
  EXPECT_THAT(push().plan.attribute_questions, IsEmpty());
  EXPECT_THAT(pull().plan.attribute_questions, IsEmpty());
  write(here("new"), "new");
  let_a_tick_pass(here());
  EXPECT_THAT(push().plan.attribute_questions, ElementsAre("new"));
  EXPECT_THAT(push().plan.attribute_questions, IsEmpty());
}

TEST_F(Attributes, ThatWereChangedAreNoticedThoughNothingElseWas) {
  settle();
  EXPECT_TRUE(give(here("f"), "2"));
  EXPECT_TRUE(give(here("d"), "2"));
  EXPECT_TRUE(give(here("g"), "2"));
  EXPECT_EQ(push().attributes_set, 2U);
  for (const char* name : {"f", "g", "d"}) EXPECT_EQ(attribute(there(name)), "2") << name;
  let_a_tick_pass(there());
  pull();
  EXPECT_TRUE(give(there("f"), "3"));
  EXPECT_TRUE(give(there("d"), "3"));
  pull();
  for (const char* name : {"f", "d"}) EXPECT_EQ(attribute(here(name)), "3") << name;
  EXPECT_EQ(attribute(here("g")), "2");
}

TEST_F(Attributes, GoWithAFileThatIsCopiedAgainBecauseOfTheTarget) {
  settle();
  fs::remove(there("f"));
  fs::remove_all(there("d"));
  push();
  EXPECT_EQ(attribute(there("f")), "1");
  EXPECT_EQ(attribute(there("d")), "1");
  fs::remove(there("f"));
  write(there("f"), "theirs");
  push({.on_conflict = ConflictChoice::KeepLocal});
  EXPECT_EQ(read(there("f")), "f");
  EXPECT_EQ(attribute(there("f")), "1");
}

TEST_F(Attributes, AreAllLookedForWhenContentsAre) {
  settle();
  EXPECT_EQ(::lremovexattr(there("f").c_str(), "user.a"), 0);
  EXPECT_EQ(push().attributes_set, 0U);
  EXPECT_EQ(push({.checksum = true}).attributes_set, 1U);
  EXPECT_EQ(attribute(there("f")), "1");
}

}  // namespace
}  // namespace yonder::sync
