#include "ops/sync_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

SyncResponse done(sync::Direction direction = sync::Direction::Push) {
  SyncResponse response{.sandbox = "gpu1"};
  response.asked.direction = direction;
  response.report = sync::SyncReport{.local_path = "/src", .remote_path = "/home/me/exp"};
  return response;
}

TEST(SyncJson, HasEveryKeyOfTheSchemaHereAndInTheBackground) {
  for (const auto direction : {sync::Direction::Push, sync::Direction::Pull}) {
    const auto wanted = keys_of(sync_output_schema(direction)["properties"]);
    EXPECT_EQ(keys_of(to_json(done(direction))), wanted);
    SyncResponse started = done(direction);
    started.report.reset();
    started.transfer = TransferStarted{.id = 3, .pid = 7, .log_file = "/log"};
    EXPECT_EQ(keys_of(to_json(started)), wanted);
  }
}

TEST(SyncJson, CountsWhatWasDone) {
  SyncResponse response = done();
  response.report->files_sent = 4;
  response.report->directories_made = 2;
  response.report->files_removed = 1;
  response.report->plan.counts.unchanged = 10;
  response.report->plan.counts.unchanged_directories = 3;
  const Json json = to_json(response);
  EXPECT_EQ(json["mode"], "inline");
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["uploaded_files"], 4);
  EXPECT_EQ(json["uploaded_dirs"], 2);
  EXPECT_EQ(json["skipped_files"], 7);
  EXPECT_EQ(json["deleted_files"], 1);
  EXPECT_EQ(json["task_id"], nullptr);
  EXPECT_EQ(json["plan"], nullptr);
}

TEST(SyncJson, SaysThatSomethingFailed) {
  SyncResponse response = done();
  for (int i = 0; i < 60; ++i) {
    response.report->failed.push_back({"f\xff" + std::to_string(i), Errc::NoPlace, "disk full"});
  }
  const Json json = to_json(response);
  EXPECT_EQ(json["status"], "incomplete");
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["failed"].size(), 50U);
  EXPECT_EQ(json["failed_total"], 60);
  EXPECT_EQ(json["failed"][0]["path"], "f\\xff0");
}

TEST(SyncJson, SaysAtWhichEndItFailedAndWhatHelps) {
  SyncResponse response = done();
  response.report->failed = {{"a", Errc::Internal, "No space left on device", true},
                             {"b", Errc::Internal, "Permission denied", false}};
  const Json failed = to_json(response)["failed"];
  EXPECT_EQ(failed[0]["where"], "remote");
  EXPECT_EQ(
      failed[0]["hint"],
      "free space there; `yonder trash` shows what Yonder keeps of replaced files there, --empty "
      "removes it");
  EXPECT_EQ(failed[1]["where"], "local");
  EXPECT_EQ(failed[1]["hint"], "check its mode and owner here");
}

TEST(SyncJson, NamesCopiesAndWhatWasKept) {
  SyncResponse response = done();
  response.report->conflict_copies = {{"a", "a.theirs"}};
  response.report->plan.left = {{"b", sync::Left::Kept, "kept as it is in the target"}};
  response.report->plan.counts.kept = 1;
  const Json json = to_json(response);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["counts"]["kept"], 1);
  EXPECT_EQ(json["conflicts"], Json::array());
  EXPECT_EQ(json["conflict_copies"][0]["copy"], "a.theirs");
}

TEST(SyncJson, AnswersOfABackgroundTransferSayHowToFollowIt) {
  SyncResponse response = done();
  response.report.reset();
  response.transfer = TransferStarted{
      .id = 3, .pid = 7, .log_file = "/log", .auto_switched = true, .why = "too large"};
  const Json json = to_json(response);
  EXPECT_EQ(json["mode"], "background");
  EXPECT_EQ(json["status"], "queued");
  EXPECT_EQ(json["auto_switched"], true);
  EXPECT_EQ(json["task_id"], 3);
  EXPECT_EQ(json["pid"], 7);
  EXPECT_EQ(json["warnings"], Json::array({"too large"}));
}

TEST(SyncJson, ShowsThePlanOfADryRun) {
  SyncResponse response = done();
  response.asked.dry_run = true;
  response.report->dry_run = true;
  for (int i = 0; i < 120; ++i) {
    response.report->plan.actions.push_back(
        {.act = sync::Act::PutFile, .path = std::to_string(i), .size = 10});
  }
  response.report->plan.actions[119].act = sync::Act::Remove;
  const Json json = to_json(response);
  EXPECT_EQ(json["status"], "planned");
  EXPECT_EQ(json["complete"], nullptr);
  EXPECT_EQ(json["plan"]["entries"].size(), 100U);
  EXPECT_EQ(json["plan"]["total"], 120);
  EXPECT_EQ(json["plan"]["entries"][0]["action"], "delete") << "what is lost comes first";
  EXPECT_EQ(json["plan"]["entries"][1]["action"], "create");
  EXPECT_EQ(json["plan"]["entries"][1]["bytes"], 10);
}

TEST(SyncLeftOut, IsGroupedByRuleWithTheFirstPaths) {
  std::vector<sync::LeftOut> left;
  for (int i = 0; i < 9; ++i) {
    left.push_back({"d" + std::to_string(i), sync::Left::Excluded, "`d*` (excludes:1)", true});
  }
  left.push_back({"x/.env", sync::Left::Excluded, "`.env` (built in: secret)"});
  left.push_back({"home/.ssh", sync::Left::Excluded, "`/.ssh` (secret place)", true});
  left.push_back({"pipe", sync::Left::Special, "a pipe"});
  left.push_back({"mine", sync::Left::Conflict, "changed"});
  left.push_back({"a", sync::Left::InTheWay, "in its place the target has a directory"});
  left.push_back({"b", sync::Left::InTheWay, "'b' is in the way"});
  const auto groups = group_left_out(left);
  ASSERT_EQ(groups.size(), 5U);
  EXPECT_EQ(groups[0].count, 9U);
  EXPECT_THAT(groups[0].examples, ElementsAre("d0/", "d1/", "d2/", "d3/", "d4/"));
  EXPECT_EQ(groups[0].hint, "");
  EXPECT_THAT(groups[1].hint, HasSubstr("excludes: [\"!.env\"]"));
  EXPECT_THAT(groups[2].hint, HasSubstr("allow_secrets"));
  EXPECT_EQ(groups[3].why, "special");
  EXPECT_EQ(groups[4].why, "in_the_way");
  EXPECT_EQ(groups[4].count, 2U);
}

}  // namespace
}  // namespace yonder::ops
