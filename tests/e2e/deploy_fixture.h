#pragma once

#include <string>
#include <vector>

#include "e2e/fixture.h"

namespace yonder::e2e {

// A far side that has never seen Yonder: a new user on a machine of their own.
class DeployTest : public EndToEnd {
 protected:
  void SetUp() override;
  void TearDown() override;

  // The user, and the name of the machine where they are.
  const lab::Account& user() const { return *user_; }
  lab::Sshd& sshd() { return *sshd_; }
  // Sets up the machine "far". To be called once, before anything else.
  void use(const lab::SshdOptions& options = {}, const std::string& shell = "/bin/bash");
  // In the session of `agent`.
  std::string say_hello(McpClient& agent);
  void expect_works();

  // Where outposts were put: the names in a directory that begin with "outpost-".
  static std::vector<std::string> outposts_in(const std::string& directory);
  static std::vector<std::string> names_in(const std::string& directory);
  std::string cache() const { return user_->home + "/.cache/yonder"; }
  // A directory that belongs to the user, with all that lead to it from their home.
  void make_users_directory(const std::string& path, mode_t mode = 0700);
  void write_users_file(const std::string& path, const std::string& text, mode_t mode = 0700);

 private:
  std::optional<lab::Account> user_;
  std::optional<lab::Sshd> sshd_;
};

}  // namespace yonder::e2e
