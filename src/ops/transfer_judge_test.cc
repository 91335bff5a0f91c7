#include <gtest/gtest.h>

#include "ops/transfers.h"

namespace yonder::ops {
namespace {

store::TransferNote note_with(const std::string& status, std::int64_t pid) {
  return {.id = 1, .status = status, .worker = {.pid = pid}, .created_ms = 1'000'000};
}

constexpr std::int64_t kSoon = 1'001'000;
constexpr std::int64_t kLater = 1'100'000;

TEST(TransferJudge, BelievesARowWhoseWorkerLives) {
  EXPECT_EQ(judge_transfer(note_with("running", 5), Sight::Lives, kLater).status, "running");
  EXPECT_EQ(judge_transfer(note_with("queued", 5), Sight::Lives, kLater).status, "queued");
  EXPECT_FALSE(judge_transfer(note_with("running", 5), Sight::Lives, kLater).ended());
}

TEST(TransferJudge, CallsARunningOneFailedWhenItsWorkerIsGone) {
  const auto state = judge_transfer(note_with("running", 5), Sight::Gone, kSoon);
  EXPECT_EQ(state.status, "failed");
  EXPECT_TRUE(state.stale);
  EXPECT_TRUE(state.ended());
}

TEST(TransferJudge, GivesAWorkerThatNobodyHasSeenTimeToComeUp) {
  EXPECT_EQ(judge_transfer(note_with("queued", 0), Sight::Gone, kSoon).status, "queued");
  EXPECT_EQ(judge_transfer(note_with("queued", 0), Sight::Gone, kLater).status, "failed");
  EXPECT_TRUE(judge_transfer(note_with("queued", 0), Sight::Gone, kLater).stale);
  // A clock that was set back is no reason to wait for ever.
  EXPECT_TRUE(judge_transfer(note_with("queued", 0), Sight::Gone, 0).stale);
}

TEST(TransferJudge, DoesNotLeaveAQueuedOnePendingWhenItsWorkerDiedAtOnce) {
  EXPECT_TRUE(judge_transfer(note_with("queued", 5), Sight::Gone, kSoon).stale);
}

TEST(TransferJudge, DoesNotKnowWhatItCannotSee) {
  for (const char* status : {"queued", "running"}) {
    store::TransferNote note = note_with(status, 5);
    note.worker.host = "gate2";
    note.updated_ms = kSoon - 7000;
    const TransferState state = judge_transfer(note, Sight::Elsewhere, kSoon);
    EXPECT_EQ(state.status, "unknown");
    EXPECT_FALSE(state.stale);
    EXPECT_FALSE(state.ended());
    const Json json = to_json(TransferInfo{.note = note, .state = state});
    EXPECT_EQ(json["error"], nullptr);
    EXPECT_EQ(json["running"], nullptr);
    const auto text = json["progress"]["text"].get<std::string>();
    EXPECT_NE(text.find("gate2"), std::string::npos);
    EXPECT_NE(text.find("7 s ago"), std::string::npos);
  }
  EXPECT_EQ(judge_transfer(note_with("completed", 5), Sight::Elsewhere, kSoon).status, "completed");
}

TEST(TransferJudge, NeverDoubtsAnEnd) {
  for (const char* status : {"completed", "failed", "cancelled"}) {
    const auto state = judge_transfer(note_with(status, 5), Sight::Gone, kLater);
    EXPECT_EQ(state.status, status);
    EXPECT_FALSE(state.stale);
    EXPECT_TRUE(state.ended());
  }
}

TEST(TransferJson, HasEveryKeyInEveryState) {
  const Json fresh = to_json(TransferInfo{.note = note_with("queued", 0), .state = {"queued"}});
  for (const char* key :
       {"task_id", "status", "running", "pending", "stale", "complete", "direction", "sandbox",
        "local_path", "remote_path", "pid", "cancel_requested", "created_at", "started_at",
        "updated_at", "finished_at", "progress", "error"}) {
    EXPECT_TRUE(fresh.contains(key)) << key;
  }
  EXPECT_EQ(fresh["pending"], true);
  EXPECT_EQ(fresh["error"], nullptr);
  EXPECT_EQ(fresh["progress"]["phase"], "queued");
}

TEST(TransferJson, SaysHowToGoOnAfterALostWorker) {
  const Json lost = to_json(
      TransferInfo{.note = note_with("running", 7), .state = {.status = "failed", .stale = true}});
  EXPECT_EQ(lost["stale"], true);
  EXPECT_EQ(lost["running"], false);
  EXPECT_EQ(lost["error"]["message"], "the worker ended without a result");
  EXPECT_NE(lost["error"]["hint"].get<std::string>().find("continues where"), std::string::npos);
}

TEST(TransferJson, HasNothingLeftToWaitForWhenItHasEnded) {
  auto note = note_with("cancelled", 7);
  note.progress = R"({"text":"1 of 2 files, 2 s left","left_s":2,"bytes_per_s":9,"phase":"x"})";
  const Json json = to_json(TransferInfo{.note = note, .state = {.status = "cancelled"}});
  EXPECT_EQ(json["progress"]["left_s"], nullptr);
  EXPECT_EQ(json["progress"]["text"], "cancelled");
}

TEST(TransferJson, TellsACompletedOneThatIsNotComplete) {
  store::TransferNote note = note_with("completed", 7);
  note.result = R"({"complete":false})";
  EXPECT_EQ(to_json(TransferInfo{.note = note, .state = {"completed"}})["complete"], false);
}

}  // namespace
}  // namespace yonder::ops
