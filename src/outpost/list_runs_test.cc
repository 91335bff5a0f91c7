#include "outpost/list_runs.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <iostream>

#include "outpost/look_client_test.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ListRuns : public LookTest {
 protected:
  // A record as a run leaves it, without the run.
  RunRecord record(std::int64_t created_ms, bool background = true) const {
    RunRecord made(around_.state_dir, new_run_id());
    EXPECT_TRUE(make_directory(made.directory()));
    wire::StartRequest spec{.run_id = made.id(), .command = "make"};
    spec.background = background;
    spec.session = concat("s", created_ms);
    spec.created_ms = created_ms;
    write(made, "spec", wire::encode(spec));
    EXPECT_TRUE(made.write_alive({.boot_id = "another boot", .started_ms = created_ms}));
    std::filesystem::last_write_time(
        made.path("alive"), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1) +
                                std::chrono::milliseconds(created_ms));
    write(made, background ? "log" : "out", "text\n");
    return made;
  }
  static void write(const RunRecord& record, const char* file, const std::string& content) {
    EXPECT_TRUE(write_file_atomically(record.path(file), content, Durability::Process));
  }
  static std::vector<std::string> ids(const wire::ListReply& reply) {
    std::vector<std::string> ids;
    for (const auto& run : reply.runs) ids.push_back(run.run_id);
    return ids;
  }
};

TEST_F(ListRuns, NewestFirstWithTheirLabels) {
  const auto middle = record(2000);
  const auto newest = record(3000);
  const auto oldest = record(1000);
  const auto reply = list();
  EXPECT_THAT(ids(reply), ElementsAre(newest.id(), middle.id(), oldest.id()));
  EXPECT_FALSE(reply.more);
  ASSERT_TRUE(reply.runs[0].label);
  EXPECT_EQ(reply.runs[0].label->session, "s3000");
  EXPECT_EQ(reply.runs[0].label->command, "make");
}

TEST_F(ListRuns, NoMoreThanWanted) {
  record(1000);
  const auto second = record(2000);
  const auto newest = record(3000);
  const auto reply = list({.limit = 2});
  EXPECT_THAT(ids(reply), ElementsAre(newest.id(), second.id()));
  EXPECT_TRUE(reply.more);
  EXPECT_FALSE(list({.limit = 3}).more);
}

TEST_F(ListRuns, ALongLivedOneIsNotOlderBecauseOthersHaveEnded) {
  const auto early = record(1000);
  const auto late = record(2000);
  ASSERT_TRUE(early.write_exit({.code = 0}));
  EXPECT_THAT(ids(list({.limit = 1})), ElementsAre(late.id()));
}

TEST_F(ListRuns, OnlyThoseThatWereAskedFor) {
  const auto foreground = record(1000, false);
  const auto running = record(2000);
  const auto ended = record(3000);
  ASSERT_TRUE(ended.write_exit({.code = 0}));
  EXPECT_THAT(ids(list()), ElementsAre(ended.id(), running.id()));
  EXPECT_THAT(ids(list({.unfinished_only = true})), ElementsAre(running.id()));
  EXPECT_THAT(ids(list({.background_only = false})),
              ElementsAre(ended.id(), running.id(), foreground.id()));
  const auto limited = list({.limit = 1, .unfinished_only = true});
  EXPECT_FALSE(limited.more) << "those that were not asked for do not count";
}

TEST_F(ListRuns, ARealOneWithWhatIsSeenOfIt) {
  const auto run = start(in_background(until("go")));
  wait_until_alive(run);
  const auto reply = list({.unfinished_only = true});
  ASSERT_THAT(ids(reply), ElementsAre(run.id()));
  EXPECT_TRUE(reply.runs[0].supervisor_lives);
  scratch_.write("go", "");
  wait_for_end(run);
  EXPECT_THAT(ids(list({.unfinished_only = true})), IsEmpty());
}

TEST_F(ListRuns, UnreadableOnesWithWhatIsWrong) {
  const auto bad_spec = record(1000);
  write(bad_spec, "spec", "nonsense");
  const auto bad_exit = record(2000);
  write(bad_exit, "exit", "nonsense");
  const auto huge_spec = record(3000);
  std::filesystem::resize_file(huge_spec.path("spec"), 1ULL << 40U);
  const auto reply = list();
  EXPECT_EQ(reply.runs.size(), 3U);
  for (const auto& run : reply.runs) EXPECT_NE(run.problem, "") << run.run_id;
  EXPECT_EQ(list({.unfinished_only = true}).runs.size(), 3U) << "their end is not known";
}

TEST_F(ListRuns, ForeignThingsInTheDirectoryAreNoRuns) {
  scratch_.write("state/runs/notes/spec", "mine");
  scratch_.write("state/runs/r-file", "mine");
  EXPECT_TRUE(make_directory(scratch_ / ("state/runs/" + new_run_id().str())));
  EXPECT_THAT(ids(list({.background_only = false})), IsEmpty());
}

TEST_F(ListRuns, HugeTextsFitIntoAMessage) {
  for (int i = 0; i < 20; ++i) {
    const auto made = record(i);
    wire::StartRequest spec{.command = std::string(1 << 20U, 'c')};
    spec.description = std::string(1 << 20U, 'd');
    spec.background = true;
    write(made, "spec", wire::encode(spec));
    ASSERT_TRUE(made.write_alive({.boot_id = std::string(900000, 'b')}));
  }
  const auto reply = list();
  EXPECT_TRUE(reply.more);
  EXPECT_FALSE(reply.runs.empty());
}

TEST_F(ListRuns, FiveHundredAreListed) {
  for (int i = 0; i < 500; ++i) {
    const auto made = record(i);
    if (i % 2 == 0) {
      ASSERT_TRUE(made.write_exit({.code = 0}));
    }
  }
  EXPECT_EQ(list().runs.size(), 500U);
}

}  // namespace
}  // namespace yonder::outpost
