#pragma once

#include "wire/messages.h"

// The fields of what is asked of runs and said of them, for the messages' reader and writer.

namespace yonder::wire {

constexpr StdinMode last_of(StdinMode) {
  return StdinMode::Stream;
}
constexpr Cause last_of(Cause) {
  return Cause::Refused;
}

template <class A>
void fields(A& a, Hello& m) {
  a("build", m.build);
  a("boot_id", m.boot_id);
  a("hostname", m.hostname);
  a("system", m.system);
  a("home", m.home);
  a("user_id", m.user_id);
  a("login_shell", m.login_shell);
  a("bash", m.bash);
  a("outpost_path", m.outpost_path);
  a("state_dir", m.state_dir);
  a("state_problem", m.state_problem);
  a("state_id", m.state_id);
  a("state_volatile", m.state_volatile);
  a("machine_id", m.machine_id);
  a("clock_ms", m.clock_ms);
  a("pid", m.pid);
}

template <class A>
void fields(A& a, Follow& m) {
  a("out_from", m.out_from);
  a("err_from", m.err_from);
  a("head", m.head);
  a("tail", m.tail);
  a("wait_ms", m.wait_ms);
  a("until_begun", m.until_begun);
}

template <class A>
void fields(A& a, StartRequest& m) {
  a("run_id", m.run_id);
  a("key", m.key);
  a("command", m.command);
  a("argv", m.argv);
  a("cwd", m.cwd);
  a("env", m.env);
  a("stdin_mode", m.stdin_mode);
  a("input", m.input);
  a("in_from", m.in_from);
  a("login", m.login);
  a("timeout_ms", m.timeout_ms);
  a("grace_ms", m.grace_ms);
  a("keep_ms", m.keep_ms);
  a("background", m.background);
  a("log_file", m.log_file);
  a("session", m.session);
  a("tmux", m.tmux);
  a("launcher", m.launcher);
  a("description", m.description);
  a("log_from", m.log_from);
  a("created_ms", m.created_ms);
  a("gpus", m.gpus);
  a("gpu_memory_mb", m.gpu_memory_mb);
  a("gpu_queue", m.gpu_queue);
  a("gpu_queue_ms", m.gpu_queue_ms);
  a("follow", m.follow);
}

template <class A>
void fields(A& a, FollowRequest& m) {
  a("run_id", m.run_id);
  a("owner", m.owner);
  a("stream_stdin", m.stream_stdin);
  a("in_from", m.in_from);
  a("follow", m.follow);
}

template <class A>
void fields(A& a, StopRequest& m) {
  a("run_id", m.run_id);
  a("key", m.key);
  a("session", m.session);
  a("signal", m.signal);
  a("grace_ms", m.grace_ms);
  a("prevent", m.prevent);
}

template <class A>
void fields(A& a, ReadLogRequest& m) {
  a("run_id", m.run_id);
  a("session", m.session);
  a("path", m.path);
  a("from", m.from);
  a("lines", m.lines);
  a("filter", m.filter);
  a("head", m.head);
  a("tail", m.tail);
  a("wait_ms", m.wait_ms);
}

template <class A>
void fields(A& a, ListRequest& m) {
  a("limit", m.limit);
  a("unfinished_only", m.unfinished_only);
  a("background_only", m.background_only);
}

template <class A>
void fields(A& a, RemoveRequest& m) {
  a("run_id", m.run_id);
}

template <class A>
void fields(A& /*a*/, ProbeRequest& /*m*/) {}

template <class A>
void fields(A& a, ResourcesRequest& m) {
  a("cwd", m.cwd);
}

template <class A>
void fields(A& /*a*/, TreeRequest& /*m*/) {}

template <class A>
void fields(A& a, ProcessKey& m) {
  a("pid", m.pid);
  a("start_time", m.start_time);
}

template <class A>
void fields(A& a, LiveProcess& m) {
  a("pid", m.pid);
  a("command", m.command);
  a("start_time", m.start_time);
}

template <class A>
void fields(A& a, ExitRecord& m) {
  a("cause", m.cause);
  a("code", m.code);
  a("signal", m.signal);
  a("ended_ms", m.ended_ms);
  a("duration_ms", m.duration_ms);
  a("user_ms", m.user_ms);
  a("system_ms", m.system_ms);
  a("max_rss_kib", m.max_rss_kib);
  a("left_running", m.left_running);
  a("reason", m.reason);
  a("disk_full", m.disk_full);
}

template <class A>
void fields(A& a, StartedNote& m) {
  a("run_id", m.run_id);
  a("existed", m.existed);
}

template <class A>
void fields(A& a, TakenNote& m) {
  a("run_id", m.run_id);
  a("owner", m.owner);
}

template <class A>
void fields(A& a, Gap& m) {
  a("from", m.from);
  a("to", m.to);
}

template <class A>
void fields(A& a, PackedOutput& m) {
  a("size", m.size);
  a("gone", m.gone);
  a("bytes", m.bytes);
}

template <class A>
void fields(A& a, PackedRecord& m) {
  a("spec", m.spec);
  a("alive", m.alive);
  a("exit", m.exit);
  a("asked", m.asked);
  a("out", m.out);
  a("err", m.err);
}

template <class A>
void fields(A& a, GivenGpu& m) {
  a("index", m.index);
  a("uuid", m.uuid);
  a("vendor", m.vendor);
  a("device", m.device);
}

template <class A>
void fields(A& a, GpuClaim& m) {
  a("run_id", m.run_id);
  a("gpus", m.gpus);
  a("gpu_memory_mb", m.gpu_memory_mb);
  a("suitable", m.suitable);
  a("held", m.held);
  a("since_ms", m.since_ms);
  a("boot_id", m.boot_id);
  a("pid_ns", m.pid_ns);
  a("command", m.command);
}

template <class A>
void fields(A& a, WaitingRecord& m) {
  a("boot_id", m.boot_id);
  a("host", m.host);
  a("since_ms", m.since_ms);
  a("seen_ms", m.seen_ms);
  a("gpus", m.gpus);
  a("ahead", m.ahead);
  a("holders", m.holders);
}

template <class A>
void fields(A& a, AliveRecord& m) {
  a("boot_id", m.boot_id);
  a("host", m.host);
  a("pid_ns", m.pid_ns);
  a("supervisor", m.supervisor);
  a("command", m.command);
  a("started_ms", m.started_ms);
  a("launcher", m.launcher);
  a("cgroup", m.cgroup);
  a("gpus", m.gpus);
}

template <class A>
void fields(A& a, RunLabel& m) {
  a("background", m.background);
  a("command", m.command);
  a("description", m.description);
  a("key", m.key);
  a("cwd", m.cwd);
  a("session", m.session);
  a("tmux_session", m.tmux_session);
  a("log_file", m.log_file);
  a("log_from", m.log_from);
  a("created_ms", m.created_ms);
}

template <class A>
void fields(A& a, MovedRecord& m) {
  a("why", m.why);
  a("directory", m.directory);
  a("in_memory", m.in_memory);
}

template <class A>
void fields(A& a, RunFacts& m) {
  a("run_id", m.run_id);
  a("boot_id", m.boot_id);
  a("host", m.host);
  a("pid_ns", m.pid_ns);
  a("existed", m.existed);
  a("record_found", m.record_found);
  a("supervisor_lives", m.supervisor_lives);
  a("command_lives", m.command_lives);
  a("alive", m.alive);
  a("exit", m.exit);
  a("members", m.members);
  a("out_bytes", m.out_bytes);
  a("err_bytes", m.err_bytes);
  a("out_gone", m.out_gone);
  a("err_gone", m.err_gone);
  a("problem", m.problem);
  a("label", m.label);
  a("waiting", m.waiting);
  a("disk_full", m.disk_full);
  a("moved", m.moved);
}

template <class A>
void fields(A& a, LogReply& m) {
  a("run", m.run);
  a("path", m.path);
  a("exists", m.exists);
  a("problem", m.problem);
  a("size", m.size);
  a("start", m.start);
  a("next", m.next);
  a("head", m.head);
  a("tail", m.tail);
  a("skipped", m.skipped);
  a("matches", m.matches);
  a("searched_from", m.searched_from);
  a("search_cut", m.search_cut);
  a("modified_ms", m.modified_ms);
  a("session_lives", m.session_lives);
}

template <class A>
void fields(A& a, ListReply& m) {
  a("runs", m.runs);
  a("more", m.more);
}

template <class A>
void fields(A& a, FoundPlace& m) {
  a("path", m.path);
  a("writable", m.writable);
  a("executable", m.executable);
  a("problem", m.problem);
  a("free_bytes", m.free_bytes);
  a("free_files", m.free_files);
  a("disk", m.disk);
  a("full", m.full);
}

template <class A>
void fields(A& a, ProbeReply& m) {
  a("places", m.places);
  a("tmux", m.tmux);
  a("systemd_run", m.systemd_run);
  a("user_bus", m.user_bus);
  a("launcher", m.launcher);
  a("lingering", m.lingering);
  a("clock_ms", m.clock_ms);
}

}  // namespace yonder::wire
