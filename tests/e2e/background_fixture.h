#pragma once

#include <string>
#include <vector>

#include "e2e/fixture.h"

namespace yonder::e2e {

// Background runs on `local`, with a tmux server of the test's own.
class Background : public EndToEnd {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::vector<std::string> tmux_environment() const { return {"TMUX_TMPDIR=" + tmux_directory_}; }
  McpClient& client();
  // A second agent, which knows nothing of the first.
  std::unique_ptr<McpClient> another_client() { return new_agent(tmux_environment()); }

  Json start(const std::string& command, const Json& more = Json::object());
  Json start_error(const std::string& command, const Json& more = Json::object());
  Json check(const Json& arguments);
  Json check_run(const Json& started, const Json& more = Json::object());
  Json stop(const Json& started, const Json& more = Json::object());
  // Waits for the end, as an agent would.
  Json end_of(const Json& started);
  // What the whole log holds, byte for byte.
  std::string log_of(const Json& started) const;

  // Everything of a run that lives, by the mark in its environment.
  static std::vector<pid_t> processes_of(const Json& started);
  std::string tmux(const std::vector<std::string>& words) const;
  // Where the runs of `local` are recorded.
  std::string record_of(const Json& started) const;

 private:
  std::string tmux_directory_;
  std::unique_ptr<McpClient> client_;
  std::vector<std::string> runs_;
};

}  // namespace yonder::e2e
