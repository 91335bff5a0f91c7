#include "outpost/amd.h"

#include <gmock/gmock.h>

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMetric = R"([{"gpu": 0,
  "usage": {"gfx_activity": {"value": 42, "unit": "%"}, "vcn_activity": ["N/A"]},
  "power": {"socket_power": {"value": 20.5, "unit": "W"}},
  "temperature": {"edge": "N/A", "hotspot": {"value": 41, "unit": "C"}},
  "mem_usage": {"total_vram": {"value": 16368, "unit": "MB"},
                "used_vram": {"value": 14569, "unit": "MB"}}},
 {"gpu": 1, "usage": "N/A", "power": {"socket_power": "N/A", "current_socket_power": "7 W"},
  "temperature": "N/A", "mem_usage": {"total_vram": "2 GB", "used_vram": "N/A"}}])";
constexpr const char* kList = R"([{"gpu": 0, "bdf": "0000:05:00.0", "uuid": "abff-74a1"},
  {"gpu": 1, "uuid": "../x"}])";
constexpr const char* kStatic = R"({"gpu_data": [{"gpu": 0, "asic": {"market_name": "RX 7800"}}]})";
constexpr const char* kProcess = R"([{"gpu": 0, "process_list": [{"process_info":
   {"name": "python3", "pid": 77, "mem_usage": {"value": 9, "unit": "B"},
    "memory_usage": {"vram_mem": {"value": 48000, "unit": "B"}}}}]},
  {"gpu": 1, "process_list": [{"process_info": "No running processes detected"}]}])";

constexpr const char* kCards = R"json(WARNING: low power
{"card0": {"Temperature (Sensor edge) (C)": "49.0", "Average Graphics Package Power (W)": "19.5",
  "GPU use (%)": "3", "VRAM Total Memory (B)": "25753026560", "Card Series": "Radeon RX 7900",
  "VRAM Total Used Memory (B)": "794341376", "Unique ID": "0x592c190172fd5d40"},
 "card12": {"Temperature (Sensor junction) (c)": "50.0", "Unique ID": "N/A",
  "Current Socket Graphics Package Power (W)": "N/A (Secondary die)", "Card series": "MI250",
  "GPU use (%)": "N/A"},
 "system": {"Driver version": "6"}})json";

AmdSmiAnswers answers(const std::string& metric) {
  return {.metric = {.out = metric},
          .list = {.out = kList},
          .asic = {.out = kStatic},
          .processes = {.out = kProcess},
          .kfd = {{.unique_id = 0xabff74a1, .location = 0x500}}};
}

TEST(AmdSmi, AGpuIsPutTogetherFromItsAnswers) {
  const auto list = parse_amd_smi(answers(kMetric));
  ASSERT_TRUE(list) << list.why;
  ASSERT_EQ((*list).size(), 2U);
  const auto& gpu = (*list)[0];
  EXPECT_EQ(gpu.uuid, "GPU-00000000abff74a1");
  EXPECT_EQ(gpu.vendor, "amd");
  EXPECT_EQ(gpu.never, "");
  EXPECT_EQ(gpu.name, "RX 7800");
  EXPECT_EQ(*gpu.utilization_pct, 42U);
  EXPECT_EQ(*gpu.memory_total_bytes, 16368UL * 1024 * 1024);
  EXPECT_EQ(*gpu.memory_used_bytes, 14569UL * 1024 * 1024);
  EXPECT_EQ(*gpu.temperature_c, 41U);
  EXPECT_EQ(*gpu.power_mw, 20500U);
  ASSERT_TRUE(gpu.processes);
  ASSERT_EQ((*gpu.processes).size(), 1U);
  EXPECT_EQ((*gpu.processes)[0].pid, 77);
  EXPECT_EQ((*gpu.processes)[0].command, "python3");
  EXPECT_EQ(*(*gpu.processes)[0].memory_bytes, 48000U);
}

TEST(AmdSmi, AnyLeafMayBeMissing) {
  const auto list = parse_amd_smi(answers(kMetric));
  ASSERT_TRUE(list);
  const auto& gpu = (*list)[1];
  EXPECT_EQ(gpu.uuid, "");
  EXPECT_EQ(gpu.name, "");
  EXPECT_EQ(gpu.utilization_pct.why, "amd-smi says N/A");
  EXPECT_EQ(gpu.memory_used_bytes.why, "amd-smi says N/A");
  EXPECT_EQ(gpu.temperature_c.why, "amd-smi does not tell");
  EXPECT_EQ(*gpu.memory_total_bytes, 2UL * 1024 * 1024 * 1024);
  EXPECT_EQ(*gpu.power_mw, 7000U);
  ASSERT_TRUE(gpu.processes);
  EXPECT_THAT(*gpu.processes, IsEmpty());
}

TEST(AmdSmi, NewerVersionsPutTheListIntoAnObjectAndWordsBeforeIt) {
  const auto list = parse_amd_smi(answers(R"(WARNING: something
{"gpu_data": [{"gpu": 3, "usage": {"gfx_activity": {"value": 1, "unit": "%"}}}]})"));
  ASSERT_TRUE(list) << list.why;
  EXPECT_EQ((*list)[0].index, 3U);
  EXPECT_EQ(*(*list)[0].utilization_pct, 1U);
  EXPECT_FALSE((*list)[0].processes);  // it did not say a word about this one
}

TEST(AmdSmi, AFailureIsMissingInItsOwnWords) {
  auto failed = answers("");
  failed.metric.err = "ERROR:root:Unable to detect any GPU devices\n";
  EXPECT_EQ(parse_amd_smi(failed).why, "amd-smi: ERROR:root:Unable to detect any GPU devices");
  for (const char* odd : {"{", "[]", "{}", "[1,2]", "]{", "null", "[{\"gpu\":-1}]", "[[[[",
                          R"([{"gpu":"x"}])", R"({"gpu_data": 5})", "[1e999]"}) {
    EXPECT_FALSE(parse_amd_smi(answers(odd))) << odd;
  }
  failed.metric = {.end = Said::End::TooLate};
  EXPECT_EQ(parse_amd_smi(failed).why, "amd-smi did not answer in time");
}

TEST(AmdSmi, AProcessThatIsNotUnderstoodLeavesNoGpuIdle) {
  auto odd = answers(kMetric);
  odd.processes.out = R"([{"gpu": 0, "process_list": [{"process_info": "something new"}]},
                          {"gpu": 1, "process_list": "N/A"}])";
  const auto list = parse_amd_smi(odd);
  ASSERT_TRUE(list);
  EXPECT_THAT((*list)[0].processes.why, HasSubstr("something new"));
  EXPECT_FALSE((*list)[1].processes);
}

TEST(RocmSmi, ACardIsAnObjectOfTexts) {
  const auto list = parse_rocm_smi({.out = kCards});
  ASSERT_TRUE(list) << list.why;
  ASSERT_EQ((*list).size(), 2U);
  const auto& gpu = (*list)[0];
  EXPECT_EQ(gpu.uuid, "GPU-592c190172fd5d40");
  EXPECT_EQ(gpu.name, "Radeon RX 7900");
  EXPECT_EQ(*gpu.utilization_pct, 3U);
  EXPECT_EQ(*gpu.memory_total_bytes, 25753026560U);
  EXPECT_EQ(*gpu.memory_used_bytes, 794341376U);
  EXPECT_EQ(*gpu.temperature_c, 49U);
  EXPECT_EQ(*gpu.power_mw, 19500U);
  EXPECT_EQ(gpu.processes.why, "rocm-smi does not tell which process uses which GPU");
  const auto& other = (*list)[1];
  EXPECT_EQ(other.index, 12U);
  EXPECT_EQ(other.uuid, "");
  EXPECT_EQ(other.name, "MI250");
  EXPECT_EQ(*other.temperature_c, 50U);
  EXPECT_EQ(other.power_mw.why, "rocm-smi says N/A (Secondary die)");
  EXPECT_EQ(other.utilization_pct.why, "rocm-smi says N/A");
  EXPECT_EQ(other.memory_used_bytes.why, "rocm-smi does not tell");
}

TEST(RocmSmi, AFailureIsMissingInItsOwnWords) {
  EXPECT_EQ(parse_rocm_smi({.err = "ERROR:root:Driver not initialized\n"}).why,
            "rocm-smi: ERROR:root:Driver not initialized");
  for (const char* odd : {"{}", "{", "{\"card0\": 1}", "{\"cardx\": {}}", "}{", "{\"card0\":{}"}) {
    EXPECT_FALSE(parse_rocm_smi({.out = odd})) << odd;
  }
}

}  // namespace
}  // namespace yonder::outpost
