#include <gmock/gmock.h>

#include "outpost/command.h"
#include "outpost/gpu_lease.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::map<std::string, std::string> given(const std::vector<wire::GivenGpu>& gpus) {
  wire::StartRequest spec;
  give_gpus(spec, gpus);
  return spec.env;
}

TEST(GiveGpus, NvidiaProgramsAreToldTheUuids) {
  EXPECT_THAT(given({{.uuid = "GPU-a", .vendor = "nvidia"}, {.uuid = "GPU-b", .vendor = "nvidia"}}),
              ElementsAre(Pair("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b")));
  EXPECT_TRUE(given({}).empty());
}

// Those that HIP reads count what ROCR_VISIBLE_DEVICES has left.
TEST(GiveGpus, AmdProgramsAreToldTheKernelsNamesAndNothingElseHidesThem) {
  EXPECT_THAT(given({{.uuid = "GPU-00000000000000aa", .vendor = "amd"},
                     {.uuid = "PCI-0000-03-00-0", .vendor = "amd", .device = "3"}}),
              ElementsAre(Pair("CUDA_VISIBLE_DEVICES", ""), Pair("GPU_DEVICE_ORDINAL", "0,1"),
                          Pair("HIP_VISIBLE_DEVICES", "0,1"),
                          Pair("ROCR_VISIBLE_DEVICES", "GPU-00000000000000aa,3")));
}

TEST(GiveGpus, OfBothVendorsAreToldToBoth) {
  const auto env = given(
      {{.uuid = "GPU-a", .vendor = "nvidia"}, {.uuid = "GPU-00000000000000aa", .vendor = "amd"}});
  EXPECT_EQ(env.at("CUDA_VISIBLE_DEVICES"), "GPU-a");
  EXPECT_EQ(env.at("ROCR_VISIBLE_DEVICES"), "GPU-00000000000000aa");
  EXPECT_EQ(env.at("HIP_VISIBLE_DEVICES"), "0");
}

TEST(GiveGpus, WhoAsksForGpusDoesNotSayWhich) {
  for (const char* name : kGpuVariables) {
    wire::StartRequest request{.command = "true"};
    request.env[name] = "0";
    EXPECT_TRUE(check_request(request, "/")) << name;
    request.gpus = 1;
    const auto checked = check_request(request, "/");
    ASSERT_FALSE(checked) << name;
    EXPECT_THAT(checked.error().message, HasSubstr(name));
  }
}

}  // namespace
}  // namespace yonder::outpost
