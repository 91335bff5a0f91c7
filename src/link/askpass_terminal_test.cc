#include "link/askpass_terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"
#include "base/thread.h"
#include "lab/need.h"

namespace yonder::link {
namespace {

using Step = TypedLine::Step;

TEST(ShownPrompt, LeadsEveryLineWithTheSandboxAndLetsNothingHarmfulThrough) {
  EXPECT_EQ(shown_prompt("box", "Password: "), "[box] Password: ");
  EXPECT_EQ(shown_prompt("box", "one\ntwo"), "[box] one\n[box] two");
  EXPECT_EQ(shown_prompt("box", "a\r\x1b[2J\x1b]0;title\x07z"), "[box] z");
  EXPECT_EQ(shown_prompt("b\x1bx", "?"), "[b\\x1bx] ?");
  EXPECT_LT(shown_prompt("box", std::string(100000, 'x')).size(), 5000U);
}

std::string typed(std::string_view keys) {
  TypedLine line;
  for (const char key : keys) {
    switch (line.feed(key)) {
      case Step::Finished: return line.take().reveal();
      case Step::GivenUp: return "given up";
      default: break;
    }
  }
  return "unfinished";
}

TEST(TypedLine, EditsLikeATerminalAndGivesUpLikeOne) {
  EXPECT_EQ(typed("secret\n"), "secret");
  EXPECT_EQ(typed("secret\r"), "secret");
  EXPECT_EQ(typed("\n"), "");
  EXPECT_EQ(typed("sex\x7f"
                  "cret\n"),
            "secret");
  EXPECT_EQ(typed("\b\b"
                  "a\n"),
            "a");
  EXPECT_EQ(typed("na\xc3\xaf\x7f"
                  "ive\n"),
            "naive");
  EXPECT_EQ(typed("wrong\x15right\n"), "right");
  EXPECT_EQ(typed("a\x04"
                  "b\n"),
            "ab");
  EXPECT_EQ(typed("\x04"), "given up");
  EXPECT_EQ(typed("half\x03"), "given up");
  EXPECT_EQ(typed(std::string(100000, 'x')), "given up");
}

// A pseudo terminal; this side is the person.
class TerminalPersonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    master_ = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!master_ || ::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0) {
      lab::skip_for(lab::Need::Terminals);
    }
    device_ = ::ptsname(master_.get());
    // Held open, so that its settings outlive each question.
    slave_ = Fd(::open(device_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!slave_) lab::skip_for(lab::Need::Terminals);
  }

  // Reads what the terminal shows, until it contains `text`.
  std::string read_until(std::string_view text) {
    std::string shown;
    while (shown.find(text) == std::string::npos) {
      pollfd ready{master_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 20000) <= 0) return shown + "[nothing more]";
      std::array<char, 256> bytes{};
      const auto n = read_some(master_, bytes.data(), bytes.size());
      if (!n || *n == 0) return shown + "[end]";
      shown.append(bytes.data(), *n);
    }
    return shown;
  }
  void type(std::string_view keys) { ASSERT_TRUE(write_all(master_, keys)); }
  bool echoes() {
    termios settings{};
    ::tcgetattr(slave_.get(), &settings);
    return (settings.c_lflag & static_cast<tcflag_t>(ECHO)) != 0;
  }

  Fd master_;
  Fd slave_;
  std::string device_;
};

TEST_F(TerminalPersonTest, ReadsASecretWithoutShowingIt) {
  TerminalPerson person(device_);
  std::optional<Secret> answer;
  Thread asking("asking", [&] {
    answer = person.ask("box", classify_question("alice@host's password: "), {});
  });
  read_until("[box] alice@host's password: ");
  EXPECT_FALSE(echoes());
  type("sesame\n");
  EXPECT_EQ(read_until("\n"), "\r\n");
  asking.join();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reveal(), "sesame");
  EXPECT_TRUE(echoes());
}

TEST_F(TerminalPersonTest, ShowsWhatIsTypedAboutAHostKey) {
  TerminalPerson person(device_);
  std::optional<Secret> answer;
  Thread asking("asking", [&] {
    answer = person.ask(
        "box",
        classify_question("New key.\nAre you sure you want to continue connecting (yes/no)? "), {});
  });
  EXPECT_NE(read_until("(yes/no)? ").find("[box] New key.\r\n[box] Are"), std::string::npos);
  type("yes\n");
  EXPECT_EQ(read_until("\n"), "yes\r\n");
  asking.join();
  EXPECT_EQ(answer->reveal(), "yes");
}

TEST_F(TerminalPersonTest, TakesCtrlCForARefusalAndRestoresTheTerminal) {
  TerminalPerson person(device_);
  std::optional<Secret> answer = Secret("x");
  Thread asking("asking", [&] { answer = person.ask("box", classify_question("Password: "), {}); });
  read_until("Password: ");
  type("half\x03");
  asking.join();
  EXPECT_FALSE(answer);
  EXPECT_TRUE(echoes());
}

TEST_F(TerminalPersonTest, AsksOneQuestionAtATimeAndForgetsWhatNobodyNeeds) {
  TerminalPerson person(device_);
  const CancelSource first;
  const CancelSource second;
  std::optional<Secret> answer;
  Thread asking("first", [&] {
    answer = person.ask("one", classify_question("Password: "), {.cancel = first.token()});
  });
  read_until("[one] Password: ");
  Thread dropped("second", [&] {
    EXPECT_FALSE(person.ask("two", classify_question("Password: "), {.cancel = second.token()}));
  });
  Thread later("third", [&] {
    EXPECT_EQ(person.ask("three", classify_question("Password: "), {})->reveal(), "3");
  });
  second.cancel();
  dropped.join();
  first.cancel();
  asking.join();
  EXPECT_FALSE(answer);
  const std::string shown = read_until("[three] Password: ");
  EXPECT_EQ(shown.find("[two]"), std::string::npos);
  type("3\n");
  later.join();
  EXPECT_TRUE(echoes());
}

TEST_F(TerminalPersonTest, GivesUpAtTheDeadline) {
  TerminalPerson person(device_);
  EXPECT_FALSE(person.ask("box", classify_question("Password: "),
                          {.deadline = Deadline::after(std::chrono::milliseconds(20))}));
  EXPECT_TRUE(echoes());
}

TEST_F(TerminalPersonTest, TellsWithoutWaiting) {
  TerminalPerson person(device_);
  person.tell("box", classify_question("Confirm user presence for key k", "none"));
  EXPECT_EQ(read_until("\n"), "[box] Confirm user presence for key k\r\n");
}

TEST(TerminalPerson, IsNotThereWithoutATerminal) {
  TerminalPerson person("/nonexistent/tty");
  EXPECT_FALSE(person.ask("box", classify_question("Password: "), {}));
  person.tell("box", classify_question("Hello"));
}

TEST(TerminalPerson, IsNotAvailableToAProcessWithoutATerminal) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    ::setsid();
    ::_exit(TerminalPerson::available() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace yonder::link
