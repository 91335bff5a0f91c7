#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/scratch_test.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "link/askpass_broker.h"

// What the tests of askpass share.
namespace yonder::link::askpass_testing {

inline const Duration kSoon = testing::kPatience;

// Under the system's own temporary directory: a socket's path must be short.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::array<char, 32> name{"/tmp/askpass-XXXXXX"};
    path_ = ::mkdtemp(name.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string operator/(std::string_view name) const { return concat(path_, "/", name); }

 private:
  std::string path_;
};

inline std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

// A person with a list of answers. Without one they think until nobody needs the answer any more.
class ScriptedPerson : public Person {
 public:
  struct State {
    std::deque<std::optional<std::string>> answers;
    std::vector<Question> asked;
    std::vector<Question> told;
    int given_up = 0;
  };

  explicit ScriptedPerson(std::deque<std::optional<std::string>> answers = {})
      : state_(State{.answers = std::move(answers), .asked = {}, .told = {}}) {}

  std::optional<Secret> ask(const std::string& /*sandbox*/, const Question& question,
                            const Patience& patience) override {
    const auto answer = state_.change([&](State& state) {
      state.asked.push_back(question);
      std::optional<std::optional<std::string>> next;
      if (!state.answers.empty()) {
        next = state.answers.front();
        state.answers.pop_front();
      }
      return next;
    });
    if (!answer) return think(patience);
    if (!*answer) return std::nullopt;
    return Secret(**answer);
  }
  void tell(const std::string& /*sandbox*/, const Question& question) override {
    state_.change([&](State& state) { state.told.push_back(question); });
  }

  template <class Ready>
  bool wait_until(Ready ready) {
    return state_.wait(Deadline::after(kSoon), ready, ready);
  }
  State state() const {
    return state_.look([](const State& state) { return state; });
  }

 private:
  std::optional<Secret> think(const Patience& patience) {
    Monitor<bool> cancelled;
    const auto registration = patience.cancel.on_cancel(
        [&] { cancelled.change([](bool& is_cancelled) { is_cancelled = true; }); });
    const auto yes = [](const bool& is_cancelled) { return is_cancelled; };
    cancelled.wait(patience.deadline, yes, yes);
    state_.change([](State& state) { ++state.given_up; });
    return std::nullopt;
  }

  Monitor<State> state_;
};

// The helper process, as ssh would start it. This test program is its own SSH_ASKPASS.
inline Result<Subprocess> start_helper(std::vector<std::string> environment,
                                       const std::string& prompt, const std::string& hint = "") {
  if (!hint.empty()) environment.push_back("SSH_ASKPASS_PROMPT=" + hint);
  return Subprocess::spawn({.argv = {this_program(), prompt}, .environment = environment});
}

struct HelperEnd {
  int code = -1;
  std::string out;
  bool operator==(const HelperEnd&) const = default;
};
inline std::ostream& operator<<(std::ostream& stream, const HelperEnd& end) {
  return stream << "code " << end.code << " and \"" << end.out << '"';
}
inline const HelperEnd kRefused{.code = 1, .out = ""};
inline HelperEnd answered(std::string_view answer) {
  return {.code = 0, .out = concat(answer, "\n")};
}

inline HelperEnd end_of(Result<Subprocess> helper) {
  if (!helper) return {.code = -2, .out = helper.error().message};
  HelperEnd end;
  std::array<char, 4096> buffer{};
  while (true) {
    const auto n = read_some(helper->output(), buffer.data(), buffer.size());
    if (!n || *n == 0) break;
    end.out.append(buffer.data(), *n);
  }
  const auto status = helper->wait(Deadline::after(kSoon));
  if (status && !status->signaled) end.code = status->code;
  return end;
}

inline HelperEnd ask(const AskpassBroker::Attempt& attempt, const std::string& prompt,
                     const std::string& hint = "") {
  return end_of(start_helper(attempt.environment(), prompt, hint));
}

// Counts the calls of on_refused.
class Refusals {
 public:
  std::function<void()> counter() {
    return [this] { ++count_; };
  }
  int count() const { return count_; }

 private:
  std::atomic<int> count_ = 0;
};

inline constexpr const char* kPasswordPrompt = "alice@host's password: ";

inline SandboxSpec box() {
  SandboxSpec spec;
  spec.name = "box";
  return spec;
}
inline SandboxSpec box_with_password() {
  SandboxSpec spec = box();
  spec.password = Secret("sesame");
  return spec;
}

// A broker in a directory of its own, with this program as the helper.
class BrokerTest : public ::testing::Test {
 protected:
  std::unique_ptr<AskpassBroker> open(Person* person = nullptr, AskpassOptions options = {}) {
    options.environment.emplace_back("PATH=/usr/bin:/bin");
    auto broker = AskpassBroker::open(sockets(), this_program(), person, options);
    EXPECT_TRUE(broker) << broker.error().message;
    return *std::move(broker);
  }
  // Where brokers have their sockets.
  std::string sockets() const { return directory_ / "d"; }
  static std::string socket_of(const AskpassBroker::Attempt& attempt) {
    constexpr std::string_view kName = "YONDER_ASKPASS_SOCKET=";
    for (const auto& entry : attempt.environment()) {
      if (entry.starts_with(kName)) return entry.substr(kName.size());
    }
    return "";
  }

  TemporaryDirectory directory_;
  Refusals refusals_;
};

}  // namespace yonder::link::askpass_testing
