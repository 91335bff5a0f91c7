#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "e2e/fixture.h"

namespace yonder::e2e {

// A repository here with one commit ("a" holds "one\n") on branch main, a server "box", and an
// agent that has the tool. `far()` does not exist yet.
class GitSync : public EndToEnd {
 protected:
  void SetUp() override;

  McpClient& files_agent() { return *files_agent_; }
  const lab::Sshd& sshd() const { return *sshd_; }
  const lab::Account& user() const { return *user_; }
  const std::string& here() const { return here_; }
  const std::string& far() const { return far_; }

  // Runs git here; fails the test when git does. Gives what it prints, trimmed.
  std::string git(const std::vector<std::string>& arguments);
  // A commit here that sets a file. Gives its id.
  std::string commit(const std::string& file, const std::string& content);
  void write_here(const std::string& file, const std::string& content);
  std::string head() { return git({"rev-parse", "HEAD"}); }

  // A shell line at the far checkout. Gives what it prints, trimmed; fails the test when it fails.
  std::string there(const std::string& line);
  std::string head_there() { return there("git rev-parse HEAD"); }
  // A commit that only the far side has. Gives its id.
  std::string own_commit_there(const std::string& file);

  // The tool, on `box` and `far()` unless `more` says otherwise.
  Json sync(const Json& more = Json::object());
  Json refused(const Json& more = Json::object());
  // How many runs the far side has begun.
  std::size_t runs_there();
  Json arguments(const Json& more) const;

 private:
  std::optional<lab::Sshd> sshd_;
  std::optional<lab::Account> user_;
  std::unique_ptr<McpClient> files_agent_;
  std::string here_;
  std::string far_;
};

}  // namespace yonder::e2e
