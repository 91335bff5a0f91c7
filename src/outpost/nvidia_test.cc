#include "outpost/nvidia.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "outpost/gpu_values.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

GpuList parse(const std::string& out, MigField mig = MigField::Asked) {
  return parse_nvidia_gpus({.out = out}, mig);
}

TEST(Nvidia, AGpuIsARow) {
  const auto list = parse(
      "0, GPU-a1, NVIDIA H100 80GB HBM3, 91, 72790, 81559, 30, 650.25, Disabled\n"
      "1, GPU-b2, NVIDIA A100, [N/A], 5, 81920, 33, 87.1, Enabled\n");
  ASSERT_TRUE(list) << list.why;
  ASSERT_EQ((*list).size(), 2U);
  const auto& gpu = (*list)[0];
  EXPECT_EQ(gpu.index, 0U);
  EXPECT_EQ(gpu.uuid, "GPU-a1");
  EXPECT_EQ(gpu.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(*gpu.utilization_pct, 91U);
  EXPECT_EQ(*gpu.memory_used_bytes, 72790UL * 1024 * 1024);
  EXPECT_EQ(*gpu.memory_total_bytes, 81559UL * 1024 * 1024);
  EXPECT_EQ(*gpu.temperature_c, 30U);
  EXPECT_EQ(*gpu.power_mw, 650250U);
  EXPECT_FALSE(gpu.split);
  EXPECT_TRUE((*list)[1].split);
  EXPECT_FALSE((*list)[1].utilization_pct);
}

TEST(Nvidia, WhatItDoesNotTellIsMissingAndNeverZero) {
  for (const char* odd :
       {"[N/A]", "[Not Supported]", "[Unknown Error]", "N/A", "-1", "[GPU requires reset]"}) {
    const auto list = parse(concat("0, GPU-a, GeForce GTX 770, ", odd, ", ", odd, ", ", odd, ", ",
                                   odd, ", ", odd, ", ", odd, "\n"));
    ASSERT_TRUE(list) << odd;
    const auto& gpu = (*list)[0];
    for (const auto* count : {&gpu.utilization_pct, &gpu.memory_used_bytes, &gpu.memory_total_bytes,
                              &gpu.temperature_c, &gpu.power_mw}) {
      EXPECT_FALSE(*count) << odd;
      EXPECT_EQ(count->why, concat("nvidia-smi says ", odd));
    }
    EXPECT_FALSE(gpu.split);
  }
  EXPECT_EQ((*parse("0, GPU-a, X, , 1, 2, 3, 4, Disabled\n"))[0].utilization_pct.why,
            "nvidia-smi does not tell");
}

TEST(Nvidia, ARowOfAnOldDriverHasNoColumnForMig) {
  const auto list = parse("0, GPU-a, Tesla K80, 1, 2, 3, 4, 5.00\n", MigField::NotAsked);
  ASSERT_TRUE(list);
  EXPECT_EQ(*(*list)[0].power_mw, 5000U);
  EXPECT_FALSE((*list)[0].split);
  EXPECT_TRUE(
      knows_no_mig({.out = "Field \"mig.mode.current\" is not a valid field to query.\n\n"}));
  EXPECT_FALSE(knows_no_mig({.out = "Field \"power.draw\" is not a valid field to query.\n\n"}));
}

TEST(Nvidia, NoDevicesAreNoGpus) {
  const auto list = parse("No devices were found\n");
  ASSERT_TRUE(list);
  EXPECT_THAT(*list, IsEmpty());
}

TEST(Nvidia, AFailureIsMissingInItsOwnWords) {
  for (const std::string words :
       {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        "Failed to initialize NVML: Driver/library version mismatch",
        "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.",
        "Field \"power.draw\" is not a valid field to query.", "0, GPU-a, 5",
        "x, GPU-a, name, 1, 2, 3, 4, 5, 6"}) {
    const auto list = parse(words + "\nmore\n");
    EXPECT_FALSE(list) << words;
    EXPECT_EQ(list.why, "nvidia-smi: " + words);
  }
  EXPECT_EQ(parse("").why, "nvidia-smi: it said nothing");
  EXPECT_EQ(parse_nvidia_gpus({.err = "cannot start\n"}, MigField::Asked).why,
            "nvidia-smi: cannot start");
}

TEST(Nvidia, ThatHangsOrRavesIsMissing) {
  EXPECT_EQ(parse_nvidia_gpus({.end = Said::End::TooLate}, MigField::Asked).why,
            "nvidia-smi did not answer in time");
  EXPECT_EQ(parse_nvidia_gpus({.end = Said::End::TooMuch}, MigField::Asked).why,
            "nvidia-smi printed too much");
  const auto list = parse(std::string("\x1b[31m\x01\xff ") + std::string(5000, 'x'));
  EXPECT_FALSE(list);
  EXPECT_LT(list.why.size(), 300U);
  EXPECT_THAT(list.why, HasSubstr("\\x1b[31m\\x01\\xff"));
}

TEST(Nvidia, NamesAreShortAndPrintableAndIdentitiesPlain) {
  const auto list = parse(concat("0, GPU-../../x, \x1b[2J", std::string(500, 'n'),
                                 ", and, more, 1, 2, 3, 4, 5, Disabled\n"));
  ASSERT_TRUE(list);
  EXPECT_EQ((*list)[0].uuid, "");
  EXPECT_THAT((*list)[0].name, Not(HasSubstr("\x1b")));
  EXPECT_LT((*list)[0].name.size(), 150U);
  EXPECT_EQ((*parse("0, GPU-a, A, B, 1, 2, 3, 4, 5, Disabled\n"))[0].name, "A, B");
}

TEST(Nvidia, MoreGpusThanAnyMachineHasAreNotTaken) {
  std::string rows;
  for (int i = 0; i < 1000; ++i) rows += concat(i, ", GPU-a, A, 1, 2, 3, 4, 5, Disabled\n");
  EXPECT_EQ((*parse(rows)).size(), kMostGpus);
}

TEST(Nvidia, AppsBelongToTheirGpu) {
  auto list = parse("0, GPU-a, A, 1, 2, 3, 4, 5, Disabled\n1, GPU-b, A, 1, 2, 3, 4, 5, Disabled\n");
  assign_apps(*list.value,
              parse_nvidia_apps({.out = "GPU-b, 123, /opt/a/python --key=secret, 1010\n"
                                        "GPU-b, 124, [Not Found], [N/A]\n"}));
  const auto& gpus = *list;
  ASSERT_TRUE(gpus[0].processes && gpus[1].processes);
  EXPECT_THAT(*gpus[0].processes, IsEmpty());
  ASSERT_EQ((*gpus[1].processes).size(), 2U);
  const auto& app = (*gpus[1].processes)[0];
  EXPECT_EQ(app.pid, 123);
  EXPECT_EQ(app.command, "python");
  EXPECT_EQ(app.user, "");
  EXPECT_EQ(*app.memory_bytes, 1010UL * 1024 * 1024);
  EXPECT_EQ((*gpus[1].processes)[1].command, "");
  EXPECT_FALSE((*gpus[1].processes)[1].memory_bytes);
}

TEST(Nvidia, AppsThatAreNotUnderstoodLeaveNoGpuIdle) {
  for (const Said& said :
       {Said{.out = "[Not Supported]\n"}, Said{.out = "GPU-a, x, y, 1\n"},
        Said{.out = "GPU-a, 99999999999, y, 1\n"}, Said{.end = Said::End::TooLate},
        Said{.err = "cannot start"}, Said{.out = "GPU-other, 5, y, 1\n"}}) {
    auto list = parse("0, GPU-a, A, 1, 2, 3, 4, 5, Disabled\n");
    assign_apps(*list.value, parse_nvidia_apps(said));
    EXPECT_FALSE((*list)[0].processes) << said.out;
    EXPECT_THAT((*list)[0].processes.why, HasSubstr("nvidia-smi"));
  }
  EXPECT_TRUE(parse_nvidia_apps({.out = "\n"}));
  EXPECT_TRUE(parse_nvidia_apps({.out = "No running processes found\n"}));
}

TEST(Nvidia, AppsOfAToolThatFailedLeaveNoGpuIdle) {
  EXPECT_EQ(parse_nvidia_apps({.status = 1}).why,
            "nvidia-smi: it said nothing and failed with status 1");
  EXPECT_EQ(parse_nvidia_apps({.out = "GPU-a, 5, y, 1\n", .signal = 9}).why,
            "nvidia-smi was ended by signal 9");
  EXPECT_FALSE(parse_nvidia_apps({.out = "No devices were found\n", .status = 6}));
}

TEST(Nvidia, AppsThatAreTooManyToBeListedAreNotMeasured) {
  std::string rows;
  for (std::size_t i = 1; i <= kMostGpuProcesses; ++i) rows += concat("GPU-a, ", i, ", y, 1\n");
  EXPECT_EQ((*parse_nvidia_apps({.out = rows})).size(), kMostGpuProcesses);
  EXPECT_EQ(parse_nvidia_apps({.out = rows + "GPU-b, 9999, y, 1\n"}).why,
            "nvidia-smi lists more than 1000 processes");
}

TEST(Nvidia, RowsOfAToolThatFailedAreNotMeasured) {
  const std::string row = "0, GPU-a, A, 1, 2, 3, 4, 5, Disabled\n";
  EXPECT_FALSE(parse_nvidia_gpus({.out = row, .signal = 9}, MigField::Asked));
  EXPECT_FALSE(parse_nvidia_gpus({.out = row, .status = 1}, MigField::Asked));
  // This it says of one that is worn out, and goes on.
  const std::string lost =
      "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.";
  const auto list = parse_nvidia_gpus({.out = row + lost + "\n", .status = 15}, MigField::Asked);
  ASSERT_TRUE(list);
  EXPECT_EQ((*list).size(), 1U);
  EXPECT_EQ(list.why, "nvidia-smi: " + lost);
}

TEST(Nvidia, AWarningAfterTheAnswerIsNoFailure) {
  const std::string warning = "WARNING: infoROM is corrupted at gpu 0000:01:00.0\n";
  const Said rows{.out = "0, GPU-a, A, 1, 2, 3, 4, 5, Disabled\n" + warning, .status = 14};
  EXPECT_TRUE(parse_nvidia_gpus(rows, MigField::Asked));
  EXPECT_EQ((*parse_nvidia_apps({.out = "GPU-a, 5, y, 1\n" + warning, .status = 14})).size(), 1U);
  EXPECT_TRUE(parse_nvidia_apps({.err = warning, .status = 14}));
  EXPECT_FALSE(parse_nvidia_apps({.out = warning, .status = 1}));
}

TEST(Nvidia, WhatCannotBeIsNotMeasured) {
  const auto list = parse("0, GPU-a, A, 150, 90000, 24564, 4, 5, Disabled\n");
  ASSERT_TRUE(list);
  const auto& gpu = (*list)[0];
  EXPECT_EQ(gpu.utilization_pct.why, "nvidia-smi says 150 %, which cannot be");
  EXPECT_EQ(gpu.memory_used_bytes.why,
            "nvidia-smi says 87.9 GiB of 24.0 GiB of memory are used, which cannot be");
  EXPECT_EQ(gpu.trouble, gpu.utilization_pct.why);
}

TEST(Nvidia, OnlyWhatIsNoPlainAbsenceIsTrouble) {
  for (const char* absent : {"[N/A]", "[Not Supported]", "N/A", "", "[Insufficient Permissions]"}) {
    EXPECT_EQ((*parse(concat("0, GPU-a, A, ", absent, ", 1, 2, 3, 4, X\n")))[0].trouble, "");
  }
  EXPECT_EQ((*parse("0, GPU-a, A, [Unknown Error], 1, 2, 3, 4, X\n"))[0].trouble,
            "nvidia-smi says [Unknown Error]");
  EXPECT_EQ((*parse("0, GPU-a, A, 0, [GPU requires reset], 2, 3, 4, X\n"))[0].trouble,
            "nvidia-smi says [GPU requires reset]");
  EXPECT_EQ((*parse("0, GPU-a, A, 0, 1, 2, 3, [Unknown Error], X\n"))[0].trouble, "");
}

TEST(Nvidia, SlicesBelongToTheirGpu) {
  const auto slices = parse_nvidia_slices(
      "GPU 0: NVIDIA A100 (UUID: GPU-a)\n"
      "  MIG 3g.40gb     Device  0: (UUID: MIG-1-2)\n"
      "  MIG 3g.20gb Device  1: (UUID: MIG-GPU-a/1/0)\n"
      "  MIG 3g.20gb Device  2: (UUID: ../x)\n"
      "GPU 1: NVIDIA A100 (UUID: GPU-b)\n"
      "nonsense (UUID: MIG-9)\n"
      "  MIG 1g (UUID: MIG-3\n");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_THAT(slices.at("GPU-a"), ElementsAre("MIG-1-2", "MIG-GPU-a/1/0"));
  EXPECT_THAT(slices.at("GPU-b"), ElementsAre("MIG-3"));
}

TEST(Nvidia, AnAppInASliceBelongsToTheGpu) {
  auto list = parse("0, GPU-a, A, 1, 2, 3, 4, 5, Enabled\n");
  (*list.value)[0].slices = {"MIG-1"};
  assign_apps(*list.value, parse_nvidia_apps({.out = "MIG-1, 7, python, 3\n"}));
  ASSERT_TRUE((*list)[0].processes);
  EXPECT_EQ((*(*list)[0].processes)[0].pid, 7);
}

}  // namespace
}  // namespace yonder::outpost
