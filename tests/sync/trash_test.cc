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
  write(here("a"), "new");
  write(there("a"), "the old one");
  push();
  EXPECT_TRUE(eventually([&] { return !fs::exists(batch); }));
}

TEST_F(SyncTest, APullClearsTheTrashHere) {
  const std::string batch = old_batch(concat(base_, "/state/trash"), here());
  write(there("a"), "new");
  write(here("a"), "the old one");
  pull();
  EXPECT_FALSE(fs::exists(batch));
}

TEST_F(SyncTest, ATrashInTheTargetIsClearedToo) {
  const std::string batch = old_batch(there(".yonder-trash"), there());
  write(here("a"), "new");
  write(there("a"), "the old one");
  push();
  EXPECT_TRUE(eventually([&] { return !fs::exists(batch); }));
}

}  // namespace
}  // namespace yonder::sync
