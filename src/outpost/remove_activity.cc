#include "outpost/remove_activity.h"

#include "base/clean_text.h"
#include "base/text.h"
#include "outpost/list_runs.h"
#include "outpost/remove_run.h"
#include "outpost/start.h"

namespace yonder::outpost {
namespace {

constexpr auto kStep = std::chrono::milliseconds(20);
// After it has written the end, a supervisor has only the disk to wait for, and its turn.
constexpr auto kRemoveWithin = std::chrono::seconds(10);

}  // namespace

std::string reason_to_keep(const wire::RunFacts& facts) {
  if (!facts.members.empty()) {
    return concat(
        has_surely_ended(facts) ? "has ended, but a process of it lives (pid " : "still runs (pid ",
        facts.members.front().pid, ")");
  }
  if (facts.command_lives) return "still runs";
  if (facts.supervisor_lives) return facts.exit ? "has just ended" : "is being started, or runs";
  if (facts.exit || !facts.alive) return "";
  const auto& alive = *facts.alive;
  if (!alive.host.empty() && alive.host != facts.host) {
    return concat("was started on ", printable(alive.host), ", which cannot be seen from here");
  }
  // Dead by the look at its pids, or by another boot. Unless they mean nothing here.
  if (alive.boot_id == facts.boot_id && !is_visible(alive, facts.boot_id)) {
    return "was started in another container of this machine, which cannot be seen from here";
  }
  return "";
}

RemoveActivity::RemoveActivity(const Surroundings& around, RunRecord record, wire::StreamId stream)
    : state_dir_(around.state_dir),
      boot_id_(around.boot_id),
      record_(std::move(record)),
      stream_(stream),
      patience_(Deadline::after(kRemoveWithin)) {}

Deadline RemoveActivity::due() const {
  return Deadline::earlier(patience_, Deadline::after(kStep));
}

Result<void> RemoveActivity::remove() const {
  TRY_ASSIGN(const Fd keys, lock_keys(state_dir_));
  // Held meanwhile, so that nobody begins it.
  TRY_ASSIGN(const std::optional<Fd> lock, record_.try_lock());
  if (!lock) {
    return Error{Errc::Conflict, concat("run ", record_.id(), " is in use at this moment"),
                 "try again"};
  }
  remove_links(state_dir_, record_.id());
  remove_run(record_.directory());
  return {};
}

bool RemoveActivity::step(Outbox& outbox) {
  const auto facts = labelled_facts(record_, boot_id_, {.members = true});
  const std::string reason = reason_to_keep(facts);
  const bool going = facts.exit && facts.supervisor_lives && facts.members.empty();
  if (going && !patience_.expired()) return false;
  auto removed =
      reason.empty()
          ? remove()
          : Error{Errc::Conflict, concat("run ", record_.id(), " ", reason),
                  concat("nothing was removed; stop it first: yonder stop ", record_.id())};
  // Whoever asks whether it is locked holds the lock for a moment.
  if (!removed && reason.empty() && removed.error().code == Errc::Conflict &&
      !patience_.expired()) {
    return false;
  }
  if (removed) {
    outbox.message(wire::Kind::Reply, stream_, wire::encode(facts));
  } else {
    outbox.message(wire::Kind::Error, stream_, wire::encode(removed.error()));
  }
  return true;
}

}  // namespace yonder::outpost
