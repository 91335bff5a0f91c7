#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/guarded.h"
#include "config/file_stamp.h"
#include "model/sandbox_spec.h"

namespace yonder::sandbox {

// Where ssh's settings lead to, for each sandbox that was connected to. ssh itself is asked, and
// only again when a file of its settings has changed. Thread: any.
class SshWays {
 public:
  using Ask = std::function<std::string(const SandboxSpec&)>;  // the answer of `ssh -G`

  SshWays(std::string home, Ask ask) : home_(std::move(home)), ask_(std::move(ask)) {}

  // To be taken before ssh is asked: what is written in between is then noticed.
  config::Watched watch() const;
  // What ssh said then; an empty answer is none.
  void note(const SandboxSpec& spec, config::Watched watched, const std::string& settings);
  // See target_in(). Empty while it is not known: then ssh is not asked.
  std::string target(const SandboxSpec& spec);

 private:
  struct Known {
    config::Watched watched;
    std::string target;
  };

  std::string home_;
  Ask ask_;
  Guarded<std::map<std::string, Known>> known_;
};

}  // namespace yonder::sandbox
