#pragma once

#include <functional>
#include <string>

#include "base/cancel.h"
#include "base/guarded.h"

namespace yonder::config {
class ConfigStore;
}
namespace yonder::link {
class LinkPool;
}
namespace yonder::run {
class Runs;
}

namespace yonder::ops {

// What every operation works with. Built once, by app/runtime.
struct Engine {
  config::ConfigStore& config;
  link::LinkPool& links;
  run::Runs& runs;
};

// What one client has chosen. Another client's choice is its own.
class Session {
 public:
  // Empty until the client selects one: then the configuration's active sandbox counts.
  std::string selected() const {
    return selected_.with([](const std::string& name) { return name; });
  }
  void select(std::string name) {
    selected_.with([&](std::string& current) { current = std::move(name); });
  }

 private:
  Guarded<std::string> selected_;
};

// Short sentences for whoever waits: "connecting to gpu1", "12 KiB of output, 31 s". Thread: the
// caller's.
using ProgressSink = std::function<void(const std::string& message)>;

struct CallContext {
  Session& session;
  CancelToken cancel;
  ProgressSink progress = [](const std::string&) {};
};

}  // namespace yonder::ops
