#include "cli/told_notes.h"

#include <gmock/gmock.h>

#include "base/scratch_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ToldNotes, AreRememberedForEachThing) {
  const testing::Scratch scratch;
  const std::string state = scratch / "new/state";
  EXPECT_THAT(told_notes(state, "a"), IsEmpty());
  remember_told(state, "a", {"one", "two"});
  remember_told(state, "b", {"three"});
  EXPECT_THAT(told_notes(state, "a"), ElementsAre("one", "two"));
  EXPECT_THAT(told_notes(state, "b"), ElementsAre("three"));
  remember_told(state, "a", {});
  EXPECT_THAT(told_notes(state, "a"), IsEmpty());
}

TEST(ToldNotes, AreReadFromTheirFileAsItWasWritten) {
  const testing::Scratch scratch;
  scratch.write("told-notes.json", R"({"box\n/a\n/b\npush":["left out: 1 by `.git`"]})");
  EXPECT_THAT(told_notes(scratch.path(), "box\n/a\n/b\npush"),
              ElementsAre("left out: 1 by `.git`"));
}

TEST(ToldNotes, ThatCannotBeReadAreNone) {
  const testing::Scratch scratch;
  scratch.write("told-notes.json", "[1, {");
  EXPECT_THAT(told_notes(scratch.path(), "a"), IsEmpty());
  remember_told(scratch.path(), "a", {"one"});
  EXPECT_THAT(told_notes(scratch.path(), "a"), ElementsAre("one"));
}

}  // namespace
}  // namespace yonder::cli
