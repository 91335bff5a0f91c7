#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config_store.h"
#include "link/askpass_broker.h"
#include "link/askpass_terminal.h"
#include "link/link_pool.h"
#include "ops/engine.h"
#include "resources/board.h"
#include "run/runs.h"
#include "sandbox/kept_login.h"
#include "store/store.h"

namespace yonder::app {

// Builds every object once and owns it. The only place that knows everyone.
class Runtime {
 public:
  // `ask_at_terminal`: a person sits there and may be asked for passwords.
  static Result<std::unique_ptr<Runtime>> create(const std::vector<std::string>& environment,
                                                 bool ask_at_terminal);

  ops::Engine& engine() { return engine_; }

 private:
  struct Places {
    std::string runtime;  // a directory
    std::string state;    // a directory
    std::string program;  // our own
  };
  Runtime(const config::Sources& sources, const std::vector<std::string>& environment,
          const Places& places, std::unique_ptr<link::TerminalPerson> person,
          std::unique_ptr<link::AskpassBroker> broker);

  config::ConfigStore config_;
  std::unique_ptr<link::TerminalPerson> person_;
  std::unique_ptr<link::AskpassBroker> broker_;
  sandbox::KeptLogins logins_;
  link::LinkPool links_;
  run::Runs runs_;
  store::Store store_;
  resources::Board board_;
  ops::Engine engine_;
};

}  // namespace yonder::app
