#pragma once

#include "base/json.h"
#include "base/resource_facts.h"
#include "model/run.h"
#include "ops/arguments.h"

namespace yonder::ops {

// What a call may ask of a machine: gpus, gpu_memory_mb, memory_mb, disk_mb, labels.
resources::Needs parse_needs(Arguments& in);
bool asks_for_anything(const resources::Needs& needs);
Json needs_properties();

// Whether the run waits until its GPUs are free: when, max_wait_s.
void parse_queue(Arguments& in, const resources::Needs& needs, RunRequest& run);
Json queue_properties();

// Of a run: where it waits, and what it was given.
Json queue_json(const RunStatus& status);
Json queue_schema();
Json given_gpus_json(const RunStatus& status);
Json given_gpus_schema();

}  // namespace yonder::ops
