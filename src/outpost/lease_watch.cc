#include "outpost/lease_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/text.h"
#include "outpost/claim_files.h"

namespace yonder::outpost {
namespace {

constexpr unsigned kPlaceGone = IN_DELETE_SELF | IN_MOVE_SELF;
// A supervisor that is killed closes its claim, which it had open for writing.
constexpr unsigned kClaims =
    IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | kPlaceGone | IN_ONLYDIR;
// A file that loses its name while it is open has only fewer links.
constexpr unsigned kOwn = IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF;

Fd new_events() {
  return Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
}

}  // namespace

void LeaseWatch::watch_claims(const std::string& place) {
  if (!events_) events_ = new_events();
  if (events_) ::inotify_add_watch(events_.get(), place.c_str(), kClaims);
}

void LeaseWatch::watch_for(const std::string& directory, const std::string& name) {
  awaited_ = name;
  if (events_) ::inotify_add_watch(events_.get(), directory.c_str(), IN_CREATE);
}

void LeaseWatch::watch_own(const std::string& place, const Fd& claim) {
  events_.reset();  // first: it may be the last that this user may have
  events_ = new_events();
  if (!events_) return;
  ::inotify_add_watch(events_.get(), place.c_str(), kPlaceGone | IN_ONLYDIR);
  ::inotify_add_watch(events_.get(), concat("/proc/self/fd/", claim.get()).c_str(), kOwn);
}

bool LeaseWatch::concerns(unsigned mask, const std::string& name,
                          const std::string& own_claim) const {
  if (name.empty()) return (mask & IN_IGNORED) == 0;  // the place, the claim, or too many events
  if (name == own_claim) return (mask & (IN_DELETE | IN_MOVED_FROM)) != 0;
  return name == awaited_ || name.starts_with(kClaimPrefix);
}

bool LeaseWatch::drain(const std::string& own_claim) const {
  alignas(inotify_event) std::array<char, 4096> buffer{};
  bool any = false;
  while (events_) {
    const ssize_t got = ::read(events_.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      // The name is padded with zeros.
      const std::string name = event.len == 0 ? "" : std::string(buffer.data() + at + sizeof event);
      any = concerns(event.mask, name, own_claim) || any;
      at += sizeof event + event.len;
    }
  }
  return any;
}

}  // namespace yonder::outpost
