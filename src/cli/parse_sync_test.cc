#include <gmock/gmock.h>

#include "cli/exit_status.h"
#include "cli/parsing_test.h"
#include "cli/progress_bar.h"
#include "cli/sync_report.h"
#include "cli/transfers_table.h"

namespace yonder::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ParseSync, TakesTheSandboxFirstOrNotAtAll) {
  const auto push = parsed<SyncOptions>({"push", "gpu1", "src", "~/x"}).calls.at(0);
  EXPECT_EQ(push.sandbox, "gpu1");
  EXPECT_EQ(push.what.direction, sync::Direction::Push);
  EXPECT_EQ(push.what.local_path, "src");
  EXPECT_EQ(push.what.remote_path, "~/x");
  EXPECT_FALSE(push.by_agent);
  EXPECT_FALSE(push.limits);
  EXPECT_FALSE(push.wait);
  const auto pull = parsed<SyncOptions>({"pull", "~/x", "src"}).calls.at(0);
  EXPECT_EQ(pull.sandbox, "");
  EXPECT_EQ(pull.what.direction, sync::Direction::Pull);
  EXPECT_EQ(pull.what.local_path, "src");
  EXPECT_EQ(pull.what.remote_path, "~/x");
}

TEST(ParseSync, ReadsEveryOption) {
  const auto line = parsed<SyncOptions>({"push",
                                         ".",
                                         "x",
                                         "--delete",
                                         "--confirm-delete",
                                         "7",
                                         "--exclude",
                                         "a",
                                         "--exclude",
                                         "!b",
                                         "--gitignore",
                                         "--exclude-from",
                                         "f",
                                         "--no-default-excludes",
                                         "--checksum",
                                         "--hard-links",
                                         "--on-conflict",
                                         "both",
                                         "-n",
                                         "--no-trash",
                                         "--fsync",
                                         "--json",
                                         "-q"});
  const sync::SyncOptions& how = line.calls.at(0).what.options;
  EXPECT_TRUE(how.delete_extras);
  EXPECT_EQ(how.confirm_delete, 7U);
  EXPECT_THAT(how.excludes, ElementsAre("a", "!b"));
  EXPECT_EQ(how.exclude_file, "f");
  EXPECT_TRUE(how.use_gitignore);
  EXPECT_FALSE(how.default_rules);
  EXPECT_TRUE(how.checksum);
  EXPECT_TRUE(how.hard_links);
  EXPECT_EQ(how.on_conflict, sync::ConflictChoice::Both);
  EXPECT_FALSE(how.keep_replaced);
  EXPECT_TRUE(how.flush_to_disk);
  EXPECT_TRUE(line.calls.at(0).what.dry_run);
  EXPECT_TRUE(line.json);
  EXPECT_TRUE(line.quiet);
}

TEST(ParseSync, SaysWhatIsMissingOrWrong) {
  EXPECT_THAT(refusal({"push"}), HasSubstr("yonder push LOCAL... NAME:REMOTE"));
  EXPECT_THAT(refusal({"pull", "x"}), HasSubstr("yonder pull NAME:REMOTE... LOCAL"));
  EXPECT_THAT(refusal({"push", ".", ""}), HasSubstr("empty"));
  EXPECT_THAT(refusal({"push", ".", "x", "--on-conflict", "mine"}), HasSubstr("keep_local"));
  EXPECT_THAT(refusal({"push", ".", "x", "-n", "--background"}), HasSubstr("--background"));
  EXPECT_THAT(refusal({"transfers", "x"}), HasSubstr("number of a transfer"));
}

TEST(ParseSync, ReadsTransfers) {
  EXPECT_FALSE(parsed<TransfersOptions>({"transfers"}).id);
  EXPECT_EQ(parsed<TransfersOptions>({"transfers", "7"}).id, 7);
  const auto cancel = parsed<TransfersOptions>({"transfers", "--cancel", "8"});
  EXPECT_EQ(cancel.id, 8);
  EXPECT_TRUE(cancel.cancel);
  EXPECT_EQ(parsed<TransferWorkerOptions>({"transfer-worker", "--task", "9"}).id, 9);
}

TEST(ParseSync, HidesTheWorker) {
  for (const auto& shape : command_shapes()) EXPECT_NE(shape.name, "transfer-worker");
  EXPECT_THAT(refusal({"transfer-worke"}), Not(HasSubstr("transfer-worker")));
}

ops::SyncResponse response() {
  ops::SyncResponse done{.sandbox = "gpu1"};
  done.report = sync::SyncReport{.local_path = "/src", .remote_path = "/home/me/exp"};
  done.report->files_sent = 2;
  done.report->bytes_sent = 2048;
  done.report->bytes_on_wire = 1024;
  return done;
}

TEST(SyncReport, IsOneLineWhenAllIsWell) {
  const Report report = sync_report(response(), false);
  EXPECT_EQ(report.status, kExitSuccess);
  EXPECT_THAT(report.out, StartsWith("gpu1:/home/me/exp: 2 files sent (2.0 KiB, 1.0 KiB over"));
  EXPECT_THAT(report.messages, IsEmpty());
}

TEST(SyncReport, SaysWhatWasLeftOutAndHowToBringItBack) {
  auto done = response();
  done.report->plan.left.push_back({".env", sync::Left::Excluded, "`.env` (built in: secret)"});
  EXPECT_THAT(sync_report(done, false).messages, Contains(HasSubstr("--exclude '!.env'")));
  EXPECT_THAT(sync_report(done, true).messages, IsEmpty());
  const auto told = default_notes(done);
  EXPECT_THAT(told, ElementsAre(HasSubstr(".env")));
  EXPECT_THAT(sync_report(done, false, told).messages, IsEmpty()) << "it was said the last time";
  EXPECT_THAT(sync_report(done, false, {"left out: 9 by another rule"}).messages,
              Contains(HasSubstr(".env")))
      << "it has changed";
}

TEST(SyncReport, TellsConflictsAndFailuresWithTheFix) {
  auto done = response();
  done.report->plan.left.push_back({"a", sync::Left::Conflict, "the target was changed"});
  done.report->plan.counts.conflicts = 1;
  done.report->failed.push_back({"b\x1b", Errc::NoPlace, "disk full"});
  for (const bool quiet : {false, true}) {
    const Report report = sync_report(done, quiet);
    EXPECT_EQ(report.status, kExitProblems);
    EXPECT_THAT(report.messages, Contains(HasSubstr("conflict: a: the target was changed")));
    EXPECT_THAT(report.messages, Contains(HasSubstr("--on-conflict")));
    EXPECT_THAT(report.messages, Contains(HasSubstr("failed here: b\\x1b: disk full")));
  }
}

TEST(SyncReport, SaysWhereItFailedAndWhatHelps) {
  auto done = response();
  done.report->failed.push_back({"a", Errc::Internal, "No space left on device", true});
  const Report report = sync_report(done, false);
  EXPECT_THAT(
      report.messages,
      Contains("failed on gpu1: a: No space left on device; free space there; `yonder trash` "
               "shows what Yonder keeps of replaced files there, --empty removes it"));
}

TEST(SyncReport, TakesAChoiceForAnAnswer) {
  auto done = response();
  done.report->plan.left.push_back({"a", sync::Left::Kept, "kept as it is in the target"});
  done.report->plan.counts.kept = 1;
  done.report->conflict_copies.push_back({"b", "b.conflict-1"});
  const Report report = sync_report(done, false);
  EXPECT_EQ(report.status, kExitSuccess);
  EXPECT_THAT(report.messages, Contains("1 file kept as it is in the target: a"));
  EXPECT_THAT(report.messages, Contains("conflict: b: the target's is now b.conflict-1"));
  EXPECT_THAT(report.messages, Not(Contains(HasSubstr("--on-conflict"))));
}

TEST(SyncReport, SaysWhatWasCopiedWithoutItsAttributes) {
  auto done = response();
  EXPECT_THAT(sync_report(done, false).messages, Not(Contains(HasSubstr("access control"))));
  done.report->attributes_lost = 2;
  EXPECT_THAT(sync_report(done, true).messages,
              Contains(HasSubstr("2 entries were copied without access control lists")));
}

TEST(SyncReport, SaysHowToGetBackWhatWasReplaced) {
  auto done = response();
  done.report->files_replaced = 2;
  done.report->files_removed = 1;
  done.report->overruled = 1;
  done.report->trash_batches = {"B1"};
  EXPECT_THAT(sync_report(done, false).messages,
              Contains("3 replaced or removed files are kept: yonder restore --sandbox gpu1 B1"));
  EXPECT_THAT(sync_report(done, false).messages,
              Contains("1 file changed in the target since the last sync was replaced"));
  done.asked.direction = sync::Direction::Pull;
  EXPECT_THAT(sync_report(done, false).messages, Contains(HasSubstr("restore --sandbox local B1")));
}

TEST(SyncReport, OfADryRunSpeaksInOptionsAndOfTheRightDirection) {
  auto done = response();
  done.asked.direction = sync::Direction::Pull;
  done.report->dry_run = true;
  done.report->plan.makes_root = true;
  done.report->warnings = {"would need confirm_delete=25"};
  const Report report = sync_report(done, false);
  EXPECT_THAT(report.out, StartsWith("create ./\nwould fetch "));
  EXPECT_THAT(report.messages, Contains("would need --confirm-delete 25"));
}

TEST(ParseSync, AnEmptyPathIsNotTakenForAName) {
  EXPECT_THAT(refusal({"push", "", "x"}), HasSubstr("a path is empty"));
  EXPECT_THAT(refusal({"push", "", "x", "y"}), HasSubstr("name is empty"));
}

TEST(SyncReport, SpeaksOfOptionsAndNotOfParameters) {
  const Error error = in_sync_options(
      {Errc::InvalidArgument, "delete_extras is refused", "give confirm_delete=30"});
  EXPECT_EQ(error.message, "--delete is refused");
  EXPECT_EQ(error.hint, "give --confirm-delete 30");
}

TEST(ProgressBar, FitsOnOneLine) {
  const ops::SyncProgress progress{.at = {.phase = sync::Phase::Copying,
                                          .files_done = 1,
                                          .files_total = 2,
                                          .bytes_done = 512,
                                          .bytes_total = 1024}};
  EXPECT_THAT(bar_line(progress, 200), StartsWith("[##########..........]  50%  1 of 2 files, "));
  for (const std::size_t width : {1U, 10U, 40U}) {
    EXPECT_LT(bar_line(progress, width).size(), width);
  }
}

TEST(TransfersTable, CallsACompletedOneThatIsNotCompleteIncomplete) {
  ops::TransferInfo info{.note = {.id = 4,
                                  .direction = "local_to_remote",
                                  .sandbox = "gpu1",
                                  .local_path = "/src",
                                  .remote_path = "~/x",
                                  .status = "completed",
                                  .result = R"({"complete":false})"},
                         .state = {.status = "completed"}};
  const auto rows = transfers_fields({info});
  EXPECT_EQ(rows[0][0], "4");
  EXPECT_EQ(rows[0][1], "incomplete");
  EXPECT_THAT(transfers_screen({info}, 100, false, 0), HasSubstr("/src -> gpu1:~/x"));
  EXPECT_THAT(transfers_screen({}, 100, false, 0), HasSubstr("No transfers"));
  info.note.error = R"({"message":"no space"})";
  info.state.status = "failed";
  EXPECT_THAT(transfers_screen({info}, 100, false, 0), HasSubstr("no space"));
}

}  // namespace
}  // namespace yonder::cli
