#include <limits>

#include "store/store_fixture_test.h"

namespace yonder::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreTransfers : public ::testing::Test {
 protected:
  yonder::testing::Scratch scratch_;
  Store store_{scratch_ / "yonder.db"};
  const WorkerKey worker_{
      .pid = 4711, .start_time = "99", .boot_id = "boot", .host = "h", .pid_namespace = "n"};

  std::int64_t add(std::int64_t created_ms = 1000) {
    const auto id = store_.add_transfer({.direction = "local_to_remote",
                                         .sandbox = "gpu1",
                                         .local_path = std::string("/src/\xff\x00x", 8),
                                         .remote_path = "~/exp",
                                         .options = "{}",
                                         .status = "queued",
                                         .created_ms = created_ms});
    EXPECT_TRUE(id) << id.error().message;
    return id ? *id : 0;
  }
  TransferNote found(std::int64_t id) {
    auto note = store_.find_transfer(id);
    if (!note || !*note) {
      ADD_FAILURE() << id << ": " << (note ? "not found" : note.error().message);
      return {};
    }
    return **note;
  }
  static bool yes(const Result<bool>& result) {
    EXPECT_TRUE(result) << result.error().message;
    return result && *result;
  }
};

TEST_F(StoreTransfers, AreKeptWithPathsOfAnyBytes) {
  const std::int64_t id = add();
  const TransferNote note = found(id);
  EXPECT_EQ(note.id, id);
  EXPECT_EQ(note.status, "queued");
  EXPECT_EQ(note.local_path, std::string("/src/\xff\x00x", 8));
  EXPECT_EQ(note.remote_path, "~/exp");
  EXPECT_EQ(note.created_ms, 1000);
  EXPECT_EQ(note.worker, WorkerKey{});
  EXPECT_FALSE(note.cancel_requested);
}

TEST_F(StoreTransfers, AreClaimedByOneWorker) {
  const std::int64_t id = add();
  EXPECT_TRUE(yes(store_.transfer_has_worker(id, worker_)));
  EXPECT_EQ(found(id).worker, worker_);
  EXPECT_TRUE(yes(store_.claim_transfer(id, worker_, 2000)));
  EXPECT_FALSE(yes(store_.claim_transfer(id, {.pid = 1}, 2001)));
  EXPECT_FALSE(yes(store_.transfer_has_worker(id, {.pid = 1})));
  const TransferNote note = found(id);
  EXPECT_EQ(note.status, "running");
  EXPECT_EQ(note.worker, worker_);
  EXPECT_EQ(note.started_ms, 2000);
}

TEST_F(StoreTransfers, AreNotClaimedOnceTheyAreCancelled) {
  const std::int64_t id = add();
  EXPECT_TRUE(yes(store_.request_cancel(id)));
  EXPECT_FALSE(yes(store_.claim_transfer(id, worker_, 2000)));
  EXPECT_TRUE(found(id).cancel_requested);
}

TEST_F(StoreTransfers, TellTheirWorkerToGiveUp) {
  const std::int64_t id = add();
  EXPECT_TRUE(yes(store_.claim_transfer(id, worker_, 2000)));
  EXPECT_TRUE(yes(store_.transfer_goes_on(id, "{\"files_done\":1}", 3000)));
  EXPECT_EQ(found(id).progress, "{\"files_done\":1}");
  EXPECT_EQ(found(id).updated_ms, 3000);
  EXPECT_TRUE(yes(store_.request_cancel(id)));
  EXPECT_FALSE(yes(store_.transfer_goes_on(id, "{}", 3500)));
}

TEST_F(StoreTransfers, EndOnce) {
  const std::int64_t id = add();
  EXPECT_TRUE(yes(store_.end_transfer(id, {.status = "completed", .result = "{}", .at_ms = 5})));
  EXPECT_FALSE(yes(store_.end_transfer(id, {.status = "cancelled", .at_ms = 6})));
  EXPECT_FALSE(yes(store_.request_cancel(id)));
  EXPECT_FALSE(yes(store_.transfer_goes_on(id, "{}", 7)));
  const TransferNote note = found(id);
  EXPECT_EQ(note.status, "completed");
  EXPECT_EQ(note.result, "{}");
  EXPECT_EQ(note.finished_ms, 5);
}

TEST_F(StoreTransfers, AreListedNewestFirstAndNumbersAreNotUsedAgain) {
  const std::int64_t first = add();
  const std::int64_t second = add();
  EXPECT_TRUE(store_.forget_transfer(second));
  const std::int64_t third = add();
  EXPECT_GT(third, second);
  const auto list = store_.transfers(10);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ(list->at(0).id, third);
  EXPECT_EQ(list->at(1).id, first);
  EXPECT_FALSE(*store_.find_transfer(second));
}

TEST_F(StoreTransfers, GrowOld) {
  const std::int64_t old = add(1000);
  const std::int64_t middle = add(5000);
  add(6000);
  EXPECT_THAT(*store_.old_transfers(2000, 10), ElementsAre(old));
  EXPECT_THAT(*store_.old_transfers(0, 1), ElementsAre(old, middle));
  EXPECT_THAT(*store_.old_transfers(0, 10), IsEmpty());
}

}  // namespace
}  // namespace yonder::store
