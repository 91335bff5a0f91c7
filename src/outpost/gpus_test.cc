#include "outpost/gpus.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "base/user_name.h"
#include "lab/gpu_stub.h"
#include "outpost/gpu_processes.h"
#include "outpost/processes.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class GpusTest : public ::testing::Test {
 protected:
  GpusTest() { std::filesystem::create_directory(scratch_ / "dev"); }

  // The stub's script needs the usual programs, so they come after it.
  resources::Gpus look(const std::string& path, Duration limit = testing::kPatience) const {
    return look_at_gpus({.path = path,
                         .devices = scratch_ / "dev",
                         .nvidia = {},
                         .amd = {},
                         .kfd = scratch_ / "kfd"},
                        Deadline::after(limit));
  }

  testing::Scratch scratch_;
};

TEST_F(GpusTest, AreNoneWithoutToolAndDevice) {
  scratch_.write("dev/nvidia-modeset", "");
  scratch_.write("dev/null", "");
  const auto gpus = look("");
  ASSERT_TRUE(gpus.list);
  EXPECT_THAT(*gpus.list, IsEmpty());
  EXPECT_EQ(gpus.vendor, "");
}

TEST_F(GpusTest, AreNotKnownWithADeviceAndNoTool) {
  for (const auto& [name, vendor] :
       {std::pair{"nvidia0", "nvidia"}, {"nvidiactl", "nvidia"}, {"kfd", "amd"}}) {
    const auto file = scratch_.write(concat("dev/", name), "");
    const auto gpus = look(scratch_.path());
    EXPECT_EQ(gpus.vendor, vendor);
    EXPECT_FALSE(gpus.list) << name;
    EXPECT_THAT(gpus.list.why, HasSubstr("to ask"));
    std::filesystem::remove(file);
  }
}

TEST_F(GpusTest, OfNvidiaComeWithTheirProcesses) {
  lab::GpuStub stub;
  stub.set_gpus({{.name = "NVIDIA A"}, {.utilization = "97", .memory_used = "2000"}});
  stub.set_processes({{.gpu = 1, .pid = ::getpid()}, {.gpu = 1, .pid = 2000000000, .name = "far"}});
  const auto gpus = look(stub.path());
  EXPECT_EQ(gpus.vendor, "nvidia");
  EXPECT_EQ(gpus.tool, stub.path() + "/nvidia-smi");
  ASSERT_TRUE(gpus.list) << gpus.list.why;
  ASSERT_EQ((*gpus.list).size(), 2U);
  EXPECT_EQ((*gpus.list)[0].name, "NVIDIA A");
  EXPECT_EQ((*gpus.list)[1].uuid, stub.uuid(1));
  EXPECT_EQ(*(*gpus.list)[1].utilization_pct, 97U);
  const auto& processes = (*gpus.list)[1].processes;
  ASSERT_TRUE(processes) << processes.why;
  ASSERT_EQ((*processes).size(), 2U);
  EXPECT_EQ((*processes)[0].user, user_name(::geteuid()));
  EXPECT_THAT((*processes)[0].command, HasSubstr("outpost_test"));
  EXPECT_EQ((*processes)[1].user, "");
  EXPECT_EQ((*processes)[1].command, "far");
  EXPECT_FALSE((*gpus.list)[0].lease);
}

TEST_F(GpusTest, SlicesAreAskedForOnlyOfThoseThatAreSplit) {
  lab::GpuStub stub;
  stub.set_gpus({{.mig = "Enabled", .slices = {"MIG-1", "MIG-2"}}, {.mig = "Disabled"}});
  const auto gpus = look(stub.path());
  ASSERT_TRUE(gpus.list);
  EXPECT_TRUE((*gpus.list)[0].split);
  EXPECT_THAT((*gpus.list)[0].slices, ElementsAre("MIG-1", "MIG-2"));
  EXPECT_FALSE((*gpus.list)[1].split);
  EXPECT_THAT((*gpus.list)[1].slices, IsEmpty());
}

TEST_F(GpusTest, AnOldDriverIsAskedAgainWithoutMig) {
  lab::GpuStub stub;
  stub.write("gpus",
             "index, uuid, name, utilization.gpu, memory.used, memory.total, temperature.gpu, "
             "power.draw\n0, GPU-old, GeForce GTX 770, [Not Supported], 1, 2, 3, 4.5\n");
  const auto gpus = look(stub.path());
  ASSERT_TRUE(gpus.list) << gpus.list.why;
  EXPECT_EQ((*gpus.list)[0].uuid, "GPU-old");
  EXPECT_EQ(*(*gpus.list)[0].power_mw, 4500U);
}

TEST_F(GpusTest, EveryFailureHasItsReason) {
  lab::GpuStub stub;
  stub.set_gpus({{}});
  for (const auto& [mode, words] : {std::pair{"nodriver", "NVIDIA-SMI has failed"},
                                    {"mismatch", "version mismatch"},
                                    {"garbage", "\\x1b[31m\\x01\\xff not a table"}}) {
    stub.set_mode(mode);
    const auto gpus = look(stub.path());
    EXPECT_FALSE(gpus.list) << mode;
    EXPECT_THAT(gpus.list.why, HasSubstr(words));
  }
  stub.set_mode("none");
  const auto none = look(stub.path());
  ASSERT_TRUE(none.list);
  EXPECT_THAT(*none.list, IsEmpty());
  stub.write("nvidia-smi", "not a program at all", 0755);
  EXPECT_THAT(look(stub.path()).list.why, StartsWith("nvidia-smi: "));
}

// Processes whose command line holds `word`.
std::size_t processes_with(const std::string& word) {
  std::size_t count = 0;
  for (const auto& process : all_processes()) {
    if (process.gone() || process.pid == ::getpid()) continue;
    const auto line = read_file(concat("/proc/", process.pid, "/cmdline"), 1UL << 20U);
    if (line && line->find(word) != std::string::npos) ++count;
  }
  return count;
}

TEST_F(GpusTest, AToolThatHangsIsKilledAtItsLimitAndNothingIsLeft) {
  lab::GpuStub stub;
  stub.set_mode("hang");
  const auto gpus = look(stub.path(), std::chrono::milliseconds(300));
  EXPECT_FALSE(gpus.list);
  EXPECT_EQ(gpus.list.why, "nvidia-smi did not answer in time");
  EXPECT_TRUE(testing::eventually([&] { return processes_with(stub.path()) == 0; }));
}

TEST_F(GpusTest, OfAmdAreAskedOfTheNewerToolFirst) {
  lab::GpuStub rocm("rocm-smi");
  rocm.write("rocm.json", R"json({"card0": {"GPU use (%)": "3", "Card Series": "Old"}})json");
  const auto old = look(rocm.path());
  EXPECT_EQ(old.vendor, "amd");
  EXPECT_THAT(old.tool, HasSubstr("rocm-smi"));
  ASSERT_TRUE(old.list) << old.list.why;
  EXPECT_EQ((*old.list)[0].name, "Old");

  lab::GpuStub amd("amd-smi");
  EXPECT_THAT(look(amd.path()).list.why, HasSubstr("Unable to detect any GPU"));
  amd.write("amd-metric.json", R"([{"gpu": 0}])");
  amd.write("amd-static.json", R"([{"gpu": 0, "asic": {"market_name": "New"}}])");
  amd.write("amd-list.json", R"([{"gpu": 0, "uuid": "u-1"}])");
  amd.write("amd-process.json", concat(R"([{"gpu": 0, "process_list": [{"process_info": {"pid": )",
                                       ::getpid(), R"(, "name": "x"}}]}])"));
  const auto found = look(concat(rocm.path(), ":", amd.path()));
  EXPECT_THAT(found.tool, HasSubstr("amd-smi"));
  ASSERT_TRUE(found.list) << found.list.why;
  EXPECT_EQ((*found.list)[0].name, "New");
  EXPECT_EQ((*found.list)[0].uuid, "u-1");
  ASSERT_TRUE((*found.list)[0].processes);
  EXPECT_EQ((*(*found.list)[0].processes)[0].user, user_name(::geteuid()));
}

void write_amd(const lab::GpuStub& stub) {
  stub.write("amd-metric.json",
             R"([{"gpu": 0, "usage": {"gfx_activity": {"value": 0, "unit": "%"}}}])");
  stub.write("amd-static.json", R"([{"gpu": 0, "asic": {"market_name": "Radeon"}}])");
  stub.write("amd-list.json", R"([{"gpu": 0, "bdf": "0000:03:00.0", "uuid": "u-1"}])");
  stub.write(
      "amd-process.json",
      R"([{"gpu": 0, "process_list": [{"process_info": "No running processes detected"}]}])");
}

TEST_F(GpusTest, OfBothVendorsAreOneList) {
  lab::GpuStub nvidia;
  nvidia.set_gpus({{.name = "NVIDIA A"}});
  lab::GpuStub amd("amd-smi");
  write_amd(amd);
  const std::string path = concat(nvidia.path(), ":", amd.path());
  const auto both = look(path);
  ASSERT_TRUE(both.list) << both.list.why;
  ASSERT_EQ((*both.list).size(), 2U);
  EXPECT_EQ((*both.list)[0].vendor, "nvidia");
  EXPECT_EQ((*both.list)[1].vendor, "amd");
  EXPECT_EQ(both.vendor, "nvidia, amd");
  EXPECT_EQ((*both.list)[0].never, "");
  EXPECT_NE((*both.list)[1].never, "");
  EXPECT_EQ(both.unseen, "");

  nvidia.set_mode("none");
  const auto one = look(path);
  ASSERT_TRUE(one.list);
  ASSERT_EQ((*one.list).size(), 1U);
  EXPECT_EQ((*one.list)[0].name, "Radeon");
  EXPECT_EQ(one.vendor, "amd");
  EXPECT_EQ(one.unseen, "");
}

TEST_F(GpusTest, ThatNobodyHasAToolForDoNotMatterBesideOthers) {
  lab::GpuStub nvidia;
  nvidia.set_gpus({{}});
  scratch_.write("dev/kfd", "");
  const auto gpus = look(nvidia.path());
  ASSERT_TRUE(gpus.list);
  EXPECT_EQ(gpus.unseen, "");
  nvidia.set_mode("none");
  EXPECT_FALSE(look(nvidia.path()).list);
}

TEST_F(GpusTest, OfOneVendorAreShownWhenTheToolOfTheOtherFails) {
  lab::GpuStub nvidia;
  nvidia.set_gpus({{.name = "NVIDIA A"}});
  nvidia.set_mode("nodriver");
  lab::GpuStub amd("amd-smi");
  write_amd(amd);
  const std::string path = concat(nvidia.path(), ":", amd.path());
  const auto gpus = look(path);
  ASSERT_TRUE(gpus.list) << gpus.list.why;
  EXPECT_EQ((*gpus.list).size(), 1U);
  EXPECT_THAT(gpus.unseen, StartsWith("nvidia-smi: NVIDIA-SMI has failed"));
  nvidia.set_mode("hang");
  // Half of the time is for the one that hangs; the rest is enough for the other, or is doubled.
  resources::Gpus late;
  for (Duration limit = std::chrono::seconds(1); !late.list; limit *= 2) {
    ASSERT_LT(limit, Duration(testing::kPatience)) << late.list.why;
    late = look(path, limit);
  }
  EXPECT_EQ(late.unseen, "nvidia-smi did not answer in time");
}

TEST_F(GpusTest, OfAmdAreAskedOfTheOlderToolWhenTheNewerFails) {
  lab::GpuStub rocm("rocm-smi");
  rocm.write("rocm.json", R"json({"card0": {"GPU use (%)": "3", "Card Series": "Old"}})json");
  const lab::GpuStub amd("amd-smi");
  const auto gpus = look(concat(rocm.path(), ":", amd.path()));
  ASSERT_TRUE(gpus.list) << gpus.list.why;
  EXPECT_EQ((*gpus.list)[0].name, "Old");
  EXPECT_THAT((*gpus.list)[0].never, HasSubstr("Unable to detect any GPU"));
}

TEST_F(GpusTest, ProcessesOfAToolThatFailsSilentlyAreNotKnown) {
  const lab::GpuStub stub;
  stub.write("nvidia-smi",
             "#!/bin/sh\ncase $1 in --query-compute-apps*) exit 1 ;; esac\n"
             "echo 0, GPU-a, A, 0, 1, 2, 3, 4, Disabled\n",
             0755);
  const auto gpus = look(stub.path());
  ASSERT_TRUE(gpus.list) << gpus.list.why;
  EXPECT_FALSE((*gpus.list)[0].processes);
}

TEST(GpuProcesses, CommandsAreTheProgramAndItsScript) {
  using namespace std::string_literals;
  EXPECT_EQ(command_shown("python\0train.py\0\0"s), "python train.py");
  EXPECT_EQ(command_shown("/usr/bin/python3\0-u\0/home/x/train.py\0--api-key=s3cret\0"s),
            "python3 train.py");
  EXPECT_EQ(command_shown("python\0-m\0torch.distributed.run\0--token\0s3cret\0"s),
            "python -m torch.distributed.run");
  EXPECT_EQ(command_shown("bash\0run.sh\0s3cret\0"s), "bash run.sh");
}

TEST(GpuProcesses, ArgumentsAreNobodysBusiness) {
  using namespace std::string_literals;
  EXPECT_EQ(command_shown("/opt/server\0--api-key=s3cret\0"s), "server");
  EXPECT_EQ(command_shown("python\0-c\0key='s3cret'\0"s), "python");
  EXPECT_EQ(command_shown("python\0-m\0s3cret=x\0"s), "python");
  EXPECT_EQ(command_shown("python\0-X\0s3cret\0"s), "python");
  EXPECT_EQ(command_shown("bash\0-c\0s3cret\0"s), "bash");
  EXPECT_EQ(command_shown("bash\0-o\0s3cret\0"s), "bash");
  EXPECT_EQ(command_shown("server s3cret"), "server");  // a title that it gave itself
}

TEST(GpuProcesses, CommandsAreShortAndOnOneLine) {
  EXPECT_EQ(command_shown("a\nb"), "a");
  EXPECT_EQ(command_shown("b\x1b"), "b\\x1b");
  EXPECT_EQ(command_shown(std::string(500, 'x')), std::string(80, 'x') + "...");
  EXPECT_EQ(command_shown(""), "");
}

}  // namespace
}  // namespace yonder::outpost
