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
          .state_id = "i",
          .state_volatile = true,
          .machine_id = "m",
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
  return {.run_id = "r-aaaaaaaaaaaaaaaa",
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
          .gpus = 2,
          .gpu_memory_mb = 4000,
          .gpu_queue = true,
          .gpu_queue_ms = 9,
          .follow = sample_follow()};
}

inline FollowRequest sample_follow_request() {
  return {.run_id = "r-aaaaaaaaaaaaaaaa",
          .owner = true,
          .stream_stdin = true,
          .in_from = 3,
          .follow = sample_follow()};
}

inline StopRequest sample_stop() {
  return {.run_id = "r-aaaaaaaaaaaaaaaa",
          .key = "",
          .session = "s",
          .signal = 2,
          .grace_ms = 0,
          .prevent = true};
}

inline ReadLogRequest sample_read_log() {
  return {.run_id = "r-aaaaaaaaaaaaaaaa",
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
  return {.run_id = "r-aaaaaaaaaaaaaaaa"};
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
          .left_running = {{.pid = 7, .command = "sleep", .start_time = 8}},
          .reason = "r",
          .disk_full = true};
}

inline AliveRecord sample_alive() {
  return {.boot_id = "o",
          .host = "h",
          .pid_ns = "n",
          .supervisor = {.pid = 1, .start_time = 2},
          .command = {.pid = 3, .start_time = 4},
          .started_ms = 5,
          .launcher = "scope",
          .cgroup = "/c",
          .gpus = {{.index = 1, .uuid = "G", .vendor = "v", .device = "d"}}};
}

inline GpuClaim sample_claim() {
  return {.run_id = "r-aaaaaaaaaaaaaaaa",
          .gpus = 1,
          .gpu_memory_mb = 2,
          .suitable = {"G", "H"},
          .held = {{.index = 3, .uuid = "G", .vendor = "v", .device = "d"}},
          .since_ms = 4,
          .boot_id = "o",
          .pid_ns = "n",
          .command = {.pid = 5, .start_time = 6}};
}

inline PackedRecord sample_packed() {
  return {.spec = "s",
          .alive = "a",
          .exit = "e",
          .asked = "k",
          .out = {.size = 9, .gone = {.from = 1, .to = 8}, .bytes = std::string("\0x", 2)},
          .err = {.size = 1, .gone = {}, .bytes = "y"}};
}

inline TakenNote sample_taken() {
  return {.run_id = "r-aaaaaaaaaaaaaaaa", .owner = true};
}

inline WaitingRecord sample_waiting() {
  return {.boot_id = "o",
          .host = "h",
          .since_ms = 1,
          .seen_ms = 2,
          .gpus = 3,
          .ahead = 4,
          .holders = {"a", "b"}};
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
  return {.run_id = "r-aaaaaaaaaaaaaaaa", .existed = true};
}

inline RunFacts sample_facts() {
  return {.run_id = "r-aaaaaaaaaaaaaaaa",
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
          .out_gone = {.from = 1, .to = 2},
          .err_gone = {.from = 3, .to = 4},
          .problem = "",
          .label = sample_label(),
          .waiting = sample_waiting(),
          .disk_full = true,
          .moved = MovedRecord{.why = "w", .directory = "/m", .in_memory = true}};
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
          .searched_from = 2,
          .search_cut = true,
          .modified_ms = 1700000000000,
          .session_lives = false};
}

inline ListReply sample_listed() {
  return {.runs = {sample_facts()}, .more = true};
}

inline ProbeReply sample_probe() {
  return {.places = {{.path = "/t",
                      .writable = true,
                      .executable = false,
                      .problem = "p",
                      .free_bytes = -1,
                      .free_files = 3,
                      .disk = "/",
                      .full = true}},
          .tmux = "",
          .systemd_run = "/u",
          .user_bus = "/b",
          .lingering = true,
          .launcher = "l",
          .clock_ms = 9};
}

inline ResourcesRequest sample_resources_request() {
  return {.cwd = "~/w"};
}

inline resources::Gpu sample_gpu() {
  using resources::Count;
  return {.index = 1,
          .uuid = "G",
          .name = "n",
          .utilization_pct = Count::of(2),
          .memory_used_bytes = Count::of(3),
          .memory_total_bytes = Count::missing("m"),
          .temperature_c = Count::of(4),
          .power_mw = Count::of(5),
          .split = true,
          .slices = {"M"},
          .processes = {.value = {{{.pid = 6,
                                    .user = "u",
                                    .command = "c",
                                    .memory_bytes = Count::missing("x")}}},
                        .why = ""},
          .lease = resources::Lease{.run_id = "r-b", .user = "v", .since_ms = 7, .mine = true},
          .vendor = "amd",
          .device = "0",
          .never = "s",
          .trouble = "y"};
}

inline resources::MachineFacts sample_machine_facts() {
  using resources::Count;
  return {.boot_id = "o",
          .kernel = "k",
          .uptime_s = Count::of(1),
          .cpu = {.load_1m_milli = Count::of(2),
                  .load_5m_milli = Count::of(3),
                  .load_15m_milli = Count::of(4),
                  .online = Count::of(5),
                  .allowed_milli = Count::of(6),
                  .limit = "cgroup",
                  .pressure_milli_pct = Count::missing("p")},
          .memory = {.total_bytes = Count::of(7), .available_bytes = Count::of(8), .limit = "l"},
          .disks = {{.role = "work",
                     .path = "/w",
                     .free_bytes = Count::of(9),
                     .total_bytes = Count::of(10),
                     .free_inodes = Count::of(11),
                     .total_inodes = Count::of(12),
                     .absent = "a"}},
          .gpus = {.vendor = "nvidia",
                   .tool = "/t",
                   .list = {.value = {{sample_gpu()}}, .why = ""},
                   .queue = {{.run_id = "r-c",
                              .user = "w",
                              .gpus = 13,
                              .gpu_memory_mb = 14,
                              .since_ms = 15,
                              .mine = true,
                              .holds_back = false}},
                   .lease_problem = "q",
                   .unseen = "z"},
          .users = {.value = {{{.user = "u", .terminal = "t", .from = "f", .since_ms = 16}}},
                    .why = ""},
          .clock_ms = 17,
          .took_ms = 18};
}

inline Error sample_error() {
  return {Errc::NotFound, "m", "h"};
}

}  // namespace yonder::wire
