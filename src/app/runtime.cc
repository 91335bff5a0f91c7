#include "app/runtime.h"

#include <unistd.h>

#include "app/embedded_outposts.h"
#include "app/paths.h"
#include "base/child_environment.h"
#include "base/text.h"
#include "ops/silence.h"
#include "ops/state_places.h"

namespace yonder::app {
namespace {

constexpr auto kTypingTime = std::chrono::minutes(5);
// A person who looks on wants to know soon that a machine does not answer.
constexpr auto kPingForPeople = std::chrono::seconds(3);

link::LinkSettings link_settings(bool person) {
  link::LinkSettings settings;
  if (!person) return settings;
  settings.typing_time = kTypingTime;
  settings.ping_every = kPingForPeople;
  return settings;
}

std::map<std::string, std::string> as_map(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> map;
  for (const auto& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) map.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return map;
}

}  // namespace

Runtime::Runtime(const config::Sources& sources, const std::vector<std::string>& environment,
                 const Places& places, std::unique_ptr<link::TerminalPerson> person,
                 std::unique_ptr<link::AskpassBroker> broker)
    : config_(sources),
      person_(std::move(person)),
      broker_(std::move(broker)),
      logins_({.directory = places.runtime, .home = sources.home}, without_secrets(environment),
              broker_.get(), person_ != nullptr),
      links_([this](const SandboxSpec& spec) { return logins_.prefix(spec); }, broker_.get(),
             embedded_outposts(), link_settings(person_ != nullptr)),
      runs_(links_),
      store_(places.state + "/yonder.db"),
      board_(links_),
      engine_{.config = config_,
              .links = links_,
              .runs = runs_,
              .store = store_,
              .logins = logins_,
              .board = board_,
              .environment = without_secrets(environment),
              .secret_variables = pack_secrets(environment),
              .home = sources.home,
              .state_directory = places.state,
              .program = places.program} {
  links_.check_places([this](const SandboxSpec& spec, const Machine& machine) {
    return ops::meet_machine(store_, spec, machine);
  });
  links_.find_ways([this](const SandboxSpec& spec) { return logins_.target(spec); });
  board_.contacts().on_failure([this](const SandboxSpec& spec, const resources::Contact& contact) {
    ops::note_silence(store_, spec, *contact.error, contact.took);
  });
}

Result<std::unique_ptr<Runtime>> Runtime::create(const std::vector<std::string>& environment,
                                                 bool ask_at_terminal) {
  const auto variables = as_map(environment);
  const auto home = variables.find("HOME");
  TRY_ASSIGN(const std::string directory, runtime_directory(variables));
  TRY_ASSIGN(const std::string program, own_program());
  auto person = ask_at_terminal && link::TerminalPerson::available()
                    ? std::make_unique<link::TerminalPerson>()
                    : nullptr;
  TRY_ASSIGN(auto broker, link::AskpassBroker::open(directory, program, person.get(),
                                                    {.environment = without_secrets(environment)}));
  return std::unique_ptr<Runtime>(new Runtime(
      {.environment = variables, .home = home == variables.end() ? "" : home->second}, environment,
      {.runtime = directory, .state = state_directory(variables), .program = program},
      std::move(person), std::move(broker)));
}

}  // namespace yonder::app
