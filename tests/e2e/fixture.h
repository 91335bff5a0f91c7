#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "e2e/mcp_client.h"
#include "lab/fault_proxy.h"
#include "lab/lab.h"
#include "lab/processes.h"
#include "lab/ssh_client.h"
#include "lab/sshd.h"
#include "lab/wait.h"

namespace yonder::e2e {

// A client machine with the real program, and servers as a test wants them.
//
//   TEST_F(ExecTest, SaysTheExitCode) { EXPECT_EQ(bash("exit 3")["exit_code"], 3); }
class EndToEnd : public ::testing::Test {
 protected:
  // Throws where it cannot go on, be it that the test is skipped: what a derived fixture does after
  // calling it does not happen then.
  void SetUp() override;

  lab::Lab& lab() { return lab::Lab::get(); }
  // A key that every server of start_sshd() accepts.
  const lab::SshKey& key() const { return key_; }

  // The environment of a program that the person at this machine starts.
  std::vector<std::string> environment(const std::vector<std::string>& more = {}) const;
  // The agent's session, begun when first asked for.
  McpClient& agent();
  // A session of its own.
  std::unique_ptr<McpClient> new_agent(const std::vector<std::string>& more_environment = {});

  lab::Sshd start_sshd(const lab::SshdOptions& options = {});
  std::unique_ptr<lab::FaultProxy> start_proxy(std::uint16_t to);
  // A user whose home never saw Yonder, and whose name and password occur nowhere else.
  lab::Account new_user(const std::string& shell = "/bin/bash");
  // What ~/.ssh/config says of a server, or of a proxy before it.
  lab::SshHost host(const std::string& alias, const lab::SshServer& server,
                    const std::string& user = "alice") const;
  lab::SshHost host(const std::string& alias, const lab::SshServer& server,
                    const lab::FaultProxy& proxy, const std::string& user = "alice") const;
  void write_hosts(const std::vector<lab::SshHost>& hosts);
  void write_config_toml(const std::string& text);

  // exec_bash on `local` unless `more` says otherwise.
  Json bash(const std::string& command, const Json& more = Json::object());
  // The same where a failure is expected: the error.
  Json bash_error(const std::string& command, const Json& more = Json::object());
  // Waits for a call that was begun by agent().call_async().
  Json result_of(int id, const Deadline& deadline = patience());

  // A new name that occurs nowhere else, and a directory where every user may write.
  std::string new_marker() const;
  std::string new_open_directory();

 private:
  lab::SshKey key_;
  std::string runtime_directory_;
  std::unique_ptr<McpClient> agent_;
};

// A piece of a command that goes on when the file is there.
std::string until(const std::string& file);
// The arguments of exec_bash.
Json exec_arguments(const std::string& command, const Json& more = Json::object());
// These throw, and so fail the test, when the call did not end as expected or did not return.
Json content_of(const Reply& reply);
Json error_of(const Reply& reply);

std::string file_text(const std::string& path);
// How much memory a process has held at most.
std::uint64_t peak_memory(pid_t pid);
// What no process of ours may need more than.
std::uint64_t enough_memory();
// Descendants by /proc, nearest first.
std::vector<lab::Process> family_of(pid_t root);

}  // namespace yonder::e2e
