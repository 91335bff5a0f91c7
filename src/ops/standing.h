#pragma once

#include <string_view>

#include "base/json.h"
#include "model/run.h"
#include "ops/schema.h"

namespace yonder::ops {

// What `state`, `running` and `pending` mean, in every answer of every tool and of `--json`. By the
// names of the states, so that it holds for runs, for transfers, and for what was written down.

// "running" and "pending": each true or false where that was seen, null where nothing is known.
inline Json standing_json(std::string_view state) {
  if (state == "unknown") return Json{{"running", nullptr}, {"pending", nullptr}};
  return Json{{"running", state == "running"}, {"pending", state == "queued"}};
}

// "state" as well.
inline Json standing_json(RunState state) {
  Json json{{"state", name_of(state)}};
  json.update(standing_json(name_of(state)));
  return json;
}

inline Json standing_schema() {
  return Json{
      {"state", typed("string",
                      "queued, running, exited, signaled, timed_out, stopped, refused, lost or "
                      "unknown (not seen now: nothing may be concluded).")},
      {"running", nullable("boolean", "It runs now: ask again by run_id. null: not known now.")},
      {"pending", nullable("boolean", "It is queued and has not begun. null: not known now.")}};
}

// It has ended; what was seen then stays true.
inline bool is_final(std::string_view state) {
  return state != "queued" && state != "running" && state != "unknown";
}

}  // namespace yonder::ops
