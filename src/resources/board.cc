#include "resources/board.h"

#include "base/text.h"
#include "base/thread.h"
#include "link/link_pool.h"
#include "wire/messages.h"

namespace yonder::resources {
namespace {

// Beyond the connect time-out: sending the outpost, the first time.
constexpr auto kReachSlack = std::chrono::milliseconds(500);
// A GPU tool that hangs is given up over there before that.
constexpr auto kAnswerTime = std::chrono::seconds(8);

// Settings of one name may change while we live; then it may be another machine.
std::string key_of(const SandboxSpec& spec) {
  return concat(spec.name, "\n", spec.host, "\n", spec.user, "\n", spec.port, "\n", spec.cwd);
}

Result<MachineFacts> ask_machine(link::LinkPool& links, const SandboxSpec& spec,
                                 const CancelToken& cancel) {
  const auto reach_by = Deadline::after(spec.connect_timeout + links.typing_time() + kReachSlack);
  TRY_ASSIGN(const auto link, links.acquire(spec, {.deadline = reach_by, .cancel = cancel}));
  TRY_ASSIGN(const std::string reply, link->ask(wire::ResourcesRequest{.cwd = spec.cwd},
                                                Deadline::after(kAnswerTime), cancel));
  return wire::decode_resources(reply);
}

Error no_answer_since(Instant began) {
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  return Error{Errc::Timeout, concat("no answer within ", waited.count(), " ms"),
               "it may be slow to reach, or stalled: ask again, or look with yonder doctor"};
}

// What a look waits for.
struct Pending {
  std::size_t open = 0;  // have not answered yet
  bool answered = false;
};

}  // namespace

Board::Board(link::LinkPool& links, Duration good_for)
    : links_(links), good_for_(good_for), contacts_(links) {}
Board::~Board() = default;

std::optional<Seen> Board::remembered(const SandboxSpec& spec) const {
  return known_.with([&](const Known& known) -> std::optional<Seen> {
    const auto found = known.kept.find(key_of(spec));
    if (found == known.kept.end()) return std::nullopt;
    const auto changed = known.changed.find(spec.name);
    if (changed != known.changed.end() && changed->second >= found->second.asked) {
      return std::nullopt;
    }
    const Duration age = std::chrono::steady_clock::now() - found->second.at;
    if (age > good_for_) return std::nullopt;
    return Seen{.facts = *found->second.facts, .error = {}, .age = age};
  });
}

Seen Board::ask(const SandboxSpec& spec, const CancelToken& cancel) {
  const Instant asked = std::chrono::steady_clock::now();
  auto facts = ask_machine(links_, spec, cancel);
  if (!facts) return {.facts = {}, .error = std::move(facts).error()};
  Seen seen{.facts = *std::move(facts), .error = {}};
  known_.with([&](Known& known) {
    known.kept[key_of(spec)] = {.facts = std::make_shared<const MachineFacts>(*seen.facts),
                                .asked = asked,
                                .at = std::chrono::steady_clock::now()};
  });
  return seen;
}

void Board::forget(const SandboxSpec& spec) {
  known_.with([&](Known& known) { known.changed[spec.name] = std::chrono::steady_clock::now(); });
}

std::vector<Seen> Board::look(const std::vector<SandboxSpec>& specs, const LookOptions& options) {
  std::vector<Seen> all(specs.size());
  CancelSource give_up;
  const auto on_cancel = options.cancel.on_cancel([&] { give_up.cancel(); });
  Monitor<Pending> pending(Pending{.open = specs.size()});
  std::vector<Thread> threads;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto done = [&, i](Seen seen) {
      const bool given_up = seen.error && seen.error->code == Errc::Cancelled;
      if (given_up && !options.cancel.cancelled()) seen.error = no_answer_since(began);
      seen.took = std::chrono::steady_clock::now() - began;
      pending.change([&](Pending& state) {
        all[i] = std::move(seen);
        --state.open;
        state.answered |= all[i].facts.has_value();
        options.on_seen(i, all[i]);
      });
    };
    if (auto known = options.fresh ? std::nullopt : remembered(specs[i])) {
      done(*std::move(known));
      continue;
    }
    threads.emplace_back("ask " + specs[i].name,
                         [&, i, done] { done(ask(specs[i], give_up.token())); });
  }
  const auto nobody_is_left = [](const Pending& state) { return state.open == 0; };
  if (options.limit) {
    pending.wait(Deadline::after(*options.limit), nobody_is_left, [](Pending&) {});
    give_up.cancel();
  }
  if (options.patience) {
    pending.wait(Deadline::after(*options.patience), nobody_is_left, [](Pending&) {});
    const auto enough = [](const Pending& state) { return state.open == 0 || state.answered; };
    pending.wait(Deadline::never(), enough, [](Pending&) {});
    give_up.cancel();
  }
  threads.clear();  // joins them all
  return all;
}

}  // namespace yonder::resources
