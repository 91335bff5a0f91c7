#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "outpost/run_fixture_test.h"
#include "outpost/serve_client_test.h"

namespace yonder::outpost {

// A real tmux whose server no other test and no person sees.
template <class Base>
class TmuxOf : public Base {
 protected:
  TmuxOf() {
    EXPECT_TRUE(make_directory(this->scratch_ / "tmux"));
    ::setenv("TMUX_TMPDIR", (this->scratch_ / "tmux").c_str(), 1);
    this->scratch_.write("home/.tmux.conf", "");
    ::setenv("HOME", this->around_.home.c_str(), 1);
  }
  ~TmuxOf() override {
    const pid_t server = server_pid();
    if (server > 0) {
      ::kill(server, SIGKILL);
      EXPECT_TRUE(testing::eventually([&] { return Base::process_gone(server); }));
    }
    ::unsetenv("TMUX_TMPDIR");
  }

  // A line for a shell; what it prints.
  static std::string tmux(const std::string& words) {
    FILE* pipe = ::popen(("exec tmux " + words + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return "";
    std::string text;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      text.append(buffer.data(), n);
    }
    ::pclose(pipe);
    return text;
  }
  static std::vector<std::string> sessions() {
    std::vector<std::string> names;
    for (auto& name : split(tmux("list-sessions -F '#{session_name}'"), '\n')) {
      if (!name.empty()) names.push_back(std::move(name));
    }
    return names;
  }
  static std::vector<std::string> windows() {
    return split(std::string(trim(tmux("list-windows -a -F '#{window_name}'"))), '\n');
  }
  static std::string screen_of(const std::string& session) {
    return tmux("capture-pane -p -t '=" + session + ":'");
  }
  // 0: there is none.
  static pid_t server_pid() {
    return static_cast<pid_t>(std::atoi(tmux("display-message -p '#{pid}'").c_str()));
  }
};

using TmuxTest = TmuxOf<RunTest>;

}  // namespace yonder::outpost
