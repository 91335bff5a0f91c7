#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/guarded.h"
#include "link/link.h"
#include "model/link_sight.h"

namespace yonder::link {

// What a caller says about one wait for a link.
struct AcquireOptions {
  Deadline deadline = Deadline::never();
  CancelToken cancel;
  // A re-attach goes on trying, with growing pauses, until its deadline; a first call wants to
  // know.
  bool keep_trying = false;
  // No user waits for this link: no person is asked for anything, and that one would have been
  // needed is not held against the next caller.
  bool by_itself = false;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// One link per sandbox, shared by all callers; opened when first needed and again when lost.
// Thread: any. A machine that does not answer keeps only those waiting who asked for it.
class LinkPool {
 public:
  LinkPool(PrefixMaker prefix, AskpassBroker* broker, std::vector<OutpostImage> images,
           LinkSettings settings);
  ~LinkPool();

  // Asked about each machine that was reached: an error when runs must not be started or looked for
  // there. Such a link is opened anew for the next caller. Set before the first link is opened.
  using PlaceCheck = std::function<std::optional<Error>(const SandboxSpec&, const Machine&)>;
  void check_places(PlaceCheck check) { check_place_ = std::move(check); }

  // Where a new link would lead now; empty when that is not known. A link that leads elsewhere is
  // not used for further calls. Asked for every call, so that it must be cheap. Set as above.
  using WayFinder = std::function<std::string(const SandboxSpec&)>;
  void find_ways(WayFinder way) { way_ = std::move(way); }

  Result<std::shared_ptr<Link>> acquire(const SandboxSpec& spec, const AcquireOptions& options);

  // One more, for the caller alone, beside the shared one. Nobody is asked for anything.
  Result<std::shared_ptr<Link>> open_another(const SandboxSpec& spec,
                                             const AcquireOptions& options) const;

  // The link as it is, without opening one.
  std::shared_ptr<Link> existing(const SandboxSpec& spec) const;
  // Those that were ever up, as they are now, and those that come up for the first time; one that
  // is not up only while a caller waits for it, and none while a person is asked something for it.
  std::vector<LinkSight> sights() const;
  // How much longer than a machine needs to answer a login may take, because a person is asked.
  Duration typing_time() const { return settings_.typing_time; }
  // A person has logged in: what failed before may work now.
  void forget_failures(const SandboxSpec& spec);

 private:
  struct Entry {
    std::shared_ptr<Link> link;
    std::string way;  // that the link took, if it is known
    Instant opened_at{};
    bool connecting = false;
    int wanted = 0;  // callers in acquire()
    int failures = 0;
    Instant next_attempt{};
    std::optional<Error> auth_failure;     // with it nobody tries by himself
    std::vector<std::string> auth_prefix;  // that was refused
    Instant auth_failed_at{};
  };
  using SharedEntry = std::shared_ptr<Monitor<Entry>>;

  SharedEntry entry(const SandboxSpec& spec) const;
  AskpassBroker* broker_without_people(const SandboxSpec& spec) const;
  bool may_log_in_now(const SandboxSpec& spec, Monitor<Entry>& entry) const;
  static void count_loss(Entry& entry, Instant now);
  static std::shared_ptr<Link> leave_old_way(Entry& entry, const std::string& way);
  Result<std::shared_ptr<Link>> open(const SandboxSpec& spec, CommandPrefix prefix,
                                     AskpassBroker* broker, const AcquireOptions& options) const;
  Result<std::shared_ptr<Link>> connect(const SandboxSpec& spec, Monitor<Entry>& entry,
                                        const AcquireOptions& options);

  PrefixMaker prefix_;
  AskpassBroker* broker_;
  std::vector<OutpostImage> images_;
  LinkSettings settings_;
  PlaceCheck check_place_;
  WayFinder way_ = [](const SandboxSpec&) { return std::string(); };
  mutable Guarded<std::map<std::string, SharedEntry>> entries_;
};

// Pure. How long to wait after the n-th failure in a row; `random` is in [0, 1).
Duration pause_after(int failures, double random);

}  // namespace yonder::link
