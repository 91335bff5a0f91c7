#include "sync/conflict_name.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "sync/plan.h"

namespace yonder::sync {
namespace {

const std::string kEnding = ".conflict-20261116T081502Z";

TEST(ConflictName, IsTheNameWithAnEndingWhereThatFits) {
  EXPECT_EQ(conflict_name("d/a.txt", kEnding), "d/a.txt" + kEnding);
  const std::string longest(255 - kEnding.size(), 'n');
  EXPECT_EQ(conflict_name(longest, kEnding), longest + kEnding);
}

TEST(ConflictName, OfALongNameFitsIntoTheNameOfAFile) {
  for (const std::size_t size : {256 - kEnding.size(), std::size_t{255}}) {
    const std::string name = conflict_name("d/" + std::string(size, 'n'), kEnding);
    EXPECT_LE(name.size(), 2 + 255U);
    EXPECT_TRUE(name.starts_with("d/nnn"));
    EXPECT_TRUE(is_conflict_copy(name));
  }
}

TEST(ConflictName, IsCutBetweenTwoCharacters) {
  for (std::size_t before = 0; before < 4; ++before) {
    std::string name(before, 'n');
    while (name.size() + 4 <= 255) name += "\xf0\x9f\x99\x82";
    const std::string cut = conflict_name(name, kEnding);
    EXPECT_TRUE(is_utf8(cut)) << before;
    EXPECT_LE(cut.size(), 255U);
  }
}

TEST(ConflictName, DiffersForLongNamesWithOneBeginning) {
  const std::string start(250, 'n');
  EXPECT_NE(conflict_name(start + "aaaaa", kEnding), conflict_name(start + "bbbbb", kEnding));
}

}  // namespace
}  // namespace yonder::sync
