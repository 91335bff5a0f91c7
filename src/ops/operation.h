#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "ops/engine.h"

namespace yonder::ops {

// What a door may tell its user about an operation before it is called.
struct Hints {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
};

// One thing a user can ask for, defined once; every door shows it. JSON in and JSON out: the typed
// request and response behind it are what the rest of the program sees.
struct Operation {
  std::string name;
  std::string title;
  std::string toolset;
  std::string description;
  Hints hints;
  Json input_schema;
  Json output_schema;
  std::function<Result<Json>(Engine&, CallContext&, const Json& arguments)> call;
};

// Every operation that agents can call, in the order they are shown.
std::vector<Operation> all_operations();

// {"error": {"code", "message", "hint", "retryable"}}
Json error_json(const Error& error);

}  // namespace yonder::ops
