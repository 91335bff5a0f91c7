#include "outpost/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "lab/gpu_stub.h"
#include "outpost/serve_client_test.h"

namespace yonder::outpost {
namespace {

class Measure : public ServeTest {
 protected:
  Measure() : path_(std::getenv("PATH")) {}
  ~Measure() override { ::setenv("PATH", path_.c_str(), 1); }

  void serve_with(const lab::GpuStub& stub) {
    ::setenv("PATH", concat(stub.path(), ":", path_).c_str(), 1);
    reconnect();
  }

  resources::MachineFacts ask_for_resources(const std::string& cwd) {
    ask(1, wire::ResourcesRequest{.cwd = cwd});
    std::string payload;
    while (const auto frame = next_frame()) {
      if (frame->stream != 1 || frame->kind == wire::Kind::Credit) continue;
      payload += frame->payload;
      if (frame->kind == wire::Kind::Part) continue;
      EXPECT_EQ(frame->kind, wire::Kind::Reply);
      auto facts = wire::decode_resources(payload);
      EXPECT_TRUE(facts);
      if (facts) return *std::move(facts);
      break;
    }
    ADD_FAILURE() << "there was no answer";
    return {};
  }

 private:
  std::string path_;
};

TEST_F(Measure, AnswersWithEverythingThatTheMachineHas) {
  lab::GpuStub stub;
  stub.set_gpus({{.name = "NVIDIA Stub A", .utilization = "55"}});
  stub.set_processes({{.gpu = 0, .pid = ::getpid()}});
  serve_with(stub);
  const auto facts = ask_for_resources(scratch_.path());
  EXPECT_EQ(facts.boot_id, around_.boot_id);
  EXPECT_NE(facts.kernel, "");
  ASSERT_TRUE(facts.uptime_s && facts.cpu.allowed_milli && facts.memory.available_bytes);
  EXPECT_GT(*facts.uptime_s, 0U);
  ASSERT_EQ(facts.disks.size(), 2U);
  EXPECT_EQ(facts.disks[0].path, scratch_.path());
  EXPECT_TRUE(facts.disks[0].free_bytes);
  EXPECT_EQ(facts.gpus.vendor, "nvidia");
  ASSERT_TRUE(facts.gpus.list) << facts.gpus.list.why;
  ASSERT_EQ((*facts.gpus.list).size(), 1U);
  EXPECT_EQ((*facts.gpus.list)[0].uuid, stub.uuid(0));
  EXPECT_EQ(*(*facts.gpus.list)[0].utilization_pct, 55U);
  ASSERT_TRUE((*facts.gpus.list)[0].processes);
  EXPECT_EQ((*(*facts.gpus.list)[0].processes)[0].pid, ::getpid());
  EXPECT_TRUE(facts.users || !facts.users.why.empty());
  EXPECT_GT(facts.clock_ms, 0);
}

TEST_F(Measure, LeavesNoToolBehindWhenTheLinkEnds) {
  lab::GpuStub stub;
  stub.set_mode("hang");
  serve_with(stub);
  ask(1, wire::ResourcesRequest{});
  const auto hanging = [&] {
    const auto all = all_processes();
    return std::any_of(all.begin(), all.end(), [&](const Process& process) {
      const auto line = read_file(concat("/proc/", process.pid, "/cmdline"), 1UL << 20U);
      return !process.gone() && line && line->find(stub.path()) != std::string::npos;
    });
  };
  ASSERT_TRUE(testing::eventually(hanging));
  disconnect();
  EXPECT_TRUE(testing::eventually([&] { return !hanging(); }));
}

TEST(MeasureTime, WithoutAGpuToolIsMilliseconds) {
  const Surroundings around{.home = "/", .boot_id = "b", .state_dir = "/"};
  const auto facts = measure(around, "");
  if (!facts.gpus.tool.empty()) GTEST_SKIP() << "needs a machine without a GPU tool";
  // Once it is not interrupted; a pause of its own would be in each.
  EXPECT_TRUE(testing::eventually([&] { return measure(around, "").took_ms <= 20; }));
}

}  // namespace
}  // namespace yonder::outpost
