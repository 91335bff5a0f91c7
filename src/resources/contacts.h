#pragma once

#include <functional>
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
  Duration took{};  // until it was heard
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
  // Asks a machine that did not answer once more, and does not wait: the link it comes to is there
  // for the next caller. No person is asked for anything.
  void ask_again(const SandboxSpec& spec);

  // Called with every failure to reach a machine, from the thread that tried. Set before the first
  // question.
  using OnFailure = std::function<void(const SandboxSpec&, const Contact&)>;
  void on_failure(OnFailure told) { on_failure_ = std::move(told); }

 private:
  struct Attempt {
    Monitor<std::optional<Contact>> outcome;
    Thread thread;
  };
  using Shared = std::shared_ptr<Attempt>;

  Shared attempt(const SandboxSpec& spec);
  Shared begin(const SandboxSpec& spec, bool by_itself);
  void forget(const SandboxSpec& spec, const Shared& attempt);

  link::LinkPool& links_;
  OnFailure on_failure_;
  CancelSource give_up_;
  Guarded<std::map<std::string, Shared>> attempts_;
};

}  // namespace yonder::resources
