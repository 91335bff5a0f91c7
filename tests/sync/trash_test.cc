// What a sync does with old batches of the trash.
#include "tree/trash.h"

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using testing::eventually;

// A batch that was made in 1970.
std::string old_batch(const std::string& trash, const std::string& root) {
  const std::string batch = concat(trash, "/19700101T000001-aaaa");
  fs::create_directories(batch + "/files");
  std::ofstream(batch + "/files/f") << "old";
  std::ofstream(batch + "/info") << "yonder-trash 1\nwhy sync\ncreated_ms 1000\nroot " << root;
  fs::permissions(trash, fs::perms(0700));
  return batch;
}

TEST_F(SyncTest, APushClearsTheTrashOverThere) {
  const std::string batch = old_batch(concat(base_, "/home/.local/state/yonder/trash"), there());
  write(there("a"), "the old one");
  write(here("a"), "new");
  push();
  EXPECT_TRUE(eventually([&] { return !fs::exists(batch); }));
}

TEST_F(SyncTest, APullClearsTheTrashHere) {
  const std::string batch = old_batch(concat(base_, "/state/trash"), here());
  write(here("a"), "the old one");
  write(there("a"), "new");
  pull();
  EXPECT_FALSE(fs::exists(batch));
}

TEST_F(SyncTest, ATrashInTheTargetIsClearedToo) {
  const std::string batch = old_batch(there(tree::own_trash_name()), there());
  write(there("a"), "the old one");
  write(here("a"), "new");
  push();
  EXPECT_TRUE(eventually([&] { return !fs::exists(batch); }));
}

TEST_F(SyncTest, TheReportNamesTheBatchOfAnAttemptThatWasCutToo) {
  constexpr int kFiles = 200;
  for (int i = 0; i < kFiles; ++i) {
    write(there(concat("f", i)), "the old one");
    write(here(concat("f", i)), noise(50000, static_cast<std::uint64_t>(i)));
  }
  deploy();
  set_ways({cut_to(5000000), ""});
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.reconnects, 1);
  std::uint64_t kept = 0;
  for (const auto& id : report.trash_batches) {
    const auto batch = tree::find_trash({concat(base_, "/home/.local/state/yonder")}, id);
    ASSERT_TRUE(batch) << id;
    kept += batch->entries;
  }
  EXPECT_EQ(kept, static_cast<std::uint64_t>(kFiles));
}

}  // namespace
}  // namespace yonder::sync
