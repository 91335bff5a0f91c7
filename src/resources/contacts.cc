#include "resources/contacts.h"

#include "base/text.h"
#include "link/link_pool.h"

namespace yonder::resources {
namespace {

// Beyond the connect time-out: sending the outpost, the first time.
constexpr auto kSlack = std::chrono::milliseconds(500);
constexpr auto kErrorGoodFor = std::chrono::seconds(30);
// Between two attempts to reach a machine that fails at once.
constexpr auto kBeforeNext = std::chrono::seconds(5);

// Settings of one name may change while we live; then it may be another machine.
std::string identity_of(const SandboxSpec& spec) {
  return concat(spec.name, "\n", spec.host, "\n", spec.user, "\n", spec.port);
}

Contact reach(link::LinkPool& links, const SandboxSpec& spec, bool by_itself,
              const CancelToken& cancel) {
  const auto deadline = Deadline::after(spec.connect_timeout + kSlack);
  auto link = links.acquire(spec, {.deadline = deadline, .cancel = cancel, .by_itself = by_itself});
  if (!link) return {.error = std::move(link).error()};
  // A link that was up a moment ago may be half-open: only an answer shows that it lives.
  auto round_trip = (*link)->ping(deadline, cancel);
  if (!round_trip) return {.error = std::move(round_trip).error()};
  return {.machine = (*link)->machine(), .round_trip = *round_trip};
}

// That a machine has answered some time ago is no news. That it has not, its last asker did not
// hear. After a login it would be wrong.
bool is_of_use(const std::optional<Contact>& outcome) {
  if (!outcome) return true;
  return outcome->error && outcome->error->code != Errc::AuthNeeded &&
         std::chrono::steady_clock::now() - outcome->heard < kErrorGoodFor;
}

bool is_under_way_or_new(const std::optional<Contact>& outcome) {
  return !outcome || std::chrono::steady_clock::now() - outcome->heard < kBeforeNext;
}

}  // namespace

Contacts::~Contacts() {
  give_up_.cancel();
}

Contacts::Shared Contacts::attempt(const SandboxSpec& spec) {
  return attempts_.with([&](auto& attempts) {
    Shared& found = attempts[identity_of(spec)];
    if (found && found->outcome.look(is_of_use)) return found;
    found = begin(spec, false);
    return found;
  });
}

Contacts::Shared Contacts::begin(const SandboxSpec& spec, bool by_itself) {
  auto begun = std::make_shared<Attempt>();
  // The attempt outlives its thread, which its destructor joins.
  begun->thread = Thread("reach " + spec.name, [this, spec, by_itself, attempt = begun.get()] {
    const Instant began = std::chrono::steady_clock::now();
    Contact contact = reach(links_, spec, by_itself, give_up_.token());
    contact.heard = std::chrono::steady_clock::now();
    contact.took = contact.heard - began;
    const bool failed = contact.error && contact.error->code != Errc::Cancelled;
    if (failed && on_failure_) on_failure_(spec, contact);
    attempt->outcome.change([&](auto& outcome) { outcome = std::move(contact); });
  });
  return begun;
}

void Contacts::ask_again(const SandboxSpec& spec) {
  attempts_.with([&](auto& attempts) {
    Shared& found = attempts[identity_of(spec)];
    if (found && found->outcome.look(is_under_way_or_new)) return;
    found = begin(spec, true);
  });
}

void Contacts::forget(const SandboxSpec& spec, const Shared& attempt) {
  attempts_.with([&](auto& attempts) {
    const auto found = attempts.find(identity_of(spec));
    if (found != attempts.end() && found->second == attempt) attempts.erase(found);
  });
}

std::vector<std::optional<Contact>> Contacts::ask(const std::vector<SandboxSpec>& specs,
                                                  const Deadline& deadline,
                                                  const CancelToken& cancel) {
  std::vector<Shared> asked;
  for (const auto& spec : specs) asked.push_back(attempt(spec));
  const auto wake = cancel.on_cancel([&] {
    for (const auto& one : asked) one->outcome.wake_all();
  });
  std::vector<std::optional<Contact>> contacts;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    contacts.push_back(asked[i]->outcome.wait(
        deadline,
        [&](const std::optional<Contact>& outcome) { return outcome || cancel.cancelled(); },
        [](const std::optional<Contact>& outcome) { return outcome; }));
    if (contacts.back()) forget(specs[i], asked[i]);
  }
  return contacts;
}

}  // namespace yonder::resources
