#pragma once

#include "wire/messages.h"

namespace yonder::wire {

// One of each message, with every field away from its default.

inline Hello sample_hello() {
  return {.build = "b",
          .boot_id = "o",
          .hostname = "h",
          .system = "s",
          .home = "/r",
          .user_id = "0",
          .login_shell = "/bin/sh",
          .bash = "",
          .outpost_path = "/p",
          .state_dir = "/s",
          .state_problem = "",
          .clock_ms = 1700000000000,
          .pid = 42};
}

inline Follow sample_follow() {
  return {.out_from = 1,
          .err_from = 300,
          .head = 70000,
          .tail = 5,
          .wait_ms = std::nullopt,
          .until_begun = true};
}

inline StartRequest sample_start() {
  return {.run_id = "r-a",
          .key = "k",
          .command = "c",
          .argv = {"x", "y z"},
          .cwd = "~",
          .env = {{"A", "1"}, {"B", ""}},
          .stdin_mode = StdinMode::Stream,
          .input = "in",
          .in_from = std::uint64_t{1} << 40U,
          .login = true,
          .timeout_ms = 120000,
          .grace_ms = 5000,
          .keep_ms = -1,
          .background = true,
          .log_file = "/l",
          .session = "s",
          .tmux = true,
          .launcher = "scope",
          .description = "d",
          .log_from = 6,
          .created_ms = 7,
          .follow = sample_follow()};
}

inline FollowRequest sample_follow_request() {
  return {.run_id = "r-a", .stream_stdin = true, .in_from = 3, .follow = sample_follow()};
}

inline StopRequest sample_stop() {
  return {.run_id = "r-a", .key = "", .session = "s", .signal = 2, .grace_ms = 0, .prevent = true};
}

inline ReadLogRequest sample_read_log() {
  return {.run_id = "r-a",
          .session = "s",
          .path = "~/l",
          .from = 70000,
          .lines = 9,
          .filter = "e",
          .head = 1,
          .tail = 2,
          .wait_ms = 3};
}

inline ListRequest sample_list() {
  return {.limit = 5, .unfinished_only = true, .background_only = false};
}

inline RemoveRequest sample_remove() {
  return {.run_id = "r-a"};
}

inline ExitRecord sample_exit() {
  return {.cause = Cause::Timeout,
          .code = std::nullopt,
          .signal = 9,
          .ended_ms = 1,
          .duration_ms = 2,
          .user_ms = 3,
          .system_ms = 4,
          .max_rss_kib = 5,
          .left_running = {{.pid = 7, .command = "sleep"}}};
}

inline AliveRecord sample_alive() {
  return {.boot_id = "o",
          .host = "h",
          .pid_ns = "n",
          .supervisor = {.pid = 1, .start_time = 2},
          .command = {.pid = 3, .start_time = 4},
          .started_ms = 5,
          .launcher = "scope",
          .cgroup = "/c"};
}

inline RunLabel sample_label() {
  return {.background = true,
          .command = "c",
          .description = "d",
          .key = "k",
          .cwd = "/w",
          .session = "s.1",
          .tmux_session = "s_1",
          .log_file = "/l",
          .log_from = 6,
          .created_ms = 7};
}

inline StartedNote sample_started() {
  return {.run_id = "r-a", .existed = true};
}

inline RunFacts sample_facts() {
  return {.run_id = "r-a",
          .boot_id = "o",
          .host = "g",
          .existed = true,
          .record_found = true,
          .supervisor_lives = false,
          .command_lives = true,
          .alive = sample_alive(),
          .exit = std::nullopt,
          .members = {},
          .out_bytes = 24,
          .err_bytes = 0,
          .problem = "",
          .label = sample_label()};
}

inline LogReply sample_log() {
  return {.run = sample_facts(),
          .path = "/l",
          .exists = true,
          .problem = "p",
          .size = 300,
          .start = 1,
          .next = 299,
          .head = "h",
          .tail = std::string("\0t", 2),
          .skipped = 4,
          .matches = 5,
          .modified_ms = 1700000000000,
          .session_lives = false};
}

inline ListReply sample_listed() {
  return {.runs = {sample_facts()}, .more = true};
}

inline ProbeReply sample_probe() {
  return {
      .places =
          {{.path = "/t", .writable = true, .executable = false, .problem = "p", .free_bytes = -1}},
      .tmux = "",
      .systemd_run = "/u",
      .user_bus = "/b",
      .lingering = true,
      .launcher = "l",
      .clock_ms = 9};
}

inline Error sample_error() {
  return {Errc::NotFound, "m", "h"};
}

}  // namespace yonder::wire
