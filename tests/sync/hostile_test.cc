// A far side that does not keep to what it was told.
#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The far side hears another word than the one that was said, of the same length.
std::string mishearing(const std::string& said, const std::string& heard) {
  return concat("perl -e 'while (sysread(STDIN, $b, 65536)) { $b =~ s/", said, "/", heard,
                "/g; syswrite(STDOUT, $b) }' | sh");
}

TEST_F(SyncTest, WhatTheRulesLeaveOutIsNotPulledWhateverIsListed) {
  write(there("hidden/hooks/run"), "#!/bin/sh\n", 0755);
  write(there("a"), "one");
  set_ways({mishearing("hidden", "HIDDEN")});
  const SyncReport report = pull({.excludes = {"hidden"}, .default_rules = false});
  EXPECT_EQ(read(here("a")), "one");
  EXPECT_FALSE(fs::exists(here("hidden")));
  EXPECT_EQ(report.files_sent, 1U);
  EXPECT_EQ(report.plan.counts.excluded, 1U);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("3 entries, the first is 'hidden'")));
}

TEST_F(SyncTest, WhatTheRulesLeaveOutIsNotReplacedNorRemovedByAPull) {
  write(here("hidden/mine"), "mine");
  write(there("hidden/mine"), "theirs!");
  write(there("a"), "one");
  set_ways({mishearing("hidden", "HIDDEN")});
  const SyncReport report =
      pull({.delete_extras = true, .excludes = {"hidden"}, .default_rules = false});
  EXPECT_EQ(read(here("hidden/mine")), "mine");
  EXPECT_EQ(report.files_removed + report.directories_removed, 0U);
  EXPECT_THAT(report.trash_batches, IsEmpty());
}

TEST_F(SyncTest, WhatTheRulesLeaveOutIsNotRemovedByAPushWhateverIsListed) {
  write(here("a"), "one");
  write(there("hidden/theirs"), "theirs");
  set_ways({mishearing("hidden", "HIDDEN")});
  const SyncReport report =
      push({.delete_extras = true, .excludes = {"hidden"}, .default_rules = false});
  EXPECT_EQ(read(there("hidden/theirs")), "theirs");
  EXPECT_EQ(report.files_removed + report.directories_removed, 0U);
}

TEST_F(SyncTest, AFarIgnoreFileBringsNothingBack) {
  write(there(".gitignore"), "!.git\n!.env\n*.o\n");
  write(there(".git/hooks/pre-push"), "#!/bin/sh\n", 0755);
  write(there(".env"), "TOKEN=1");
  write(there("x.o"), "object");
  write(there("a"), "one");
  const SyncReport report = pull({.use_gitignore = true});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(read(here("a")), "one");
  EXPECT_FALSE(fs::exists(here(".git")));
  EXPECT_FALSE(fs::exists(here(".env")));
  EXPECT_FALSE(fs::exists(here("x.o")));
  EXPECT_EQ(report.plan.counts.excluded, 3U);
}

}  // namespace
}  // namespace yonder::sync
