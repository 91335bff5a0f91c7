#include "outpost/doubtful.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace yonder::outpost {
namespace {

constexpr wire::ProcessKey kCommand{.pid = 50, .start_time = 500};

Process orphan() {
  return {.pid = 60, .parent = 1, .session = 60, .state = 'S', .start_time = 600};
}

TEST(Doubtful, IsAnOrphanThatBeganAfterTheRun) {
  EXPECT_TRUE(could_be_left_of(kCommand, orphan(), {orphan()}));
  auto process = orphan();
  process.start_time = 499;
  EXPECT_FALSE(could_be_left_of(kCommand, process, {process})) << "it is older";
  process = orphan();
  process.parent = 7;
  EXPECT_FALSE(could_be_left_of(kCommand, process, {process})) << "its parent lives";
  process = orphan();
  process.state = 'Z';
  EXPECT_FALSE(could_be_left_of(kCommand, process, {process})) << "it has ended";
}

TEST(Doubtful, IsNotInASessionThatIsOlderThanTheRun) {
  auto process = orphan();
  process.session = 40;
  Process leader{.pid = 40, .parent = 1, .session = 40, .state = 'S', .start_time = 400};
  EXPECT_FALSE(could_be_left_of(kCommand, process, {leader, process}));
  leader.start_time = 550;
  EXPECT_TRUE(could_be_left_of(kCommand, process, {leader, process}));
  EXPECT_TRUE(could_be_left_of(kCommand, process, {process})) << "its leader has gone";
}

TEST(Doubtful, IsNobodyWhereTheCommandIsNotKnownOrHasJustBegun) {
  EXPECT_FALSE(find_doubtful({}));
  EXPECT_FALSE(find_doubtful({.pid = ::getpid(), .start_time = ~std::uint64_t{0}}));
}

}  // namespace
}  // namespace yonder::outpost
