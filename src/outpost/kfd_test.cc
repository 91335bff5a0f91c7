#include "outpost/kfd.h"

#include <gmock/gmock.h>

#include "base/scratch_test.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string properties(std::uint64_t unique_id, std::uint64_t location, std::uint64_t simds = 256) {
  return concat("cpu_cores_count 0\nsimd_count ", simds, "\nmem_banks_count 1\nlocation_id ",
                location, "\ndomain 0\ndrm_render_minor 128\nunique_id ", unique_id, "\n");
}

TEST(Kfd, GpusAreCountedWithoutProcessorsAndInTheOrderOfTheirNodes) {
  const testing::Scratch scratch;
  const auto write = [&](std::uint64_t node, const std::string& text) {
    const std::string directory = concat("topology/nodes/", node);
    std::filesystem::create_directories(scratch / directory);
    scratch.write(directory + "/properties", text);
  };
  write(0, "cpu_cores_count 8\nsimd_count 0\nlocation_id 0\n");
  for (std::uint64_t node = 1; node < 11; ++node) {
    write(node, properties(100 + node, node << 8U));
  }
  const auto all = kfd_gpus(scratch.path());
  ASSERT_EQ(all.size(), 10U);
  EXPECT_EQ(all[0].unique_id, 101U);
  EXPECT_EQ(all[9].unique_id, 110U);
  EXPECT_EQ(all[9].location, 10U << 8U);
  EXPECT_THAT(kfd_gpus(scratch / "none"), IsEmpty());
}

TEST(Kfd, ACardIsCalledByItsUniqueNumber) {
  resources::Gpu gpu{.uuid = "66ff74a1-0000-1000-80b6-d2fdc6fa1a2b"};
  name_by_kfd(gpu, "0000:05:00.0",
              {{.unique_id = 7, .location = 0x300}, {.unique_id = 0xabc, .location = 0x500}});
  EXPECT_EQ(gpu.uuid, "GPU-0000000000000abc");
  EXPECT_EQ(gpu.device, "");
  EXPECT_EQ(gpu.never, "");
}

TEST(Kfd, ACardWithoutAUniqueNumberIsCalledByItsPlaceAmongAll) {
  const std::vector<KfdGpu> all{{.unique_id = 0, .location = 0x300},
                                {.unique_id = 0, .domain = 1, .location = 0xc319}};
  resources::Gpu gpu{.uuid = "same-on-both"};
  name_by_kfd(gpu, "0001:c3:03.1", all);
  EXPECT_EQ(gpu.uuid, "PCI-0001-c3-03-1");
  EXPECT_EQ(gpu.device, "1");
}

TEST(Kfd, TwoOfTheSameNumberAreToldApart) {
  const std::vector<KfdGpu> all{{.unique_id = 5, .location = 0x300},
                                {.unique_id = 5, .location = 0x301}};
  resources::Gpu gpu;
  name_by_kfd(gpu, "0000:03:00.1", all);
  EXPECT_EQ(gpu.uuid, "PCI-0000-03-00-1");
  EXPECT_EQ(gpu.device, "1");
}

TEST(Kfd, ACardThatItDoesNotKnowIsNotGivenAway) {
  for (const char* bdf :
       {"0000:06:00.0", "", "nonsense", "0000:05:00", "0000:05:99.0", "0:5:0.x"}) {
    resources::Gpu gpu{.uuid = "u"};
    name_by_kfd(gpu, bdf, {{.unique_id = 1, .location = 0x500}});
    EXPECT_THAT(gpu.never, HasSubstr("KFD")) << bdf;
    EXPECT_EQ(gpu.uuid, "u");
  }
  resources::Gpu split;
  name_by_kfd(split, "0000:05:00.0",
              {{.unique_id = 1, .location = 0x500}, {.unique_id = 1, .location = 0x500}});
  EXPECT_EQ(split.never, "it is split into partitions");
}

}  // namespace
}  // namespace yonder::outpost
