#include "outpost/gpu_lease.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "outpost/gpu_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using GpuLeaseTest = GpuRunTest;

TEST_F(GpuLeaseTest, ARunSeesItsGpuAndNoOther) {
  const auto record = start(wanting(1, "echo [$CUDA_VISIBLE_DEVICES]"));
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_THAT(log_of(record), HasSubstr("[" + stub_.uuid(0) + "]"));
  EXPECT_EQ(given_to(record), stub_.uuid(0));
  EXPECT_TRUE(testing::eventually([&] { return leases() == 0; }));
}

TEST_F(GpuLeaseTest, ARunWithALoginShellSeesItToo) {
  auto request = wanting(2, "echo [$CUDA_VISIBLE_DEVICES]");
  request.login = true;
  const auto record = start(request);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_THAT(log_of(record), HasSubstr("[" + stub_.uuid(0) + "," + stub_.uuid(1) + "]"));
}

TEST_F(GpuLeaseTest, AForegroundRunHoldsItsGpuToo) {
  auto request = wanting(1, hold("go") + "echo $CUDA_VISIBLE_DEVICES");
  request.background = false;
  request.launcher = "";
  const auto record = start(request);
  wait_until_alive(record);
  EXPECT_EQ(leases(), 1U);
  go("go");
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), stub_.uuid(0) + "\n");
}

TEST_F(GpuLeaseTest, NoTwoRunsHaveTheSameGpuAndTheThirdIsRefusedWithTheHolders) {
  const auto first = start(wanting(1, hold("go")));
  const auto second = start(wanting(1, hold("go")));
  EXPECT_NE(given_to(first), given_to(second)) << log_of(first) << log_of(second);
  const auto third = start(wanting(1, "touch " + scratch_ / "third"));
  const auto end = wait_for_end(third);
  EXPECT_EQ(end.cause, wire::Cause::Refused);
  EXPECT_THAT(end.reason, HasSubstr("GPU 0 is held by"));
  EXPECT_THAT(end.reason, HasSubstr(first.id()));
  EXPECT_THAT(end.reason, HasSubstr(second.id()));
  EXPECT_FALSE(path_exists(scratch_ / "third"));
  EXPECT_FALSE(path_exists(third.path("alive")));
  go("go");
  wait_for_end(first);
  wait_for_end(second);
  EXPECT_TRUE(testing::eventually([&] { return leases() == 0; }));
}

TEST_F(GpuLeaseTest, TwentyStartsAtOnceHandOutEachGpuOnce) {
  have_gpus(4);
  std::vector<RunRecord> records;
  for (int i = 0; i < 20; ++i) records.push_back(start(wanting(1, hold("go"))));
  std::set<std::string> given;
  std::size_t refused = 0;
  for (const auto& record : records) {
    ASSERT_TRUE(testing::eventually(
        [&] { return record.has_ended() || path_exists(record.path("alive")); }));
    if (record.has_ended()) {
      EXPECT_EQ(wait_for_end(record).cause, wire::Cause::Refused);
      ++refused;
    } else {
      EXPECT_TRUE(given.insert(given_to(record)).second) << "two runs on one GPU";
    }
  }
  EXPECT_THAT(given, SizeIs(4));
  EXPECT_EQ(refused, 16U);
  go("go");
}

TEST_F(GpuLeaseTest, QueuedRunsBeginInTheOrderInWhichTheyCame) {
  have_gpus(1);
  const auto holder = start(wanting(1, hold("go")));
  wait_until_alive(holder);
  std::vector<RunRecord> queued;
  for (int i = 0; i < 4; ++i) {
    queued.push_back(start(queueing(1, concat("echo ", i, " >> ", scratch_ / "order"))));
    const auto waiting = wait_until_queued(queued.back());
    EXPECT_EQ(waiting.ahead, static_cast<std::uint64_t>(i));
    ASSERT_THAT(waiting.holders, SizeIs(1));
    EXPECT_THAT(waiting.holders.front(), HasSubstr(holder.id()));
  }
  EXPECT_THAT(seen().queue, SizeIs(4));
  const auto facts = facts_of(queued.back());
  EXPECT_TRUE(facts.supervisor_lives);
  EXPECT_TRUE(facts.waiting);
  go("go");
  for (const auto& record : queued) EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(scratch_.read("order"), "0\n1\n2\n3\n");
  EXPECT_FALSE(path_exists(queued.front().path("waiting")));
}

TEST_F(GpuLeaseTest, AQueuedRunCanBeStoppedAndLetsTheNextOneGo) {
  have_gpus(1);
  const auto holder = start(wanting(1, hold("go")));
  wait_until_alive(holder);
  const auto first = start(queueing(1, "touch " + scratch_ / "first"));
  wait_until_queued(first);
  const auto second = start(queueing(1, "true"));
  EXPECT_EQ(wait_until_queued(second).ahead, 1U);
  stop_queued(first);
  EXPECT_TRUE(testing::eventually([&] {
    const auto waiting = second.read_waiting();
    return waiting && *waiting && (*waiting)->ahead == 0;
  }));
  go("go");
  EXPECT_EQ(wait_for_end(second).code, 0);
  EXPECT_FALSE(path_exists(scratch_ / "first"));
}

TEST_F(GpuLeaseTest, AQueuedRunWhoseSupervisorIsKilledHoldsNobodyUp) {
  have_gpus(1);
  const auto holder = start(wanting(1, hold("go")));
  wait_until_alive(holder);
  const auto first = start(queueing(1, "true"));
  wait_until_queued(first);
  const auto second = start(queueing(1, "true"));
  wait_until_queued(second);
  // What it has asked a tool with may not be gone yet, and has its name; the supervisor is older.
  std::optional<Process> supervisor;
  for (const auto& process : all_processes()) {
    const auto title = read_file(concat("/proc/", process.pid, "/cmdline"), 4096);
    if (!title || title->find("supervise " + first.id()) == std::string::npos) continue;
    if (!supervisor || process.start_time < supervisor->start_time) supervisor = process;
  }
  ASSERT_TRUE(supervisor);
  ::kill(supervisor->pid, SIGKILL);
  go("go");
  EXPECT_EQ(wait_for_end(second).code, 0);
  EXPECT_FALSE(path_exists(first.path("alive")));
}

TEST_F(GpuLeaseTest, WaitingHasALimitWhenOneIsSet) {
  have_gpus(1);
  const auto holder = start(wanting(1, hold("go")));
  wait_until_alive(holder);
  auto request = queueing(1, "touch " + scratch_ / "ran");
  request.gpu_queue_ms = 1000;
  const auto end = wait_for_end(start(request));
  EXPECT_EQ(end.cause, wire::Cause::Refused);
  EXPECT_THAT(end.reason, HasSubstr("within 1 s"));
  EXPECT_FALSE(path_exists(scratch_ / "ran"));
  go("go");
}

TEST_F(GpuLeaseTest, AGpuStaysTakenWhileTheCommandOfAKilledSupervisorLives) {
  have_gpus(1);
  const auto holder = start(wanting(1, hold("go")));
  const auto alive = alive_of(holder);
  ::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return !lives(alive.supervisor); }));
  EXPECT_EQ(leases(), 1U);
  EXPECT_EQ(wait_for_end(start(wanting(1, "true"))).cause, wire::Cause::Refused);
  const auto queued = start(queueing(1, "true"));
  wait_until_queued(queued);
  go("go");
  EXPECT_EQ(wait_for_end(queued).code, 0);
}

TEST_F(GpuLeaseTest, AGpuStaysTakenWhileAChildOfAKilledSupervisorAndCommandLives) {
  have_gpus(1);
  // It has no mark in its environment; it is in the command's session only.
  const auto holder = start(wanting(1, concat("env -i sh -c '", until(scratch_ / "go"),
                                              "' & touch ", scratch_ / "child", "; wait")));
  const auto alive = alive_of(holder);
  ASSERT_TRUE(testing::eventually([&] { return path_exists(scratch_ / "child"); }));
  ::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL);
  ::kill(static_cast<pid_t>(alive.command.pid), SIGKILL);
  ASSERT_TRUE(
      testing::eventually([&] { return !lives(alive.supervisor) && !lives(alive.command); }));
  EXPECT_EQ(leases(), 1U);
  EXPECT_THAT(facts_of(holder).members, SizeIs(::testing::Ge(1U)));
  EXPECT_EQ(wait_for_end(start(wanting(1, "true"))).cause, wire::Cause::Refused);
  go("go");
  EXPECT_TRUE(testing::eventually([&] { return leases() == 0; }));
  EXPECT_THAT(facts_of(holder).members, IsEmpty());
}

TEST_F(GpuLeaseTest, ARequestThatCannotStartNowLetsSmallerOnesPass) {
  have_gpus(4);
  stub_.set_processes({{.gpu = 3, .pid = ::getpid(), .name = "python"}});
  const auto large = start(queueing(4, "true"));
  EXPECT_THAT(wait_until_queued(large).holders.at(3), HasSubstr("is used by"));
  EXPECT_EQ(wait_for_end(start(queueing(1, "true"))).code, 0);
  EXPECT_EQ(wait_for_end(start(wanting(3, "true"))).code, 0);
  stub_.set_processes({});
  EXPECT_EQ(wait_for_end(large).code, 0);
}

TEST_F(GpuLeaseTest, ForeignProcessesCountAsHolders) {
  stub_.set_processes({{.gpu = 0, .pid = ::getpid(), .name = "python"}});
  const auto first = start(wanting(1, hold("go")));
  EXPECT_EQ(given_to(first), stub_.uuid(1));
  const auto queued = start(queueing(1, "echo $CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(wait_until_queued(queued).holders.at(0), HasSubstr("is used by"));
  stub_.set_processes({});
  EXPECT_EQ(wait_for_end(queued).code, 0);
  EXPECT_THAT(log_of(queued), HasSubstr(stub_.uuid(0)));
  go("go");
}

TEST_F(GpuLeaseTest, WhatTheMachineCanNeverGiveIsRefusedEvenToThoseWhoWouldWait) {
  const auto many = wait_for_end(start(queueing(3, "true")));
  EXPECT_EQ(many.cause, wire::Cause::Refused);
  EXPECT_THAT(many.reason, HasSubstr("3 GPUs wanted, and this machine has only 2"));
  auto large = queueing(1, "true");
  large.gpu_memory_mb = 80000;
  const auto reason = wait_for_end(start(large)).reason;
  EXPECT_THAT(reason, HasSubstr("1 GPU of at least 80000 MiB wanted, and of the 2 GPUs here none"));
  EXPECT_THAT(reason, HasSubstr("GPU 0 has 24"));
  stub_.set_gpus({{.mig = "Enabled", .slices = {"1g.5gb"}}, {}});
  EXPECT_THAT(wait_for_end(start(queueing(2, "true"))).reason,
              HasSubstr("of the 2 GPUs here 1 can ever be given to such a run: GPU 0 is split"));
  stub_.set_mode("none");
  EXPECT_THAT(wait_for_end(start(queueing(1, "true"))).reason,
              HasSubstr("1 GPU wanted, and this machine has no GPU"));
}

TEST_F(GpuLeaseTest, TwoGpusWithOneUuidAreGivenToNoRun) {
  stub_.set_gpus({{.uuid = "GPU-same"}, {.uuid = "GPU-same"}, {.uuid = "GPU-other"}});
  const auto record = start(wanting(1, "true"));
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(given_to(record), "GPU-other");
  EXPECT_THAT(wait_for_end(start(wanting(2, "true"))).reason,
              HasSubstr("GPU 0 cannot be given to a run: it has the same UUID as GPU 1"));
}

TEST_F(GpuLeaseTest, NothingBeginsWhereTheGpusCannotBeSeen) {
  stub_.set_mode("nodriver");
  const auto end = wait_for_end(start(wanting(1, "true")));
  EXPECT_EQ(end.cause, wire::Cause::Refused);
  EXPECT_THAT(end.reason, HasSubstr("cannot be seen now"));
  EXPECT_THAT(end.reason, HasSubstr("couldn't communicate"));
}

TEST_F(GpuLeaseTest, AQueuedRunStaysWhenTheDriverShowsNoGpusForAWhile) {
  have_gpus(1);
  stub_.set_processes({{.gpu = 0, .pid = ::getpid(), .name = "python"}});
  const auto queued = start(queueing(1, "true"));
  wait_until_queued(queued);
  stub_.set_mode("none");
  EXPECT_TRUE(testing::eventually([&] {
    const auto waiting = queued.read_waiting();
    return waiting && *waiting && (*waiting)->holders.at(0).find("no GPU") != std::string::npos;
  }));
  stub_.set_mode("");
  stub_.set_processes({});
  EXPECT_EQ(wait_for_end(queued).code, 0);
}

TEST_F(GpuLeaseTest, ARunThatCannotStartLeavesItsGpuFree) {
  auto request = wanting(1, "true");
  request.cwd = scratch_ / "home";
  const auto record = start(request);
  wait_for_end(record);
  auto broken = wanting(1, "");
  broken.argv = {scratch_ / "no such program"};
  EXPECT_EQ(wait_for_end(start(broken)).code, 127);
  EXPECT_TRUE(testing::eventually([&] { return leases() == 0; }));
  EXPECT_THAT(seen().queue, IsEmpty());
}

TEST_F(GpuLeaseTest, ChoosingOnesOwnGpusIsForRunsWithoutALease) {
  auto request = wanting(1, "true");
  request.env["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_THAT(refusal(request).message, HasSubstr("both given"));
  auto memory = in_background("true");
  memory.gpu_memory_mb = 100;
  EXPECT_THAT(refusal(memory).message, HasSubstr("without gpus"));
  EXPECT_EQ(records(), 0U);
}

}  // namespace
}  // namespace yonder::outpost
