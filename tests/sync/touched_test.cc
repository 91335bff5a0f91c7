// A new time alone is no change: contents decide.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;

class Touched : public SyncTest {
 protected:
  static void touch(const std::string& path) {
    static time_t when = 1700000000;
    const timespec time{++when, 5};
    const std::array<timespec, 2> times{time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  }
  static void chmod(const std::string& path, mode_t mode) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0) << path;
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777U;
  }
  void edit(const std::string& path, const std::string& text) {
    write(path, text);
    touch(path);
  }
  // Whichever way the sync goes that is under test, and whichever way the record came.
  struct Way {
    bool recorded_by_push = true;
    bool push = true;
  };
  static constexpr std::array<Way, 4> kWays{Way{true, true}, Way{true, false}, Way{false, true},
                                            Way{false, false}};
  SyncReport sync(bool push, const SyncOptions& options = {}) {
    return push ? this->push(options) : pull(options);
  }
  std::string at_source(const Way& way, const std::string& name) const {
    return way.push ? here(name) : there(name);
  }
  std::string at_target(const Way& way, const std::string& name) const {
    return way.push ? there(name) : here(name);
  }
  void record(const Way& way, const std::vector<std::string>& names) {
    for (const auto& name : names) {
      fs::remove(here(name));
      fs::remove(there(name));
      edit(way.recorded_by_push ? here(name) : there(name), "one");
    }
    EXPECT_TRUE(sync(way.recorded_by_push).complete());
  }
};

TEST_F(Touched, InTheTargetAndEditedInTheSourceIsNoConflict) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(
        concat(way.recorded_by_push ? "push" : "pull", ", then ", way.push ? "push" : "pull"));
    record(way, {"same size", "longer", "again"});
    for (const char* name : {"same size", "longer", "again"}) touch(at_target(way, name));
    edit(at_source(way, "same size"), "two");
    edit(at_source(way, "longer"), "longer than one");
    const SyncReport report = sync(way.push);
    EXPECT_EQ(report.plan.counts.conflicts, 0U);
    EXPECT_EQ(report.files_sent, 2U);
    // What was touched only is known again by its contents, also after that.
    touch(at_target(way, "again"));
    edit(at_source(way, "again"), "now");
    EXPECT_TRUE(sync(way.push).complete());
    EXPECT_EQ(difference(), "");
  }
}

TEST_F(Touched, InTheTargetAndRemovedFromTheSourceIsRemoved) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(
        concat(way.recorded_by_push ? "push" : "pull", ", then ", way.push ? "push" : "pull"));
    record(way, {"stays", "touched", "edited"});
    touch(at_target(way, "touched"));
    edit(at_target(way, "edited"), "two");
    fs::remove(at_source(way, "touched"));
    fs::remove(at_source(way, "edited"));
    const SyncReport report = sync(way.push, {.delete_extras = true});
    EXPECT_EQ(report.plan.counts.conflicts, 1U);
    EXPECT_FALSE(fs::exists(at_target(way, "touched")));
    EXPECT_EQ(read(at_target(way, "edited")), "two");
  }
}

TEST_F(Touched, AndEditedInTheTargetIsAConflict) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(
        concat(way.recorded_by_push ? "push" : "pull", ", then ", way.push ? "push" : "pull"));
    record(way, {"f"});
    edit(at_target(way, "f"), "two");
    edit(at_source(way, "f"), "six");
    EXPECT_EQ(sync(way.push).plan.counts.conflicts, 1U);
    EXPECT_EQ(sync(way.push).plan.counts.conflicts, 1U);
    EXPECT_EQ(read(at_target(way, "f")), "two");
  }
}

TEST_F(Touched, InTheTargetWithAnotherModeKeepsThatMode) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(
        concat(way.recorded_by_push ? "push" : "pull", ", then ", way.push ? "push" : "pull"));
    record(way, {"f"});
    touch(at_target(way, "f"));
    chmod(at_target(way, "f"), 0600);
    edit(at_source(way, "f"), "two");
    EXPECT_TRUE(sync(way.push).complete());
    EXPECT_EQ(read(at_target(way, "f")), "two");
    EXPECT_EQ(mode_of(at_target(way, "f")), 0600U);
  }
}

// What both ends had before the first sync was never sent.
TEST_F(Touched, InTheTargetIsNoConflictAlsoWhereASyncHasOnlyRead) {
  edit(here("f"), "one");
  edit(there("f"), "one");
  EXPECT_TRUE(push().complete());
  touch(there("f"));
  edit(here("f"), "two");
  EXPECT_EQ(push().plan.counts.conflicts, 0U);
  EXPECT_EQ(read(there("f")), "two");
}

}  // namespace
}  // namespace yonder::sync
