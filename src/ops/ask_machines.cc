#include "ops/ask_machines.h"

#include "base/guarded.h"
#include "base/text.h"
#include "base/thread.h"
#include "link/link_pool.h"
#include "ops/give_up.h"

namespace yonder::ops {
namespace {

using Heard = std::optional<resources::Contact>;

bool is_linked(const Engine& engine, const SandboxSpec& spec) {
  const auto link = engine.links.existing(spec);
  return link && link->answers();
}

Heard ask_one(Engine& engine, const SandboxSpec& spec, const Deadline& deadline,
              const CancelToken& cancel, const std::function<void(const CancelToken&)>& ask) {
  const CancelSource give_up;
  const auto on_cancel = cancel.on_cancel([&] { give_up.cancel(); });
  // The link that stands may lead to a machine that sleeps: only its answer shows that it does not.
  const bool linked = is_linked(engine, spec);
  Thread asking;  // joined at the end
  if (linked) asking = Thread("ask " + spec.name, [&] { ask(give_up.token()); });
  Heard heard = engine.board.contacts().ask({spec}, deadline, cancel).front();
  if (!heard || heard->error) {
    give_up.cancel();
  } else if (!linked) {
    ask(give_up.token());
  }
  return heard;
}

}  // namespace

Error no_answer_yet() {
  return {Errc::Timeout, "no answer yet",
          "ask again for the outcome, or wait longer (wait_s, --wait)"};
}

std::vector<Heard> ask_machines(Engine& engine, const std::vector<SandboxSpec>& specs,
                                Duration patience, const CancelToken& cancel, const AskOne& ask) {
  const Deadline deadline = Deadline::after(patience);
  std::vector<Heard> heard(specs.size());
  std::vector<Thread> threads;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    threads.emplace_back("reach " + specs[i].name, [&, i] {
      heard[i] = ask_one(engine, specs[i], deadline, cancel,
                         [&ask, i](const CancelToken& token) { ask(i, token); });
    });
  }
  threads.clear();  // joins them all
  return heard;
}

std::vector<MeasuredMachine> measure_machines(Engine& engine, const CallContext& context,
                                              const std::vector<SandboxSpec>& specs) {
  std::vector<MeasuredMachine> machines(specs.size());
  Guarded<std::size_t> answered;
  const auto measure = [&](std::size_t i, const CancelToken& token) {
    machines[i].seen = engine.board.look({specs[i]}, {.cancel = token}).front();
    if (!machines[i].seen.facts) return;
    answered.with([&](std::size_t& count) {
      context.progress(concat(++count, " of ", specs.size(), " machines have answered"));
    });
  };
  const GiveUp give_up(context);
  const auto heard = ask_machines(engine, specs, kListPatience, give_up.token(), measure);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    MeasuredMachine& machine = machines[i];
    if (heard[i]) machine.round_trip = heard[i]->round_trip;
    if (machine.seen.facts) continue;
    machine.silent = !heard[i];
    if (machine.silent) machine.seen.error = no_answer_yet();
    if (heard[i] && heard[i]->error) machine.seen.error = heard[i]->error;
  }
  return machines;
}

}  // namespace yonder::ops
