#include <gmock/gmock.h>

#include "outpost/cpu.h"
#include "outpost/memory.h"
#include "outpost/numbers.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::string_view kMeminfo = "MemTotal:   1000 kB\nMemFree: 1 kB\nMemAvailable: 600 kB\n";

TEST(Numbers, AreTakenOnlyAsAWhole) {
  EXPECT_EQ(whole_number(" 12\n"), 12U);
  for (const char* odd : {"", "-1", "1x", "x", "1 2", "max", "99999999999999999999", "[N/A]"}) {
    EXPECT_EQ(whole_number(odd), std::nullopt) << odd;
    EXPECT_EQ(thousandths(odd), std::nullopt) << odd;
  }
}

TEST(Numbers, KeepThreePlacesAfterThePoint) {
  EXPECT_EQ(thousandths("23.45"), 23450U);
  EXPECT_EQ(thousandths("7"), 7000U);
  EXPECT_EQ(thousandths("0.0009"), 0U);
  for (const char* odd : {".5", "5.", "1.2.3", "1.x", "-1.5", "18446744073709551615.9"}) {
    EXPECT_EQ(thousandths(odd), std::nullopt) << odd;
  }
}

TEST(Cpu, LoadIsReadInThousandths) {
  EXPECT_THAT(parse_loadavg("0.52 10.05 1.00 3/900 1234\n"),
              Optional(ElementsAre(520U, 10050U, 1000U)));
  EXPECT_FALSE(parse_loadavg("0.52 x 1.00"));
  EXPECT_FALSE(parse_loadavg(""));
}

TEST(Cpu, ListsOfProcessorsAreCounted) {
  EXPECT_EQ(count_listed("0-3,8,10-11\n"), 7U);
  EXPECT_EQ(count_listed("0\n"), 1U);
  for (const char* odd : {"", "3-1", "a", "0-", "0-99999999999"}) {
    EXPECT_EQ(count_listed(odd), std::nullopt) << odd;
  }
}

TEST(Cpu, AQuotaIsAShareOfProcessors) {
  EXPECT_EQ(parse_cpu_max("50000 100000\n"), 500U);
  EXPECT_EQ(parse_cpu_max("1 100000\n"), 1U);
  for (const char* odd : {"max 100000\n", "", "5", "5 0", "x y", "18446744073709551615 1"}) {
    EXPECT_EQ(parse_cpu_max(odd), std::nullopt) << odd;
  }
}

TEST(Cpu, PressureIsThatOfTheLastMinute) {
  EXPECT_EQ(parse_pressure("some avg10=9.00 avg60=1.25 avg300=0.10 total=5\n"
                           "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"),
            1250U);
  EXPECT_EQ(parse_pressure("full avg60=1.25\n"), std::nullopt);
}

resources::Cpu allowed(std::uint64_t online, std::optional<std::uint64_t> affinity,
                       std::optional<std::uint64_t> group) {
  resources::Cpu cpu{.online = resources::Count::of(online)};
  set_allowed(cpu, affinity, group);
  return cpu;
}

TEST(Cpu, WhatBindsIsNamed) {
  EXPECT_EQ(allowed(4, 4, std::nullopt).limit, "");
  EXPECT_EQ(*allowed(4, 4, 4000).allowed_milli, 4000U);
  EXPECT_EQ(allowed(4, 4, 64000).limit, "");
  EXPECT_EQ(*allowed(4, 4, 64000).allowed_milli, 4000U);
  EXPECT_EQ(allowed(4, 2, 3000).limit, "affinity");
  EXPECT_EQ(*allowed(4, 2, 3000).allowed_milli, 2000U);
  EXPECT_EQ(allowed(4, 2, 1500).limit, "cgroup");
  EXPECT_EQ(*allowed(4, 2, 1500).allowed_milli, 1500U);
  EXPECT_EQ(*allowed(4, std::nullopt, std::nullopt).allowed_milli, 4000U);
}

TEST(Cpu, OfThisMachineIsMeasured) {
  const auto cpu = look_at_cpu();
  ASSERT_TRUE(cpu.online && cpu.allowed_milli && cpu.load_1m_milli);
  EXPECT_GT(*cpu.allowed_milli, 0U);
  EXPECT_LE(*cpu.allowed_milli, *cpu.online * 1000);
  EXPECT_NE(cpu.pressure_milli_pct.value.has_value(), !cpu.pressure_milli_pct.why.empty());
}

TEST(Memory, IsWhatIsAvailableNotWhatIsFree) {
  const auto memory = memory_within(kMeminfo, {});
  EXPECT_EQ(*memory.total_bytes, 1000U * 1024);
  EXPECT_EQ(*memory.available_bytes, 600U * 1024);
  EXPECT_EQ(memory.limit, "");
}

TEST(Memory, IsTheSmallestOverAllLevels) {
  // The outer group is larger, but others have nearly filled it.
  const auto memory = memory_within(kMeminfo, {{.bytes = 300UL * 1024, .used = 100UL * 1024},
                                               {.bytes = 500UL * 1024, .used = 499UL * 1024}});
  EXPECT_EQ(*memory.total_bytes, 300U * 1024);
  EXPECT_EQ(*memory.available_bytes, 1U * 1024);
  EXPECT_EQ(memory.limit, "cgroup");
}

TEST(Memory, OfTheMachineMayBeLessThanWhatAGroupLeaves) {
  const auto memory = memory_within(kMeminfo, {{.bytes = 900UL * 1024, .used = 0}});
  EXPECT_EQ(*memory.available_bytes, 600U * 1024);
  EXPECT_EQ(*memory.total_bytes, 900U * 1024);
}

TEST(Memory, OfAFullGroupIsZeroAndThatOfASilentOneIsMissing) {
  EXPECT_EQ(*memory_within(kMeminfo, {{.bytes = 10, .used = 50}}).available_bytes, 0U);
  const auto silent = memory_within(kMeminfo, {{.bytes = 10, .used = std::nullopt}});
  EXPECT_FALSE(silent.available_bytes);
  EXPECT_EQ(*silent.total_bytes, 10U);
}

TEST(Memory, ThatTheKernelDoesNotTellIsMissing) {
  const auto memory = memory_within("MemTotal: 5 kB\nMemFree: 3 kB\n", {});
  EXPECT_FALSE(memory.available_bytes);
  EXPECT_THAT(memory.available_bytes.why, HasSubstr("MemAvailable"));
  EXPECT_FALSE(memory_within("MemTotal: many\n", {}).total_bytes);
}

TEST(Memory, OfThisMachineIsMeasured) {
  const auto memory = look_at_memory();
  ASSERT_TRUE(memory.total_bytes && memory.available_bytes);
  EXPECT_GT(*memory.available_bytes, 0U);
  EXPECT_LE(*memory.available_bytes, *memory.total_bytes);
}

}  // namespace
}  // namespace yonder::outpost
