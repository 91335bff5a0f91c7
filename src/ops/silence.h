#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "store/store.h"

namespace yonder::ops {

// Everything that says where a machine is, as the store keeps it.
std::string silence_target(const SandboxSpec& spec);

// Pure. Whether a machine that failed so, after that time, is one that does not answer: one that
// refuses at once keeps no caller waiting.
bool is_silence(const Error& error, Duration took);

// Remembers such a failure, for all processes of this user.
void note_silence(store::Store& store, const SandboxSpec& spec, const Error& error, Duration took);

// The machines that did not answer lately: work does not wait for them, and they are asked again
// meanwhile. Any process that reaches one forgets its silence.
class Silence {
 public:
  // What is remembered of these machines now. When all of them are silent none is: the network may
  // have come back, and there is no other machine that would be kept waiting.
  void look(Engine& engine, const std::vector<SandboxSpec>& specs);

  // How long ago it did not answer; nothing for one that is to be asked.
  std::optional<Duration> of(const SandboxSpec& spec) const;
  // All of them were silent.
  bool of_all() const { return of_all_; }

 private:
  std::map<std::string, Duration> silent_;  // by the name of the sandbox
  bool of_all_ = false;
};

}  // namespace yonder::ops
