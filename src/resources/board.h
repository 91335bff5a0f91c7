#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/guarded.h"
#include "base/resource_facts.h"
#include "base/result.h"
#include "model/sandbox_spec.h"
#include "resources/contacts.h"

namespace yonder::link {
class LinkPool;
}

namespace yonder::resources {

// What one machine said of itself, and when; or why it did not.
struct Seen {
  std::optional<MachineFacts> facts;
  std::optional<Error> error;
  Duration age{};
  Duration took{};  // from the question to the answer, or to where it was given up
};

struct LookOptions {
  bool fresh = false;  // whatever is known of the last seconds
  CancelToken cancel;
  // After that, those that have not answered are given up (Timeout) if another one has,
  std::optional<Duration> patience;
  // or after that in any case.
  std::optional<Duration> limit;
  // As each answers. Thread: any; one call at a time.
  std::function<void(std::size_t index, const Seen&)> on_seen = [](std::size_t, const Seen&) {};
};

// Asks machines what they have, and remembers it for a moment. Thread: any.
class Board {
 public:
  // `good_for`: how long an answer is remembered.
  explicit Board(link::LinkPool& links, Duration good_for = std::chrono::seconds(3));
  ~Board();

  // All at once, each with its own deadline; in the order of `specs`.
  std::vector<Seen> look(const std::vector<SandboxSpec>& specs, const LookOptions& options);
  // Whether they are there at all.
  Contacts& contacts() { return contacts_; }
  // Something has begun or ended there: what was seen is not so any more.
  void forget(const SandboxSpec& spec);

 private:
  struct Kept {
    std::shared_ptr<const MachineFacts> facts;
    Instant asked{};
    Instant at{};
  };
  struct Known {
    std::map<std::string, Kept> kept;
    std::map<std::string, Instant> changed;  // by the name of the sandbox
  };
  std::optional<Seen> remembered(const SandboxSpec& spec) const;
  Seen ask(const SandboxSpec& spec, const CancelToken& cancel);

  link::LinkPool& links_;
  const Duration good_for_;
  Guarded<Known> known_;
  Contacts contacts_;
};

}  // namespace yonder::resources
