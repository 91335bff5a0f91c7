// What becomes of leases when somebody or something is in the way.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "outpost/claim_files.h"
#include "outpost/gpu_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GpuKeep : public GpuRunTest {
 protected:
  std::string place() const { return scratch_ / "gpus"; }
  void remove_claim_of(const RunRecord& record) const {
    for (const auto& entry : std::filesystem::directory_iterator(place())) {
      if (entry.path().string().ends_with(record.id())) std::filesystem::remove(entry.path());
    }
  }
  Fd open_place() const {
    auto place = open_lease_place(this->place());
    EXPECT_TRUE(place);
    return *std::move(place);
  }
  OwnClaim claim(const wire::GpuClaim& claim) const {
    const Fd place = open_place();
    const auto lock = lock_leases(place, LeaseLock::ToChange, Deadline::never());
    return *OwnClaim::enter(place, claim);
  }
  static bool is_busy(const RunRecord& record) { return path_exists(record.path("alive")); }
};

TEST_F(GpuKeep, AQueuedRunWhoseClaimWasRemovedStillHasItsGpuAlone) {
  have_gpus(1);
  const auto holder = start(wanting(1, hold("go")));
  wait_until_alive(holder);
  const auto first = start(queueing(1, hold("first")));
  wait_until_queued(first);
  const auto second = start(queueing(1, "true"));
  wait_until_queued(second);
  remove_claim_of(first);
  EXPECT_TRUE(testing::eventually([&] { return seen().queue.size() == 2; }));
  EXPECT_EQ(seen().queue.front().run_id, first.id()) << "its place in the line is its own";
  go("go");
  wait_until_alive(first);
  EXPECT_EQ(leases(), 1U);
  EXPECT_EQ(wait_for_end(start(wanting(1, "true"))).cause, wire::Cause::Refused);
  EXPECT_FALSE(is_busy(second));
  go("first");
  EXPECT_EQ(wait_for_end(second).code, 0);
}

TEST_F(GpuKeep, QueuedRunsGoOnWhereTheWholePlaceWasRemoved) {
  have_gpus(1);
  stub_.set_processes({{.gpu = 0, .pid = ::getpid(), .name = "python"}});
  const auto first = start(queueing(1, hold("go")));
  wait_until_queued(first);
  const auto second = start(queueing(1, "true"));
  wait_until_queued(second);
  std::error_code faster;  // the claims may be back before the directory is gone
  std::filesystem::remove_all(place(), faster);
  stub_.set_processes({});
  EXPECT_TRUE(testing::eventually([&] { return is_busy(first) || is_busy(second); }));
  EXPECT_EQ(leases(), 1U);
  go("go");
  EXPECT_EQ(wait_for_end(first).code, 0);
  EXPECT_EQ(wait_for_end(second).code, 0);
}

TEST_F(GpuKeep, ALeaseThatIsRemovedIsPutBackWhileItsRunLives) {
  have_gpus(1);
  const auto holder = start(wanting(1, hold("go")));
  wait_until_alive(holder);
  remove_claim_of(holder);
  EXPECT_TRUE(testing::eventually([&] { return leases() == 1; }));
  EXPECT_TRUE(testing::eventually(
      [&] { return log_of(holder).find("it was put back") != std::string::npos; }));
  std::error_code faster;  // the claims may be back before the directory is gone
  std::filesystem::remove_all(place(), faster);
  EXPECT_TRUE(testing::eventually([&] { return leases() == 1; }));
  EXPECT_EQ(wait_for_end(start(wanting(1, "true"))).cause, wire::Cause::Refused);
  const auto alive = alive_of(holder);
  ::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return !lives(alive.supervisor); }));
  EXPECT_EQ(leases(), 1U) << "it still knows the command";
  go("go");
  EXPECT_TRUE(testing::eventually([&] { return leases() == 0; }));
}

TEST_F(GpuKeep, AQueuedRunAsksTheToolNowAndThen) {
  stub_.set_gpus({{.utilization = "50"}});
  // Never twice as busy as before, so that there is always something to note.
  ask_through(concat("echo x >> ", scratch_ / "asked", "; busy=$(($(wc -l < ", scratch_ / "asked",
                     ") % 40 + 50)); sed -i \"s/Stub, [0-9]*,/Stub, $busy,/\" ", stub_.path(),
                     "/gpus"));
  auto request = queueing(1, "true");
  request.gpu_queue_ms = 3000;
  const auto first = start(request);
  const auto second = start(request);
  EXPECT_EQ(wait_for_end(first).cause, wire::Cause::Refused);
  EXPECT_EQ(wait_for_end(second).cause, wire::Cause::Refused);
  const std::string asked = scratch_.read("asked");
  // Twice or three times for each of five looks, and once more as the other leaves.
  EXPECT_LT(std::count(asked.begin(), asked.end(), 'x'), 50);
}

TEST_F(GpuKeep, WhoCannotSeeTheGpusHoldsNobodyUpForLong) {
  have_gpus(1);
  const OwnClaim blind =
      claim({.run_id = new_run_id().str(),
             .gpus = 1,
             .since_ms = wall_clock_ms() - 2 * to_milliseconds(gpu_times().decision),
             .boot_id = read_boot_id(),
             .pid_ns = read_pid_namespace()});
  EXPECT_EQ(wait_for_end(start(wanting(1, "true"))).code, 0);
}

// The tool shows more than before, and what it shows cannot be written down.
TEST_F(GpuKeep, NothingIsGivenThatWasNotWrittenDown) {
  have_gpus(1);
  stub_.set_processes({{.gpu = 0, .pid = ::getpid(), .name = "python"}});
  auto lease = GpuLease::enter(new_run_id().str(), wanting(1, "true"));
  ASSERT_TRUE(lease) << lease.error().message;
  ASSERT_TRUE(lease->look());
  const std::string broken = place() + "/" + claim_name(7, new_run_id().str());
  const auto garbage = open_file(scratch_.write("garbage", "garbage"), O_RDWR);
  ASSERT_TRUE(garbage && hold_claim(*garbage));
  have_gpus(2);
  ask_through(concat("[ -e ", broken, " ] || ln ", scratch_ / "garbage", " ", broken));
  const auto failed = lease->look();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("cannot be read"));
  std::filesystem::remove(broken);
  const OwnClaim other = claim({.run_id = new_run_id().str(),
                                .gpus = 1,
                                .suitable = {stub_.uuid(0)},
                                .held = {{.uuid = stub_.uuid(0)}}});
  const auto turn = lease->look();
  ASSERT_TRUE(turn) << turn.error().message;
  EXPECT_THAT(turn->take, IsEmpty());
  EXPECT_THAT(lease->given(), IsEmpty());
}

}  // namespace
}  // namespace yonder::outpost
