#include "mcp/stdio.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "base/thread.h"

namespace yonder::mcp {
namespace {

class OutputTest : public ::testing::Test {
 protected:
  OutputTest() { ::signal(SIGPIPE, SIG_IGN); }

  std::string read_to_end() {
    std::string all;
    std::string piece(4096, '\0');
    while (true) {
      auto n = read_some(pipe_.read, piece.data(), piece.size());
      if (!n || *n == 0) return all;
      all.append(piece, 0, *n);
    }
  }

  Pipe pipe_ = *make_pipe();
  StopSignal stop_ = *StopSignal::create();
};

TEST_F(OutputTest, NeverMixesMessagesOfDifferentThreads) {
  const std::string filling(20'000, 'x');  // needs several writes
  Output output(pipe_.write, stop_);
  Thread closer("closer", [&] {
    std::vector<Thread> senders;
    senders.reserve(8);
    for (int i = 0; i < 8; ++i) {
      senders.emplace_back("sender", [&output, &filling, i] {
        for (int k = 0; k < 5; ++k) output.send(Json{{"from", i}, {"filling", filling}});
      });
    }
    senders.clear();
    pipe_.write.reset();
  });
  auto lines = split(read_to_end(), '\n');
  ASSERT_EQ(lines.size(), 41U);  // and nothing behind the last newline
  lines.pop_back();
  for (const auto& line : lines) EXPECT_TRUE(parse_json(line, "line")) << line.substr(0, 80);
}

TEST_F(OutputTest, KeepsAMessageOnOneLineWhateverIsInside) {
  Output(pipe_.write, stop_).send(Json("a\nb\r\n\xff"));
  pipe_.write.reset();
  EXPECT_EQ(read_to_end(), "\"a\\nb\\r\\n\xEF\xBF\xBD\"\n");
}

TEST_F(OutputTest, StopsTheSessionWhenTheClientHasClosedIt) {
  pipe_.read.reset();
  Output output(pipe_.write, stop_);
  output.send("x");
  EXPECT_TRUE(stop_.triggered());
  output.send("dropped");
}

TEST_F(OutputTest, GivesUpOnAClientThatDoesNotReadOnlyWhenTheSessionEnds) {
  Output output(pipe_.write, stop_, std::chrono::milliseconds(20));
  Thread sender("sender", [&] { output.send(std::string(1U << 20U, 'x')); });
  stop_.trigger();
  sender.join();  // or the test hangs
  pipe_.write.reset();
  EXPECT_LT(read_to_end().size(), 1U << 20U);
}

}  // namespace
}  // namespace yonder::mcp
