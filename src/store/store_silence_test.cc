#include <gmock/gmock.h>

#include "store/store.h"
#include "store/store_fixture_test.h"

namespace yonder::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using yonder::testing::Scratch;

std::map<std::string, std::int64_t> silent(Store& store, std::int64_t now_ms,
                                           std::int64_t window_ms) {
  auto found = store.silent_machines(now_ms, window_ms);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *std::move(found) : std::map<std::string, std::int64_t>();
}

TEST(StoreSilence, IsKnownForAWhileToEveryProcess) {
  const Scratch scratch;
  Store store(scratch / "yonder.db");
  EXPECT_TRUE(store.note_silent("a", 1000));
  EXPECT_TRUE(store.note_silent("b", 2000));
  Store other(scratch / "yonder.db");
  EXPECT_THAT(silent(other, 2500, 1000), ElementsAre(Pair("b", 2000)));
  EXPECT_TRUE(other.note_silent("a", 2400));
  EXPECT_THAT(silent(store, 2500, 1000), ElementsAre(Pair("a", 2400), Pair("b", 2000)));
}

TEST(StoreSilence, IsOverWhenTheMachineAnswers) {
  const Scratch scratch;
  Store store(scratch / "yonder.db");
  EXPECT_TRUE(store.note_silent("a", 1000));
  EXPECT_TRUE(store.forget_silent("a"));
  EXPECT_TRUE(store.forget_silent("never noted"));
  EXPECT_THAT(silent(store, 1001, 1000), IsEmpty());
}

TEST(StoreSilence, OfTheFutureDoesNotCount) {
  const Scratch scratch;
  Store store(scratch / "yonder.db");
  EXPECT_TRUE(store.note_silent("a", 900'000));
  EXPECT_THAT(silent(store, 1000, 1000), IsEmpty());
}

}  // namespace
}  // namespace yonder::store
