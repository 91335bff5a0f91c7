#include "ops/machines.h"
#include "ops/operation.h"
#include "ops/sandboxes.h"

namespace yonder::ops {
namespace {

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

Json to_json(const SandboxStatus& status) {
  const SandboxSpec& spec = status.spec;
  Json machine;
  if (status.machine) {
    machine = Json{{"hostname", status.machine->hostname},
                   {"system", status.machine->system},
                   {"home", status.machine->home},
                   {"shell", status.machine->login_shell}};
  }
  Json json{
      {"name", spec.name},
      {"backend", spec.backend == Backend::Local ? "local" : "ssh"},
      {"host", or_null(spec.host)},
      {"port", spec.port == 0 ? Json() : Json(spec.port)},
      {"user", or_null(spec.user)},
      {"cwd", or_null(spec.cwd)},
      {"origin", spec.origin},
      {"is_active", status.is_active},
      {"connection_alive", status.connection_alive ? Json(*status.connection_alive) : Json()},
      {"connection_error",
       status.connection_error ? error_json(*status.connection_error)["error"] : Json()},
      {"round_trip_ms", status.round_trip_ms ? Json(*status.round_trip_ms) : Json()},
      {"machine", machine},
      {"labels", spec.labels},
  };
  if (status.resources) {
    Json& resources = json["resources"] = resources_json(*status.resources);
    if (status.resources->facts && !status.round_trip_ms) {
      resources["not_measured"]["round_trip_ms"] = "an answer about resources takes its own time";
    }
  }
  return json;
}

Json to_json(const SandboxList& list) {
  Json sandboxes = Json::array();
  for (const auto& status : list.sandboxes) sandboxes.push_back(to_json(status));
  return Json{{"active_sandbox", or_null(list.active)},
              {"sandboxes", sandboxes},
              {"not_asked", or_null(left_out_note(list.not_asked))},
              {"warnings", list.warnings}};
}

}  // namespace yonder::ops
