#include "outpost/cgroups.h"

#include <gmock/gmock.h>

#include "base/scratch_test.h"
#include "outpost/cpu.h"
#include "outpost/memory.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> directories(const std::vector<Group>& groups) {
  std::vector<std::string> names;
  for (const auto& group : groups) names.push_back((group.unified ? "2:" : "1:") + group.directory);
  return names;
}

constexpr std::string_view kUnified =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr std::string_view kHybrid =
    "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/memory rw shared:11 - cgroup cgroup rw,memory\n";

TEST(Cgroups, AreAllFromOursToTheRoot) {
  EXPECT_THAT(directories(groups_above("0::/user.slice/user-1.slice\n", kUnified, "cpu")),
              ElementsAre("2:/sys/fs/cgroup/user.slice/user-1.slice", "2:/sys/fs/cgroup/user.slice",
                          "2:/sys/fs/cgroup"));
}

TEST(Cgroups, OfBothVersionsAreSeenWhereBothAreMounted) {
  const std::string own = "5:memory:/a\n3:cpu,cpuacct:/b:c\n1:name=systemd:/x\n0::/u\n";
  EXPECT_THAT(directories(groups_above(own, kHybrid, "cpu")),
              ElementsAre("1:/sys/fs/cgroup/cpu,cpuacct/b:c", "1:/sys/fs/cgroup/cpu,cpuacct",
                          "2:/sys/fs/cgroup/unified/u", "2:/sys/fs/cgroup/unified"));
  EXPECT_THAT(directories(groups_above("5:memory:/a\n", kHybrid, "memory")),
              ElementsAre("1:/sys/fs/cgroup/memory/a", "1:/sys/fs/cgroup/memory"));
}

TEST(Cgroups, OfAContainerAreThoseThatItsMountShows) {
  const std::string mounts =
      "40 1 0:31 /docker/abc /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory\n";
  EXPECT_THAT(directories(groups_above("4:memory:/docker/abc\n", mounts, "memory")),
              ElementsAre("1:/sys/fs/cgroup/memory"));
  EXPECT_THAT(directories(groups_above("4:memory:/docker/abc/sub\n", mounts, "memory")),
              ElementsAre("1:/sys/fs/cgroup/memory/sub", "1:/sys/fs/cgroup/memory"));
  EXPECT_THAT(groups_above("4:memory:/docker/abcd\n", mounts, "memory"), IsEmpty());
  EXPECT_THAT(directories(groups_above("0::/\n", kUnified, "memory")),
              ElementsAre("2:/sys/fs/cgroup"));
}

TEST(Cgroups, AboveOurNamespaceAreNotWalkedInto) {
  EXPECT_THAT(groups_above("0::/../..\n", kUnified, "cpu"), IsEmpty());
  EXPECT_THAT(groups_above("0::/../other\n", kUnified, "cpu"), IsEmpty());
}

TEST(Cgroups, AreFoundBelowAMountThatBeginsAboveOurNamespace) {
  EXPECT_EQ(path_below("/..", "/../x"), "/x");
  EXPECT_EQ(path_below("/../..", "/../.."), "");
  EXPECT_EQ(path_below("/../..", "/"), "");  // it is above us, what is between has no name
  EXPECT_EQ(path_below("/../..", "/a/b"), "");
  EXPECT_EQ(path_below("/..", "/../.."), std::nullopt);
  EXPECT_EQ(path_below("/../b", "/"), std::nullopt);
  EXPECT_EQ(path_below("/", "/a//b/"), "/a/b");
}

TEST(Cgroups, AreNoneWhereNothingIsUnderstood) {
  EXPECT_THAT(groups_above("", "", "cpu"), IsEmpty());
  EXPECT_THAT(groups_above("nonsense\n0:\n:::\n", "1 2 3 - cgroup2\n - cgroup2 a b\n", "cpu"),
              IsEmpty());
}

TEST(Cgroups, HavePathsWithSpacesUnescaped) {
  const std::string mounts = "30 22 0:26 / /a\\040b rw - cgroup2 none rw\n";
  EXPECT_THAT(directories(groups_above("0::/\n", mounts, "cpu")), ElementsAre("2:/a b"));
}

// Trees as the kernel would show them, and what they allow.
class CgroupTree : public ::testing::Test {
 protected:
  Group group(const std::string& name, bool unified) const {
    std::filesystem::create_directories(scratch_ / name);
    return {.directory = scratch_ / name, .unified = unified};
  }
  testing::Scratch scratch_;
};

TEST_F(CgroupTree, OfVersion2LimitsProcessorsAtTheTightestLevel) {
  scratch_.write("a/cpu.max", "200000 100000\n");
  scratch_.write("a/b/cpu.max", "max 100000\n");
  scratch_.write("a/b/c/cpu.max", "250000 100000\n");
  const auto limit = smallest_cpu_limit(
      {group("a/b/c", true), group("a/b", true), group("a", true), group("", true)});
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->milli, 2000U);
  EXPECT_EQ(limit->group.directory, scratch_ / "a");
  EXPECT_FALSE(smallest_cpu_limit({group("a/b", true), group("gone", true)}));
}

TEST_F(CgroupTree, OfVersion1LimitsProcessorsByQuotaAndPeriod) {
  scratch_.write("a/cpu.cfs_quota_us", "150000\n");
  scratch_.write("a/cpu.cfs_period_us", "100000\n");
  scratch_.write("cpu.cfs_quota_us", "-1\n");
  scratch_.write("cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(smallest_cpu_limit({group("a", false), group("", false)})->milli, 1500U);
  EXPECT_FALSE(smallest_cpu_limit({group("", false)}));
}

TEST_F(CgroupTree, OfVersion2LimitsMemory) {
  scratch_.write("a/memory.max", "1000000\n");
  scratch_.write("a/memory.current", "700000\n");
  scratch_.write("a/memory.stat", "anon 1\ninactive_file 200000\nactive_file 9\n");
  scratch_.write("memory.max", "max\n");
  const auto limits = memory_limits({group("a", true), group("", true)});
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits[0].bytes, 1000000U);
  EXPECT_EQ(limits[0].used, 500000U);
}

TEST_F(CgroupTree, OfVersion1LimitsMemory) {
  scratch_.write("a/memory.limit_in_bytes", "1000000\n");
  scratch_.write("a/memory.usage_in_bytes", "700000\n");
  scratch_.write("a/memory.stat", "inactive_file 1\ntotal_inactive_file 900000\n");
  scratch_.write("memory.limit_in_bytes", "9223372036854771712\n");
  scratch_.write("memory.usage_in_bytes", "5\n");
  const auto limits = memory_limits({group("a", false), group("", false)});
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(limits[0].used, 0U);  // both numbers are of different moments
  const auto memory =
      memory_within("MemTotal: 4000 kB\nMemFree: 1 kB\nMemAvailable:    3000 kB\n", limits);
  EXPECT_EQ(*memory.total_bytes, 1000000U);
  EXPECT_EQ(*memory.available_bytes, 1000000U);
  EXPECT_EQ(memory.limit, "cgroup");
}

}  // namespace
}  // namespace yonder::outpost
