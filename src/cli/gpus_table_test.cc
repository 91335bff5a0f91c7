#include "cli/gpus_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/hosts_table.h"
#include "resources/facts_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kNow = 1769860800000;

ops::MachineSeen machine(const std::string& name, std::uint64_t gpus) {
  ops::MachineSeen seen;
  seen.spec.name = name;
  seen.seen.facts = resources::machine_for_test(gpus);
  return seen;
}

TEST(GpusTable, ShowsFreeOnesAndThoseThatAreHeld) {
  auto seen = machine("gpu1", 2);
  resources::gpu_of(*seen.seen.facts, 1).lease =
      resources::Lease{.run_id = "r-1", .user = "alice", .since_ms = kNow - 3'600'000};
  EXPECT_THAT(gpus_rows({seen}, kNow),
              ElementsAre(ElementsAre("gpu1", "0", "A100", "0 %", "0 B of 40.0 GiB", "40 C", "free",
                                      "-", "-"),
                          ElementsAre("gpu1", "1", "A100", "0 %", "0 B of 40.0 GiB", "40 C",
                                      "alice", "r-1", "1 h ago")));
  EXPECT_EQ(gpus_header().size(), 9U);
  EXPECT_THAT(gpus_notes({seen}, kNow), IsEmpty());
}

TEST(GpusTable, NamesForeignUsersWithoutALease) {
  auto seen = machine("gpu1", 1);
  auto& gpu = resources::gpu_of(*seen.seen.facts, 0);
  gpu.processes.value->push_back({.pid = 7, .user = "bob", .command = "python"});
  gpu.processes.value->push_back({.pid = 8, .user = "bob", .command = "python"});
  gpu.processes.value->push_back({.pid = 9});
  EXPECT_EQ(gpus_rows({seen}, kNow).at(0).at(6),
            "bob (no lease): python, somebody (no lease): process 9");
}

TEST(GpusTable, ShowsWhatWasNotMeasuredAsSuch) {
  auto seen = machine("gpu1", 1);
  auto& gpu = resources::gpu_of(*seen.seen.facts, 0);
  gpu.utilization_pct = resources::Count::missing("[N/A]");
  gpu.memory_used_bytes = resources::Count::missing("[N/A]");
  gpu.temperature_c = resources::Count::missing("[N/A]");
  gpu.processes = resources::Measured<std::vector<resources::GpuProcess>>::missing("hung");
  const Row row = gpus_rows({seen}, kNow).at(0);
  EXPECT_EQ(row.at(3), "?");
  EXPECT_EQ(row.at(4), "? of 40.0 GiB");
  EXPECT_EQ(row.at(5), "?");
  EXPECT_EQ(row.at(6), "? (its processes are not known: hung)");
}

TEST(GpusTable, CallsNothingFreeWhileLeasesCannotBeSeen) {
  auto seen = machine("gpu1", 2);
  seen.seen.facts->gpus.lease_problem = "somebody holds the lock";
  resources::gpu_of(*seen.seen.facts, 1)
      .processes.value->push_back({.pid = 7, .user = "bob", .command = "python"});
  const auto rows = gpus_rows({seen}, kNow);
  EXPECT_EQ(rows.at(0).at(6), "?");
  EXPECT_EQ(rows.at(0).at(7), "?");
  EXPECT_EQ(rows.at(0).at(8), "?");
  EXPECT_EQ(rows.at(1).at(6), "bob: python");
  EXPECT_THAT(gpus_notes({seen}, kNow),
              ElementsAre("gpu1: GPUs cannot be reserved, nor can be seen who has them: somebody "
                          "holds the lock"));
}

TEST(GpusTable, SaysForWhomAGpuIsKept) {
  auto seen = machine("gpu1", 1);
  seen.seen.facts->gpus.queue.push_back({.run_id = "r-2", .user = "bob", .gpus = 2});
  EXPECT_EQ(gpus_rows({seen}, kNow).at(0).at(6), "for bob, who waits");
}

TEST(GpusTable, SaysWhyNobodyCanHaveAGpuInWordsThatStandAlone) {
  auto seen = machine("gpu1", 1);
  auto& gpu = resources::gpu_of(*seen.seen.facts, 0);
  const auto holder = [&] { return gpus_rows({seen}, kNow).at(0).at(6); };
  gpu.utilization_pct = resources::Count::of(50);
  EXPECT_EQ(holder(), "busy (50 %) with something that is not shown");
  gpu.trouble = "nvidia-smi says [Unknown Error]";
  EXPECT_EQ(holder(), "out of order: nvidia-smi says [Unknown Error]");
  gpu.uuid.clear();
  EXPECT_EQ(holder(), "no UUID by which it could be given to a run");
  gpu.split = true;
  EXPECT_EQ(holder(), "split into MIG slices");
}

TEST(GpusTable, SaysThatThereMayBeMore) {
  auto seen = machine("gpu1", 1);
  seen.seen.facts->gpus.unseen = "nvidia-smi hung";
  EXPECT_THAT(gpus_notes({seen}, kNow),
              ElementsAre("gpu1: it may have more GPUs: nvidia-smi hung"));
}

TEST(GpusTable, ListsTheQueueAndWhoCouldNotBeAsked) {
  auto busy = machine("gpu1", 1);
  busy.seen.facts->gpus.queue.push_back({.run_id = "r-2",
                                         .user = "carol",
                                         .gpus = 2,
                                         .gpu_memory_mb = 100,
                                         .since_ms = kNow - 120'000,
                                         .mine = true});
  ops::MachineSeen dead;
  dead.spec.name = "gpu2";
  dead.seen.error = Error{Errc::Unreachable, "no route", "is it on?"};
  auto strange = machine("gpu3", 0);
  strange.seen.facts->gpus.list =
      resources::Measured<std::vector<resources::Gpu>>::missing("nvidia-smi hung");
  EXPECT_THAT(
      gpus_notes({busy, dead, strange, machine("small", 0)}, kNow),
      ElementsAre("waiting on gpu1, 1: carol (you), run r-2, for 2 GPUs with 100 MiB free, came 2 "
                  "min ago",
                  "gpu2: could not be asked: no route; is it on?",
                  "gpu3: its GPUs are not known: nvidia-smi hung", "small: has no GPU"));
  EXPECT_EQ(gpus_rows({busy, dead, strange}, kNow).size(), 1U);
}

TEST(GpusTable, ShowsNothingThatATerminalWouldObey) {
  auto seen = machine("gpu1", 1);
  auto& gpu = resources::gpu_of(*seen.seen.facts, 0);
  gpu.name = "A\x1b[2J";
  gpu.lease = resources::Lease{.run_id = "r\n", .user = "e\x1b"};
  const Row row = gpus_rows({seen}, kNow).at(0);
  for (const auto& cell : row) {
    EXPECT_EQ(cell.find_first_of("\x1b\n"), std::string::npos);
  }
}

ops::SandboxStatus status(const std::string& name, std::uint64_t gpus) {
  ops::SandboxStatus one;
  one.spec.name = name;
  one.resources = resources::Seen{.facts = resources::machine_for_test(gpus), .error = {}};
  return one;
}

TEST(ResourcesTable, HasOneLineForEachMachine) {
  ops::SandboxList list;
  list.sandboxes = {status("a", 2), status("b", 0), {}, {}};
  list.sandboxes[0].resources->facts->gpus.queue.resize(1);
  resources::gpu_of(*list.sandboxes[0].resources->facts, 0).split = true;
  list.sandboxes[1].resources->facts->cpu.limit = "cgroup";
  list.sandboxes[1].resources->facts->cpu.allowed_milli = resources::Count::of(1500);
  list.sandboxes[1].resources->facts->memory.total_bytes = resources::Count::missing("?");
  list.sandboxes[2].spec.name = "alias";
  list.sandboxes[3].spec.name = "dead";
  list.sandboxes[3].connection_alive = false;
  list.sandboxes[3].resources =
      resources::Seen{.facts = {}, .error = Error{Errc::Unreachable, "no route", ""}};
  const HostsTable table = resources_table(list);
  EXPECT_THAT(table.header, ElementsAre("NAME", "IDLE", "CPU", "MEM", "DISK", "GPUS"));
  EXPECT_THAT(table.rows.at(0), ElementsAre("a", "0.700", "2.0 of 4", "4.0 GiB of 16.0 GiB",
                                            "100.0 GiB free", "0 of 2 free, 1 waiting"));
  list.sandboxes[0].resources->facts->gpus.lease_problem = "locked";
  EXPECT_EQ(resources_table(list).rows.at(0).back(), "? of 2 free");
  EXPECT_THAT(table.rows.at(1), ElementsAre("b", "?", "2.0 of 1.5", "?", "100.0 GiB free", "-"));
  EXPECT_THAT(table.rows.at(2), ElementsAre("alias", "-", "-", "-", "-", "-"));
  EXPECT_THAT(table.rows.at(3).back(), HasSubstr("failed: no route"));
}

}  // namespace
}  // namespace yonder::cli
