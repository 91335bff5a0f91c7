#include "link/link_pool.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <random>
#include <tuple>
#include <utility>

#include "base/id.h"
#include "base/text.h"
#include "link/connect_error.h"

namespace yonder::link {
namespace {

// After a failed login only a new call of a user may try again, and not before this time is over.
constexpr auto kAuthPause = std::chrono::seconds(30);

// A link that lasted less than this has not proved that the way is good.
constexpr auto kShortLife = std::chrono::seconds(5);
// But it was up: a bad network is met again within a second, not after the pauses that an
// unreachable machine gets.
constexpr int kMostLosses = 4;

// Counts the callers that wait for a link.
template <class Entry>
class Wanting {
 public:
  explicit Wanting(Monitor<Entry>& entry) : entry_(entry) {
    entry_.change([](Entry& e) { ++e.wanted; });
  }
  ~Wanting() {
    entry_.change([](Entry& e) { --e.wanted; });
  }
  Wanting(const Wanting&) = delete;
  Wanting& operator=(const Wanting&) = delete;

 private:
  Monitor<Entry>& entry_;
};

// Everything that makes it another connection.
std::string key_of(const SandboxSpec& spec) {
  return join({spec.name, spec.host, spec.user, std::to_string(spec.port), spec.key_file,
               std::to_string(static_cast<int>(spec.backend))},
              "\n");
}

bool needs_a_person(const Error& error) {
  return error.code == Errc::AuthNeeded || error.code == Errc::HostKey;
}

double random_fraction() {
  // Not from std::random_device: linked in, it asks for a newer C library than anything else.
  thread_local std::minstd_rand generator(
      static_cast<std::minstd_rand::result_type>(std::hash<std::string>{}(random_letters(8))));
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace

// A link that was lost right after it had come up is a failure too: else a far side that dies of
// every request would be called without a pause.
void LinkPool::count_loss(Entry& entry, Instant now) {
  if (!entry.link) return;
  if (entry.opened_at == Instant{}) return;  // counted already
  if (now - entry.opened_at < kShortLife) {
    entry.failures = std::min(entry.failures + 1, kMostLosses);
    entry.next_attempt = now + pause_after(entry.failures - 1, random_fraction());
  } else {
    entry.failures = 0;
  }
  entry.opened_at = {};
}

// The settings lead to another machine now. Calls that still use the old link keep it; what failed
// on the old way says nothing of the new one.
std::shared_ptr<Link> LinkPool::leave_old_way(Entry& entry, const std::string& way) {
  if (way.empty() || entry.way.empty() || entry.way == way) return nullptr;
  entry.way.clear();
  entry.opened_at = {};
  entry.failures = 0;
  entry.next_attempt = {};
  entry.auth_failure.reset();
  return std::exchange(entry.link, nullptr);
}

Duration pause_after(int failures, double random) {
  constexpr double kFirst = 0.25;
  constexpr double kLongest = 20;
  const double whole = std::min(kLongest, kFirst * std::pow(2.0, std::max(0, failures - 1)));
  // Half of it is chance, so that many clients of one machine do not come back in step.
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(whole * (0.5 + 0.5 * random)));
}

LinkPool::LinkPool(PrefixMaker prefix, AskpassBroker* broker, std::vector<OutpostImage> images,
                   LinkSettings settings)
    : prefix_(std::move(prefix)),
      broker_(broker),
      images_(std::move(images)),
      settings_(settings) {}

LinkPool::~LinkPool() = default;

LinkPool::SharedEntry LinkPool::entry(const SandboxSpec& spec) const {
  return entries_.with([&](auto& entries) {
    auto& found = entries[key_of(spec)];
    if (!found) found = std::make_shared<Monitor<Entry>>();
    return found;
  });
}

std::shared_ptr<Link> LinkPool::existing(const SandboxSpec& spec) const {
  const auto link = entry(spec)->look([](const Entry& e) { return e.link; });
  return link && link->alive() ? link : nullptr;
}

std::vector<LinkSight> LinkPool::sights() const {
  const auto entries = entries_.with([](const auto& all) { return all; });
  std::vector<LinkSight> sights;
  const bool at_a_person = broker_ != nullptr && broker_->asks_a_person();
  for (const auto& [key, entry] : entries) {
    const auto [link, wanted, connecting] =
        entry->look([](const Entry& e) { return std::tuple(e.link, e.wanted > 0, e.connecting); });
    LinkSight sight{.sandbox = key.substr(0, key.find('\n'))};
    if (!link) {
      if (!wanted || !connecting || at_a_person) continue;
      sight.state = LinkState::Connecting;
    } else if (!link->alive()) {
      if (!wanted) continue;
      sight.state = LinkState::Lost;
    } else if (!link->answers()) {
      sight.state = LinkState::Silent;
    }
    sights.push_back(std::move(sight));
  }
  return sights;
}

void LinkPool::forget_failures(const SandboxSpec& spec) {
  entry(spec)->change([](Entry& e) {
    e.auth_failure.reset();
    e.failures = 0;
    e.next_attempt = {};
  });
}

// Another process may have logged in meanwhile: then the way there is another one.
bool LinkPool::may_log_in_now(const SandboxSpec& spec, Monitor<Entry>& entry) const {
  const auto prefix = prefix_(spec);
  if (!prefix) return false;
  return entry.change([&](Entry& e) {
    if (!e.auth_failure || e.auth_prefix == prefix->argv) return false;
    e.auth_failure.reset();
    return true;
  });
}

Result<std::shared_ptr<Link>> LinkPool::open(const SandboxSpec& spec, CommandPrefix prefix,
                                             AskpassBroker* broker,
                                             const AcquireOptions& options) const {
  LinkSettings settings = settings_;
  settings.idle_close = spec.idle_close;
  const Link::Setup setup{.spec = spec,
                          .prefix = std::move(prefix),
                          .broker = broker,
                          .images = images_,
                          .settings = settings,
                          .progress = options.progress,
                          .give_up = options.deadline};
  const auto limit = Deadline::after(spec.connect_timeout);
  auto opened = Link::open(setup, Deadline::earlier(limit, options.deadline), options.cancel);
  if (!opened) {
    if (spec.backend != Backend::Ssh) return opened;
    return add_missing_agent(std::move(opened).error(), setup.prefix.environment);
  }
  if (check_place_) {
    auto trouble = check_place_(spec, (*opened)->machine());
    if (trouble) (*opened)->refuse_runs(*std::move(trouble));
  }
  return opened;
}

Result<std::shared_ptr<Link>> LinkPool::open_another(const SandboxSpec& spec,
                                                     const AcquireOptions& options) const {
  TRY_ASSIGN(CommandPrefix prefix, prefix_(spec));
  return open(spec, std::move(prefix), broker_without_people(spec), options);
}

// With a broker a person might be asked; only what needs none is answered.
AskpassBroker* LinkPool::broker_without_people(const SandboxSpec& spec) const {
  const bool known =
      !spec.password.empty() || !spec.key_passphrase.empty() || !spec.password_command.empty();
  return known ? broker_ : nullptr;
}

Result<std::shared_ptr<Link>> LinkPool::connect(const SandboxSpec& spec, Monitor<Entry>& entry,
                                                const AcquireOptions& options) {
  std::vector<std::string> used;
  std::string way;
  const auto open = [&]() -> Result<std::shared_ptr<Link>> {
    TRY_ASSIGN(CommandPrefix prefix, prefix_(spec));
    used = prefix.argv;
    way = way_(spec);
    AskpassBroker* broker = options.by_itself ? broker_without_people(spec) : broker_;
    return this->open(spec, std::move(prefix), broker, options);
  };
  // Whatever happens, nobody may be left waiting behind `connecting`.
  const auto open_safely = [&]() -> Result<std::shared_ptr<Link>> {
    try {
      return open();
    } catch (const std::exception& e) {
      return Error{Errc::Internal, concat("connecting to '", spec.name, "': ", e.what()), ""};
    }
  };
  auto opened = open_safely();
  // That its process was killed says nothing about the machine, and nothing was asked of it yet.
  if (!opened && opened.error().code == Errc::LinkLost) opened = open_safely();
  std::shared_ptr<Link> old;  // closed outside the lock
  entry.change([&](Entry& e) {
    e.connecting = false;
    e.way = way;
    if (opened) {
      old = std::exchange(e.link, *opened);
      e.opened_at = std::chrono::steady_clock::now();
      e.auth_failure.reset();
      return;
    }
    if (opened.error().code == Errc::Cancelled) return;  // says nothing about the machine
    ++e.failures;
    const auto now = std::chrono::steady_clock::now();
    e.next_attempt = now + pause_after(e.failures, random_fraction());
    if (needs_a_person(opened.error()) && !options.by_itself) {
      e.auth_failure = opened.error();
      e.auth_failed_at = now;
      e.auth_prefix = used;
    }
  });
  return opened;
}

Result<std::shared_ptr<Link>> LinkPool::acquire(const SandboxSpec& spec,
                                                const AcquireOptions& options) {
  const auto entry = this->entry(spec);
  const Wanting wanting(*entry);
  const auto wake = options.cancel.on_cancel([&] { entry->wake_all(); });
  while (true) {
    enum class Next { Use, Connect, Wait, Refuse };
    std::shared_ptr<Link> link;
    std::shared_ptr<Link> old;  // closed outside the lock, unless a call still uses it
    std::optional<Error> refusal;
    const std::string way = way_(spec);
    Instant pause_until{};
    const Next next = entry->change([&](Entry& e) {
      const auto now = std::chrono::steady_clock::now();
      old = leave_old_way(e, way);
      const bool alive = e.link && e.link->alive();
      if (alive && !e.link->no_runs()) {
        link = e.link;
        return Next::Use;
      }
      if (!alive) count_loss(e, now);
      if (e.auth_failure && (options.keep_trying || now - e.auth_failed_at < kAuthPause)) {
        refusal = e.auth_failure;
        return Next::Refuse;
      }
      if (e.connecting) return Next::Wait;
      if (options.keep_trying && now < e.next_attempt) {
        pause_until = e.next_attempt;
        return Next::Wait;
      }
      e.connecting = true;
      return Next::Connect;
    });
    if (next == Next::Use) return link;
    if (next == Next::Refuse) {
      if (may_log_in_now(spec, *entry)) continue;
      return *refusal;
    }
    if (options.cancel.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
    if (next == Next::Connect) {
      auto opened = connect(spec, *entry, options);
      const bool again =
          !opened && options.keep_trying && !options.deadline.expired() &&
          (opened.error().code == Errc::Unreachable || opened.error().code == Errc::LinkLost);
      if (!again) return opened;
      continue;
    }
    const auto pause =
        pause_until == Instant{}
            ? options.deadline
            : Deadline::earlier(options.deadline,
                                Deadline::after(pause_until - std::chrono::steady_clock::now()));
    entry->wait(
        pause,
        [&](const Entry& e) {
          return options.cancel.cancelled() || (!e.connecting && pause_until == Instant{});
        },
        [](const Entry&) {});
    if (options.cancel.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
    if (options.deadline.expired()) {
      return Error{Errc::Unreachable, concat("'", spec.name, "' did not answer in time"), ""};
    }
  }
}

}  // namespace yonder::link
