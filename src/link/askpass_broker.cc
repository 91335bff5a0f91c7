#include "link/askpass_broker.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <list>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "base/thread.h"
#include "link/askpass_attempt.h"
#include "link/askpass_leftovers.h"
#include "link/askpass_message.h"
#include "link/askpass_session.h"
#include "link/askpass_socket.h"

namespace yonder::link {
namespace {

// After a failed accept (no descriptors left), so that the listener does not spin.
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

std::string_view name_part(std::string_view entry) {
  return entry.substr(0, entry.find('='));
}

class RegisteredAttempt final : public AskpassBroker::Attempt {
 public:
  RegisteredAttempt(std::shared_ptr<AttemptRegistry> registry, std::shared_ptr<AttemptState> state,
                    std::vector<std::string> environment)
      : registry_(std::move(registry)),
        state_(std::move(state)),
        environment_(std::move(environment)) {
    registry_->add(state_);
  }
  RegisteredAttempt(const RegisteredAttempt&) = delete;
  RegisteredAttempt& operator=(const RegisteredAttempt&) = delete;
  ~RegisteredAttempt() override {
    registry_->remove(*state_);
    state_->end();
  }

  std::vector<std::string> environment() const override { return environment_; }
  std::optional<Question> refused() const override { return state_->refused(); }
  std::string command_trouble() const override { return state_->command_trouble(); }
  bool answered_from_settings() const override { return state_->answered_from_settings(); }
  bool asked_a_person() const override { return state_->asked_a_person(); }

 private:
  std::shared_ptr<AttemptRegistry> registry_;
  std::shared_ptr<AttemptState> state_;
  std::vector<std::string> environment_;
};

class Broker final : public AskpassBroker {
 public:
  struct Parts {
    std::string socket_path;
    Fd listener;
    Pipe wake;
    std::string program;
    Person* person = nullptr;
    AskpassOptions options;
  };

  explicit Broker(Parts parts)
      : parts_(std::move(parts)), listener_("askpass", [this] { listen(); }) {}
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;
  ~Broker() override {
    attempts_->close();
    stopping_ = true;
    wake();
    listener_.join();
    ::unlink(parts_.socket_path.c_str());
  }

  std::unique_ptr<Attempt> begin(const SandboxSpec& spec,
                                 std::function<void()> on_refused) override {
    auto state = std::make_shared<AttemptState>(spec, std::move(on_refused));
    std::vector<std::string> environment{
        concat("SSH_ASKPASS=", parts_.program),
        "SSH_ASKPASS_REQUIRE=force",
        concat(kSocketVariable, "=", parts_.socket_path),
        concat(kTokenVariable, "=", state->token()),
        // No display's name, so that nobody tries to reach it.
        "DISPLAY=(none)",
    };
    return std::make_unique<RegisteredAttempt>(attempts_, std::move(state), std::move(environment));
  }

  bool asks_a_person() const override { return waiting_for_people_ > 0; }

 private:
  // Belongs to the listener's thread; only `done` is for both.
  struct Session {
    explicit Session(Fd accepted) : connection(std::move(accepted)) {}
    Fd connection;
    std::atomic<bool> done = false;
    Thread thread;  // joined before the connection is closed
  };

  void wake() { [[maybe_unused]] const auto result = write_all(parts_.wake.write, "x"); }

  // Thread: the listener's.
  void listen() {
    std::list<Session> sessions;
    bool pausing = false;
    while (!stopping_) {
      const bool accepting = !pausing && sessions.size() < kMaxSessions;
      std::array<pollfd, 2> fds{pollfd{parts_.wake.read.get(), POLLIN, 0},
                                pollfd{accepting ? parts_.listener.get() : -1, POLLIN, 0}};
      const auto pause = pausing ? Deadline::after(kAcceptPause) : Deadline::never();
      ::poll(fds.data(), fds.size(), pause.poll_timeout());
      pausing = false;
      if (fds[0].revents != 0) drain_wake();
      sessions.remove_if([](const Session& session) { return session.done.load(); });
      if (fds[1].revents != 0) pausing = !accept_into(sessions);
    }
    for (const auto& session : sessions) ::shutdown(session.connection.get(), SHUT_RDWR);
    sessions.clear();
  }

  void drain_wake() {
    std::array<char, 64> bytes{};
    [[maybe_unused]] const auto result = read_some(parts_.wake.read, bytes.data(), bytes.size());
  }

  bool accept_into(std::list<Session>& sessions) {
    auto accepted = accept_from(parts_.listener);
    if (!accepted) return false;
    auto& session = sessions.emplace_back(*std::move(accepted));
    try {
      session.thread = Thread("askpass-session", [this, &session] { serve(session); });
    } catch (const std::system_error& e) {  // no more threads
      log_error("askpass: question dropped", {{"why", e.what()}});
      sessions.pop_back();
      return false;
    }
    return true;
  }

  // Thread: the session's own.
  void serve(Session& session) {
    try {
      serve_question(session.connection, {.attempts = *attempts_,
                                          .person = parts_.person,
                                          .options = parts_.options,
                                          .waiting_for_people = waiting_for_people_});
    } catch (const std::exception& e) {
      log_error("askpass: question dropped", {{"why", e.what()}});
    }
    session.done = true;
    wake();
  }

  const Parts parts_;
  const std::shared_ptr<AttemptRegistry> attempts_ = std::make_shared<AttemptRegistry>();
  std::atomic<bool> stopping_ = false;
  std::atomic<int> waiting_for_people_ = 0;
  Thread listener_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<AskpassBroker>> AskpassBroker::open(const std::string& directory,
                                                           std::string program, Person* person,
                                                           AskpassOptions options) {
  TRY(make_private_directory(directory));
  // Several processes may share the directory, and some of them were killed.
  remove_leftovers(directory);
  const std::string path = new_socket_path(directory);
  TRY_ASSIGN(Fd listener, listen_at(path));
  TRY_ASSIGN(Pipe wake, make_pipe());
  return std::unique_ptr<AskpassBroker>(
      std::make_unique<Broker>(Broker::Parts{.socket_path = path,
                                             .listener = std::move(listener),
                                             .wake = std::move(wake),
                                             .program = std::move(program),
                                             .person = person,
                                             .options = std::move(options)}));
}

std::vector<std::string> with_askpass(std::vector<std::string> base,
                                      const std::vector<std::string>& added) {
  const auto has = [](const std::vector<std::string>& entries, std::string_view name) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const std::string& entry) { return name_part(entry) == name; });
  };
  const bool has_display = has(base, "DISPLAY");
  std::erase_if(base, [&](const std::string& entry) {
    const auto name = name_part(entry);
    return name == "SSH_ASKPASS_PROMPT" || (name != "DISPLAY" && has(added, name));
  });
  for (const auto& entry : added) {
    if (name_part(entry) != "DISPLAY" || !has_display) base.push_back(entry);
  }
  return base;
}

}  // namespace yonder::link
