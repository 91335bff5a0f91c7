#pragma once

#include "base/resource_facts.h"

// The fields of what was measured on a machine, for the messages' reader and writer.

namespace yonder::wire {

template <class A, class T>
void fields(A& a, resources::Measured<T>& m) {
  a("value", m.value);
  a("why", m.why);
}

template <class A>
void fields(A& a, resources::Cpu& m) {
  a("load_1m_milli", m.load_1m_milli);
  a("load_5m_milli", m.load_5m_milli);
  a("load_15m_milli", m.load_15m_milli);
  a("online", m.online);
  a("allowed_milli", m.allowed_milli);
  a("limit", m.limit);
  a("pressure_milli_pct", m.pressure_milli_pct);
}

template <class A>
void fields(A& a, resources::Memory& m) {
  a("total_bytes", m.total_bytes);
  a("available_bytes", m.available_bytes);
  a("limit", m.limit);
}

template <class A>
void fields(A& a, resources::Disk& m) {
  a("role", m.role);
  a("path", m.path);
  a("free_bytes", m.free_bytes);
  a("total_bytes", m.total_bytes);
  a("free_inodes", m.free_inodes);
  a("total_inodes", m.total_inodes);
  a("absent", m.absent);
}

template <class A>
void fields(A& a, resources::GpuProcess& m) {
  a("pid", m.pid);
  a("user", m.user);
  a("command", m.command);
  a("memory_bytes", m.memory_bytes);
}

template <class A>
void fields(A& a, resources::Lease& m) {
  a("run_id", m.run_id);
  a("user", m.user);
  a("since_ms", m.since_ms);
  a("mine", m.mine);
}

template <class A>
void fields(A& a, resources::Gpu& m) {
  a("index", m.index);
  a("uuid", m.uuid);
  a("name", m.name);
  a("utilization_pct", m.utilization_pct);
  a("memory_used_bytes", m.memory_used_bytes);
  a("memory_total_bytes", m.memory_total_bytes);
  a("temperature_c", m.temperature_c);
  a("power_mw", m.power_mw);
  a("split", m.split);
  a("slices", m.slices);
  a("processes", m.processes);
  a("lease", m.lease);
  a("vendor", m.vendor);
  a("device", m.device);
  a("never", m.never);
  a("trouble", m.trouble);
}

template <class A>
void fields(A& a, resources::Waiting& m) {
  a("run_id", m.run_id);
  a("user", m.user);
  a("gpus", m.gpus);
  a("gpu_memory_mb", m.gpu_memory_mb);
  a("since_ms", m.since_ms);
  a("mine", m.mine);
  a("holds_back", m.holds_back);
}

template <class A>
void fields(A& a, resources::Gpus& m) {
  a("vendor", m.vendor);
  a("tool", m.tool);
  a("list", m.list);
  a("queue", m.queue);
  a("lease_problem", m.lease_problem);
  a("unseen", m.unseen);
}

template <class A>
void fields(A& a, resources::LoggedIn& m) {
  a("user", m.user);
  a("terminal", m.terminal);
  a("from", m.from);
  a("since_ms", m.since_ms);
}

template <class A>
void fields(A& a, resources::MachineFacts& m) {
  a("boot_id", m.boot_id);
  a("kernel", m.kernel);
  a("uptime_s", m.uptime_s);
  a("cpu", m.cpu);
  a("memory", m.memory);
  a("disks", m.disks);
  a("gpus", m.gpus);
  a("users", m.users);
  a("clock_ms", m.clock_ms);
  a("took_ms", m.took_ms);
}

}  // namespace yonder::wire
