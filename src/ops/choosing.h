#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ops/placement.h"
#include "ops/silence.h"
#include "resources/board.h"

namespace yonder::ops {

// The disk that counts is that of the run.
SandboxSpec where_it_starts(SandboxSpec spec, const Wish& wish);
// Without knowing where the run of a key is, nothing may be started: it may be there.
Error key_trouble(const char* what, const Error& why);

// Which machine comes next for a run that may begin on any.
class Choosing {
 public:
  Choosing(Engine& engine, CallContext& context, const Wish& wish)
      : engine_(engine), context_(context), wish_(wish) {}

  Result<void> look();
  // The next machine to try.
  Result<SandboxSpec> next();
  // Nothing was started there: the machine refused it, or could not be used.
  void rule_out(const std::string& why);
  void rule_out(const Error& why);

  const Chosen& chosen() const { return chosen_; }

 private:
  // Labels are known here: nobody has to be asked for them.
  Result<void> leave_out_by_label();
  void ask(std::optional<Duration> patience);
  resources::LookOptions how_to_look(std::optional<Duration> patience) const;
  void take_seen(const SandboxSpec& spec, const resources::Seen& seen, resources::Candidate& one);
  resources::Ranking rank_now(const std::map<std::string, int>& recent) const;
  std::vector<resources::RuledOut> all_ruled_out(const resources::Ranking& ranking) const;
  Chosen make_chosen(const resources::Ranking& ranking) const;
  bool no_directory() const;
  Error nobody(const resources::Ranking& ranking) const;

  Engine& engine_;
  CallContext& context_;
  const Wish& wish_;
  std::vector<SandboxSpec> specs_;
  Silence silence_;
  std::map<std::string, Errc> failed_;  // those that could not be used, whatever the work
  std::vector<resources::Candidate> candidates_;
  std::vector<resources::RuledOut> tried_;
  std::vector<std::string> warnings_;
  std::size_t aliases_left_out_ = 0;
  bool cut_short_ = false;
  Chosen chosen_;
};

}  // namespace yonder::ops
