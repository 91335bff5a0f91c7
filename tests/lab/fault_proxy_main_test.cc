#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>

#include "base/subprocess.h"
#include "base/text.h"
#include "lab/command.h"
#include "lab/loopback.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

class Program {
 public:
  explicit Program(Subprocess process) : process_(std::move(process)) {}

  std::string line() {
    std::string text;
    for (char c = 0; read_some(process_.output(), &c, 1).has_value() && c != '\n';) text += c;
    return text;
  }
  std::string ask(const std::string& command) {
    EXPECT_TRUE(write_all(process_.input(), command + "\n"));
    return line();
  }
  bool ends_at_end_of_input() {
    process_.input().reset();
    const auto status = process_.wait(soon());
    return status && status->success();
  }

 private:
  Subprocess process_;
};

TEST(FaultProxyProgram, ListensAndObeysLineByLineUntilItsInputEnds) {
  auto listener = listen_on_loopback(0);
  ASSERT_TRUE(listener);
  auto started = Subprocess::spawn(
      {.argv = {FAULT_PROXY, "--listen", "0", "--to", std::to_string(*port_of(*listener))},
       .environment = plain_environment()});
  ASSERT_TRUE(started) << started.error().message;
  Program program(*std::move(started));
  const std::string first = program.line();
  ASSERT_TRUE(first.starts_with("listening ")) << first;
  auto client = connect_to_loopback(static_cast<std::uint16_t>(std::stoi(first.substr(10))));
  ASSERT_TRUE(client);
  for (const char* command :
       {"delay 25", "delay 0 up", "rate 0", "cut-after 1000 down", "cut-after 9 up connection fin",
        "half-close down", "stall", "resume", "refuse", "accept", "cut", "cut fin"}) {
    EXPECT_EQ(program.ask(command), concat("ok ", command));
  }
  EXPECT_TRUE(
      program.ask("stats").starts_with("ok connections=1 open=0 up=0 down=0 under-way=0 cuts="));
  for (const char* command : {"", "fly", "delay", "delay x", "cut-after 5", "cut softly"}) {
    EXPECT_TRUE(program.ask(command).starts_with("error")) << command;
  }
  EXPECT_TRUE(program.ends_at_end_of_input());
}

TEST(FaultProxyProgram, ExplainsItselfWhenTheTargetIsMissing) {
  const auto done = capture({FAULT_PROXY, "--listen", "0"}, plain_environment());
  ASSERT_TRUE(done);
  EXPECT_EQ(done->status.code, 2);
  EXPECT_TRUE(done->err.starts_with("usage:")) << done->err;
}

}  // namespace
}  // namespace yonder::lab
