#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/id.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "outpost/machine.h"
#include "outpost/processes.h"
#include "outpost/run_record.h"
#include "outpost/start.h"
#include "outpost/tree_ender.h"
#include "wire/messages.h"

namespace yonder::outpost {

// A home and a state directory, and whatever runs are started in them.
class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    for (const char* name : {"home", "state", "state/runs", "state/keys"}) {
      EXPECT_TRUE(make_directory(scratch_ / name));
    }
    around_ = {.home = scratch_ / "home",
               .user_id = std::to_string(::geteuid()),
               .login_shell = "/bin/sh",
               .boot_id = read_boot_id(),
               .state_dir = scratch_ / "state",
               .state_problem = ""};
  }

  // Nothing that a test has started is left behind.
  ~RunTest() override {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "state/runs")) {
      if (!entry.is_directory()) continue;
      const RunRecord record(entry.path().string());
      // What is about to begin would begin after the test.
      EXPECT_TRUE(testing::eventually([&] {
        return path_exists(record.path("alive")) || record.has_ended() || !record.locked();
      }));
      const auto read = record.read_alive();
      const auto alive = read ? *read : std::nullopt;
      // One that has just begun does not carry its mark yet.
      const bool begun = alive && alive->command.pid != ::getpid();
      TreeEnder ender(
          {.command = begun ? alive->command : wire::ProcessKey{}, .mark = record.mark()},
          Duration::zero());
      EXPECT_TRUE(testing::eventually([&] { return ender.step(); }));
      if (!alive || alive->supervisor.pid == ::getpid() || !lives(alive->supervisor)) continue;
      ::kill(static_cast<pid_t>(alive->supervisor.pid), SIGKILL);
    }
  }

  // As if leftovers had been removed so long ago, on this boot, by a clock that `jumped` since.
  void last_collected(std::chrono::hours ago, std::chrono::hours jumped = {}) const {
    const std::int64_t ms = to_milliseconds(ago);
    scratch_.write("state/collected", concat("yonder clock 1\nfirst 0\nseen ", read_boot_id(), " ",
                                             to_milliseconds(time_since_boot()) - ms, " ",
                                             wall_clock_ms() - ms - to_milliseconds(jumped), "\n"));
  }

  wire::StartRequest request(const std::string& command) const {
    wire::StartRequest request{.run_id = new_run_id().str(), .command = command};
    request.cwd = scratch_.path();
    request.grace_ms = 200;
    return request;
  }
  RunRecord start(const wire::StartRequest& request) const {
    std::optional<Spare> none;
    return start(request, none);
  }
  RunRecord start(const wire::StartRequest& request, std::optional<Spare>& spare) const {
    auto started = start_run(around_, request, spare);
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
    return started ? started->record : RunRecord("/nonexistent");
  }
  RunRecord start(const std::string& command) const { return start(request(command)); }

  static wire::ExitRecord wait_for_end(const RunRecord& record) {
    EXPECT_TRUE(testing::eventually([&] { return record.has_ended(); })) << record.directory();
    auto exit = record.read_exit();
    EXPECT_TRUE(exit) << (exit ? "" : exit.error().message);
    return exit && *exit ? **exit : wire::ExitRecord{};
  }
  // One that has ended without having begun will not begin.
  static void wait_until_alive(const RunRecord& record) {
    EXPECT_TRUE(testing::eventually(
        [&] { return record.has_ended() || path_exists(record.path("alive")); }));
    EXPECT_TRUE(path_exists(record.path("alive"))) << what_became_of(record);
    wait_until_commands_own(record);
  }
  // Until its process has become the command, it shares the lock of its supervisor.
  static void wait_until_commands_own(const RunRecord& record) {
    const auto alive = record.read_alive();
    if (!alive || !*alive) return;
    const std::string name = concat("/proc/", (*alive)->command.pid, "/comm");
    EXPECT_TRUE(testing::eventually([&] {
      const auto comm = read_file(name, 64);
      return !comm || *comm != "yonder-command\n";
    }));
  }
  static std::string what_became_of(const RunRecord& record) {
    const auto exit = record.read_exit();
    return exit && *exit ? "it has ended: " + (*exit)->reason : "it has not ended";
  }
  static std::string text_of(const RunRecord& record, const char* file) {
    auto text = read_file(record.path(file), 64UL * 1024 * 1024);
    return text ? *text : "unreadable: " + text.error().message;
  }
  // The command tells its steps by making files in the scratch directory.
  void wait_for_file(const std::string& name) const {
    EXPECT_TRUE(testing::eventually([&] { return path_exists(scratch_ / name); })) << name;
  }
  static bool process_gone(pid_t pid) {
    const auto process = look_at(pid);
    return !process || process->gone();
  }
  pid_t pid_from(const std::string& name) const {
    EXPECT_TRUE(testing::eventually([&] { return scratch_.read(name).ends_with('\n'); })) << name;
    return static_cast<pid_t>(std::atoi(scratch_.read(name).c_str()));
  }

  testing::Scratch scratch_;
  Surroundings around_;
};

}  // namespace yonder::outpost
