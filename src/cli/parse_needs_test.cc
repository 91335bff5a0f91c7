#include <gmock/gmock.h>

#include "cli/parsing_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseNeeds, AreReadByRunAndExec) {
  const auto run = parsed<RunOptions>({"run", "auto", "--gpus", "2", "--gpu-memory", "20000",
                                       "--memory", "64000", "--disk", "1000", "--label", "a100",
                                       "--label", "fast", "--", "./train.sh"});
  EXPECT_EQ(run.sandbox, "auto");
  EXPECT_EQ(run.needs.gpus, 2U);
  EXPECT_EQ(run.needs.gpu_memory_mb, 20000U);
  EXPECT_EQ(run.needs.memory_mb, 64000U);
  EXPECT_EQ(run.needs.disk_mb, 1000U);
  EXPECT_THAT(run.needs.labels, ElementsAre("a100", "fast"));
  EXPECT_FALSE(run.run.gpu_queue);
  EXPECT_EQ(parsed<ExecOptions>({"exec", "--gpus", "1", "--", "true"}).needs.gpus, 1U);
}

TEST(ParseNeeds, ARunMayWaitForItsGpus) {
  const auto run = parsed<RunOptions>(
      {"run", "--gpus", "1", "--when", "free", "--max-wait", "2h", "--", "./train.sh"});
  EXPECT_TRUE(run.run.gpu_queue);
  EXPECT_EQ(run.run.gpu_queue_limit, Duration(std::chrono::hours(2)));
  const auto now = parsed<RunOptions>({"run", "--gpus", "1", "--when", "now", "--", "true"});
  EXPECT_FALSE(now.run.gpu_queue);
  for (const auto& [text, seconds] : std::vector<std::pair<std::string, int>>{
           {"90", 90}, {"90s", 90}, {"30m", 1800}, {"1.5m", 90}, {"1d", 86400}}) {
    const auto timed = parsed<RunOptions>(
        {"run", "--gpus", "1", "--when", "free", "--max-wait", text, "--", "true"});
    EXPECT_EQ(timed.run.gpu_queue_limit, Duration(std::chrono::seconds(seconds))) << text;
  }
}

TEST(ParseNeeds, RefusesWhatMakesNoSense) {
  const std::vector<std::pair<Words, const char*>> lines{
      {{"run", "--gpus", "one", "--", "true"}, "--gpus takes a number"},
      {{"run", "--gpus", "-1", "--", "true"}, "--gpus takes a number"},
      {{"run", "--gpu-memory", "1", "--", "true"}, "only together with --gpus"},
      {{"run", "--when", "free", "--", "true"}, "--gpus N"},
      {{"run", "--gpus", "1", "--when", "later", "--", "true"}, "now or free"},
      {{"run", "--gpus", "1", "--max-wait", "2h", "--", "true"}, "together with --when free"},
      {{"run", "--gpus", "1", "--when", "free", "--max-wait", "0", "--", "true"}, "above 0"},
      {{"run", "--gpus", "1", "--when", "free", "--max-wait", "h", "--", "true"}, "30m, 2h"},
      {{"exec", "--when", "free", "--", "true"}, "there is no option --when of `yonder exec`"},
      {{"exec", "--attach", "r-abcdefghijklmnop", "--gpus", "1"}, "--gpus"},
      {{"exec", "auto", "--attach", "r-abcdefghijklmnop"}, "auto"},
  };
  for (const auto& [words, what] : lines) {
    EXPECT_THAT(refusal(words), HasSubstr(what)) << ::testing::PrintToString(words);
  }
}

TEST(ParseGpus, TakesAnyNumberOfNames) {
  EXPECT_TRUE(parsed<GpusOptions>({"gpus"}).sandboxes.empty());
  const auto some = parsed<GpusOptions>({"gpus", "gpu1", "gpu2", "--json"});
  EXPECT_THAT(some.sandboxes, ElementsAre("gpu1", "gpu2"));
  EXPECT_TRUE(some.json);
  EXPECT_THAT(refusal({"gpus", ""}), HasSubstr("name is empty"));
}

TEST(ParseHosts, TakesResources) {
  EXPECT_TRUE(parsed<HostsOptions>({"hosts", "--resources"}).resources);
  EXPECT_FALSE(parsed<HostsOptions>({"hosts"}).resources);
}

}  // namespace
}  // namespace yonder::cli
