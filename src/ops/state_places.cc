#include "ops/state_places.h"

#include "base/far_text.h"
#include "base/quote.h"
#include "base/text.h"
#include "ops/silence.h"

namespace yonder::ops {
namespace {

using KnownPlace = store::Store::StatePlace;

bool ended_with_its_boot(const KnownPlace& known, const Machine& machine) {
  return !known.boot_id.empty() && known.boot_id != machine.boot_id;
}

bool is_noted(const std::optional<KnownPlace>& known, const KnownPlace& now) {
  return known && known->place == now.place && known->path == now.path &&
         known->boot_id == now.boot_id;
}

}  // namespace

std::optional<Error> misplaced(const std::optional<KnownPlace>& known, const SandboxSpec& sandbox,
                               const Machine& machine) {
  // A machine that has no directory says so itself, and starts nothing.
  if (!known || machine.state_dir.empty() || ended_with_its_boot(*known, machine)) {
    return std::nullopt;
  }
  if (machine.state_id == known->place) return std::nullopt;
  return Error{
      Errc::NoPlace,
      concat("'", sandbox.name, "' keeps its run records in ", quoted_far_text(known->path),
             ", which it does not find now; it would use ", quoted_far_text(machine.state_dir)),
      concat("nothing was started; mount that directory there, or set HOME and XDG_STATE_HOME as "
             "before; if its records are gone for good: yonder doctor ",
             shell_quote(sandbox.name), " --forget-place")};
}

std::optional<Error> meet_machine(store::Store& store, const SandboxSpec& sandbox,
                                  const Machine& machine) {
  [[maybe_unused]] const bool forgotten = store.forget_silent(silence_target(sandbox)).has_value();
  if (machine.machine_id.empty()) return std::nullopt;
  const auto found = store.state_place(sandbox.name, machine.machine_id, machine.user_id);
  if (!found) return std::nullopt;  // no memory: the machine has one of its own
  if (auto trouble = misplaced(*found, sandbox, machine)) return trouble;
  const KnownPlace now{.sandbox = sandbox.name,
                       .machine = machine.machine_id,
                       .user_id = machine.user_id,
                       .place = machine.state_id,
                       .path = machine.state_dir,
                       .boot_id = machine.state_volatile ? machine.boot_id : ""};
  if (!now.place.empty() && !is_noted(*found, now)) {
    [[maybe_unused]] const bool noted = store.note_state_place(now).has_value();
  }
  return std::nullopt;
}

}  // namespace yonder::ops
