#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/thread.h"
#include "model/machine.h"
#include "model/sandbox_spec.h"

namespace yonder::link {
class LinkPool;
}

namespace yonder::resources {

// That a machine answers, or why not.
struct Contact {
  std::optional<Machine> machine;
  std::optional<Duration> round_trip;
  std::optional<Error> error;
  Instant heard{};
};

// Asks machines whether they are there, and does not wait for the slow ones: an attempt goes on
// when its asker has gone, and what it comes to is told to the next one. Thread: any.
class Contacts {
 public:
  explicit Contacts(link::LinkPool& links) : links_(links) {}
  ~Contacts();
  Contacts(const Contacts&) = delete;
  Contacts& operator=(const Contacts&) = delete;

  // All at once, in the order of `specs`; nothing for those that have not answered by then.
  std::vector<std::optional<Contact>> ask(const std::vector<SandboxSpec>& specs,
                                          const Deadline& deadline, const CancelToken& cancel);

 private:
  struct Attempt {
    Monitor<std::optional<Contact>> outcome;
    Thread thread;
  };
  using Shared = std::shared_ptr<Attempt>;

  Shared attempt(const SandboxSpec& spec);
  void forget(const SandboxSpec& spec, const Shared& attempt);

  link::LinkPool& links_;
  CancelSource give_up_;
  Guarded<std::map<std::string, Shared>> attempts_;
};

}  // namespace yonder::resources
