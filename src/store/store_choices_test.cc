#include "base/file.h"
#include "base/text.h"
#include "store/store.h"
#include "store/store_fixture_test.h"

namespace yonder::store {
namespace {

using yonder::testing::Scratch;

constexpr std::int64_t kMinute = 60'000;

// The least chosen of a few machines, as somebody would who spreads work.
std::string least_chosen(const std::map<std::string, int>& recent, int machines) {
  std::string best;
  int least = 1'000'000;
  for (int i = 0; i < machines; ++i) {
    const std::string name = concat("m", i);
    const auto known = recent.find(name);
    const int count = known == recent.end() ? 0 : known->second;
    if (count < least) best = name;
    least = std::min(least, count);
  }
  return best;
}

std::map<std::string, int> recent(Store& store, std::int64_t now_ms) {
  std::map<std::string, int> seen;
  EXPECT_TRUE(store.choose({.now_ms = now_ms, .window_ms = kMinute}, [&](const auto& counts) {
    seen = counts;
    return std::string();
  }));
  return seen;
}

TEST(StoreChoices, AreCountedForAWhile) {
  const Scratch scratch;
  Store store(scratch / "yonder.db");
  for (const std::int64_t at : {1000, 2000}) {
    EXPECT_TRUE(
        store.choose({.now_ms = at, .window_ms = kMinute}, [](const auto&) { return "gpu1"; }));
  }
  EXPECT_TRUE(
      store.choose({.now_ms = 3000, .window_ms = kMinute}, [](const auto&) { return "gpu2"; }));
  EXPECT_EQ(recent(store, 3000), (std::map<std::string, int>{{"gpu1", 2}, {"gpu2", 1}}));
  EXPECT_EQ(recent(store, 1000 + kMinute), (std::map<std::string, int>{{"gpu1", 1}, {"gpu2", 1}}));
  EXPECT_TRUE(recent(store, 3000 + kMinute).empty());
}

TEST(StoreChoices, OfTheFutureAreForgottenWhenTheClockWasSetBack) {
  const Scratch scratch;
  Store store(scratch / "yonder.db");
  EXPECT_TRUE(store.choose({.now_ms = 10 * kMinute, .window_ms = kMinute},
                           [](const auto&) { return "gpu1"; }));
  EXPECT_TRUE(recent(store, kMinute).empty());
}

TEST(StoreChoices, OfAKeyAreFoundAgainUntilNothingWasStartedThere) {
  const Scratch scratch;
  Store store(scratch / "yonder.db");
  EXPECT_EQ(*store.place_of_key("nightly"), std::nullopt);
  const auto choose = [&](const char* name) {
    EXPECT_TRUE(store.choose({.now_ms = 1000, .window_ms = kMinute, .key = "nightly"},
                             [&](const auto&) { return name; }));
  };
  choose("gpu1");
  EXPECT_EQ(*store.place_of_key("nightly"), "gpu1");
  choose("gpu2");
  EXPECT_EQ(*store.place_of_key("nightly"), "gpu2");
  EXPECT_TRUE(recent(store, 100 * kMinute).empty());
  EXPECT_EQ(*store.place_of_key("nightly"), "gpu2") << "longer than choices count";
  EXPECT_TRUE(store.forget_place("nightly"));
  EXPECT_EQ(*store.place_of_key("nightly"), std::nullopt);
}

TEST(StoreChoices, OfManyProcessesAtOnceAreSpread) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  constexpr int kMachines = 4;
  std::vector<pid_t> children;
  // All begin to choose at the same moment: when the last one has come.
  constexpr int kChoosers = 2 * kMachines;
  const auto has_come = [&](int i) { return concat("come", i); };
  const auto all_have_come = [&] {
    for (int i = 0; i < kChoosers; ++i) {
      if (!path_exists(scratch / has_come(i))) return false;
    }
    return true;
  };
  for (int i = 0; i < kChoosers; ++i) {
    children.push_back(in_child([&, i] {
      Store store(path);
      scratch.write(has_come(i), "");
      if (!yonder::testing::eventually(all_have_come)) return 2;
      const auto chosen =
          store.choose({.now_ms = 1000, .window_ms = kMinute},
                       [](const auto& counts) { return least_chosen(counts, kMachines); });
      return chosen ? 0 : 1;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(finish(child), 0);
  Store store(path);
  const auto counts = recent(store, 1000);
  EXPECT_EQ(counts.size(), std::size_t{kMachines});
  for (const auto& [name, count] : counts) EXPECT_EQ(count, 2) << name;
}

}  // namespace
}  // namespace yonder::store
