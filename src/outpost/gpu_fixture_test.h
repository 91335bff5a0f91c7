#pragma once

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "lab/gpu_stub.h"
#include "outpost/background_fixture_test.h"
#include "outpost/gpu_lease.h"
#include "outpost/gpu_times.h"
#include "outpost/gpus.h"

namespace yonder::outpost {

// Real supervisors, real locks, and a tool that shows as many GPUs as a test wants.
class GpuRunTest : public BackgroundTest {
 protected:
  GpuRunTest() {
    ::setenv("YONDER_GPU_LEASES", (scratch_ / "gpus").c_str(), 1);
    ::setenv("PATH", (stub_.path() + ":" + path_).c_str(), 1);
    have_gpus(2);
    gpu_times() = {
        .tool = testing::kPatience, .lock = testing::kPatience, .decision = testing::kPatience};
  }
  ~GpuRunTest() override {
    gpu_times() = {};
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("YONDER_GPU_LEASES");
  }

  void have_gpus(std::size_t count) { stub_.set_gpus(std::vector<lab::StubGpu>(count)); }
  wire::StartRequest wanting(std::uint64_t gpus, const std::string& command) const {
    auto request = in_background(command);
    request.gpus = gpus;
    return request;
  }
  wire::StartRequest queueing(std::uint64_t gpus, const std::string& command) const {
    auto request = wanting(gpus, command);
    request.gpu_queue = true;
    return request;
  }
  static wire::WaitingRecord wait_until_queued(const RunRecord& record) {
    EXPECT_TRUE(testing::eventually([&] {
      return path_exists(record.path("waiting")) || path_exists(record.path("alive")) ||
             record.has_ended();
    }));
    const auto waiting = record.read_waiting();
    EXPECT_TRUE(waiting && *waiting) << what_became_of(record);
    return waiting && *waiting ? **waiting : wire::WaitingRecord{};
  }
  static void stop_queued(const RunRecord& record) {
    EXPECT_TRUE(open_file(record.path("stop"), O_WRONLY | O_CREAT));
    EXPECT_EQ(wait_for_end(record).cause, wire::Cause::Stop);
  }
  static std::string given_to(const RunRecord& record) {
    const auto alive = alive_of(record);
    return alive.gpus.size() == 1 ? alive.gpus.front().uuid : "";
  }
  resources::Gpus seen() const {
    auto gpus = look_at_gpus(testing::kPatience);
    // Another process may have the lock for a moment.
    EXPECT_TRUE(testing::eventually([&] {
      gpus.lease_problem.clear();
      add_leases(gpus);
      return gpus.lease_problem.empty();
    }));
    return gpus;
  }
  std::size_t leases() const {
    const auto gpus = seen();
    return static_cast<std::size_t>(
        std::count_if(gpus.list.value->begin(), gpus.list.value->end(),
                      [](const resources::Gpu& gpu) { return gpu.lease.has_value(); }));
  }
  void go(const std::string& file) const { scratch_.write(file, ""); }
  std::string hold(const std::string& file) const { return until(scratch_ / file); }

  // Asked through a script, which may do more than the tool.
  void ask_through(const std::string& script) const {
    scratch_.write("bin/nvidia-smi",
                   concat("#!/bin/sh\n", script, "\nexec ", stub_.path(), "/nvidia-smi \"$@\"\n"),
                   0755);
    ::setenv("PATH", concat(scratch_ / "bin", ":", stub_.path(), ":", path_).c_str(), 1);
  }

  std::string path_ = std::getenv("PATH");
  lab::GpuStub stub_;
};

}  // namespace yonder::outpost
