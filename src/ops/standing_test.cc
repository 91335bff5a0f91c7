// One meaning of state, running and pending, whichever tool answers.
#include "ops/standing.h"

#include <gtest/gtest.h>

#include <array>

#include "ops/background.h"
#include "ops/exec.h"
#include "ops/task_operations.h"
#include "ops/tasks.h"
#include "ops/transfers.h"

namespace yonder::ops {
namespace {

constexpr std::array kStates{RunState::Queued,   RunState::Running,  RunState::Exited,
                             RunState::Signaled, RunState::TimedOut, RunState::Stopped,
                             RunState::Refused,  RunState::Lost,     RunState::Unknown};

Json part_of(const Json& answer) {
  return Json{{"state", answer.at("state")},
              {"running", answer.at("running")},
              {"pending", answer.at("pending")}};
}

TEST(StandingTest, WhatIsNotKnownIsNeitherRunningNorNotRunning) {
  EXPECT_EQ(standing_json(RunState::Unknown),
            (Json{{"state", "unknown"}, {"running", nullptr}, {"pending", nullptr}}));
  EXPECT_EQ(standing_json(RunState::Running),
            (Json{{"state", "running"}, {"running", true}, {"pending", false}}));
  EXPECT_EQ(standing_json(RunState::Queued),
            (Json{{"state", "queued"}, {"running", false}, {"pending", true}}));
  EXPECT_EQ(standing_json(RunState::Lost),
            (Json{{"state", "lost"}, {"running", false}, {"pending", false}}));
}

TEST(StandingTest, EveryAnswerAboutARunMeansTheSameByIt) {
  for (const RunState state : kStates) {
    const Json expected = standing_json(state);
    const TaskInfo task{.status = {.state = state}};
    EXPECT_EQ(part_of(to_json(ExecResponse{.status = {.state = state}})), expected);
    EXPECT_EQ(part_of(to_json(BackgroundResponse{.status = {.state = state}})), expected);
    EXPECT_EQ(part_of(to_json(task)), expected);
    EXPECT_EQ(part_of(to_json(CheckResponse{.task = task})), expected);
    EXPECT_EQ(part_of(to_json(StopTaskResponse{.task = task})), expected);
  }
}

TEST(StandingTest, AForeignSessionStandsWhereTmuxSaysItDoes) {
  const auto seen = [](std::optional<bool> running) {
    return part_of(to_json(CheckResponse{.running = running, .proof = "tmux"}));
  };
  EXPECT_EQ(seen(true), standing_json(RunState::Running));
  EXPECT_EQ(seen(false), standing_json(RunState::Lost));
  EXPECT_EQ(seen(std::nullopt), standing_json(RunState::Unknown));
}

TEST(StandingTest, ATransferThatCannotBeSeenIsNotSaidToHaveEnded) {
  const auto part = [](const char* status) {
    const Json json = to_json(TransferInfo{.state = {.status = status}});
    return Json{{"running", json.at("running")}, {"pending", json.at("pending")}};
  };
  for (const char* status : {"queued", "running", "completed", "failed", "unknown"}) {
    EXPECT_EQ(part(status), standing_json(std::string_view(status))) << status;
  }
}

}  // namespace
}  // namespace yonder::ops
