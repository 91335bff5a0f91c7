#include "e2e/background_fixture.h"

#include <stdexcept>

#include "base/subprocess.h"

namespace yonder::e2e {
namespace {

std::string id_of(const Json& started) {
  return started.at("run_id").get<std::string>();
}

}  // namespace

void Background::SetUp() {
  EndToEnd::SetUp();
  tmux_directory_ = new_open_directory();
}

void Background::TearDown() {
  for (const auto& id : runs_) {
    EXPECT_THAT(lab::kill_and_wait(lab::processes_matching("YONDER_RUN_ID=" + id)),
                ::testing::IsEmpty());
  }
  tmux({"kill-server"});
}

McpClient& Background::client() {
  if (!client_) client_ = another_client();
  return *client_;
}

Json Background::start(const std::string& command, const Json& more) {
  Json arguments = exec_arguments(command, more);
  arguments["watch"] = false;
  const Json started = content_of(client().call("exec_bash_background", arguments));
  runs_.push_back(id_of(started));
  return started;
}

Json Background::start_error(const std::string& command, const Json& more) {
  return error_of(client().call("exec_bash_background", exec_arguments(command, more)));
}

Json Background::check(const Json& arguments) {
  return content_of(client().call("check_background_task", arguments));
}

Json Background::check_run(const Json& started, const Json& more) {
  Json arguments{{"run_id", id_of(started)}};
  arguments.update(more);
  return check(arguments);
}

Json Background::stop(const Json& started, const Json& more) {
  Json arguments{{"run_id", id_of(started)}};
  arguments.update(more);
  return content_of(client().call("stop_background_task", arguments));
}

Json Background::end_of(const Json& started) {
  const Deadline deadline = patience();
  while (!deadline.expired()) {
    // From beyond all output: only the end is waited for.
    Json seen = check_run(started, {{"offset", 1UL << 50}, {"wait_s", 600}});
    if (seen["state"] != "running" && seen["state"] != "queued") return seen;
  }
  throw std::runtime_error("run " + id_of(started) + " did not end in time");
}

std::string Background::log_of(const Json& started) const {
  return file_text(started.at("log_file").get<std::string>());
}

std::vector<pid_t> Background::processes_of(const Json& started) {
  return lab::processes_matching("YONDER_RUN_ID=" + id_of(started));
}

std::string Background::tmux(const std::vector<std::string>& words) const {
  std::vector<std::string> argv{"tmux"};
  argv.insert(argv.end(), words.begin(), words.end());
  const auto done = run_captured({.argv = argv, .environment = environment(tmux_environment())}, "",
                                 1UL << 20, patience());
  return done ? done->out : "";
}

std::string Background::record_of(const Json& started) const {
  return lab::Lab::get().client_home() + "/.local/state/yonder/runs/" + id_of(started);
}

}  // namespace yonder::e2e
