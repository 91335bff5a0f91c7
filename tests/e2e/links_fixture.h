#pragma once

#include <memory>
#include <optional>
#include <string>

#include "e2e/fixture.h"

namespace yonder::e2e {

// One machine, "box", behind a network that does what the test says. The link is up and the
// outpost is in its place when the test begins.
class OneLink : public EndToEnd {
 protected:
  // A command that leaves a line in a file of its own each time it is executed.
  struct Counted {
    std::string command;
    std::string count_file;
    std::string gate;  // it does not end before this file is there
    std::string expected_output;
    int exit_code = 0;
  };

  void SetUp() override;
  lab::Sshd& sshd() { return *sshd_; }
  lab::FaultProxy& proxy() { return *proxy_; }

  // Prints 200 numbered lines, over half a second.
  Counted count_to_200(int exit_code);
  Counted short_command(int exit_code);
  // Prints half of its lines, and the rest when it is let go on.
  Counted endless(int exit_code);
  void let_go_on(const Counted& counted);
  int begin(const Counted& counted, const Json& more = Json::object());
  bool has_begun(const Counted& counted);
  // The reply is as if nothing had happened on the way, and the command was executed once.
  void expect_whole(const Json& done, const Counted& counted);

 private:
  std::optional<lab::Sshd> sshd_;
  std::unique_ptr<lab::FaultProxy> proxy_;
  std::string directory_;
  int commands_ = 0;
};

}  // namespace yonder::e2e
