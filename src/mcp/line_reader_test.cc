#include "mcp/line_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/thread.h"

namespace yonder::mcp {
namespace {

class LineReaderTest : public ::testing::Test {
 protected:
  void write(std::string_view bytes) { ASSERT_TRUE(write_all(pipe_.write, bytes)); }
  void close() { pipe_.write.reset(); }

  // What comes until the end: lines, and "<too long>".
  std::vector<std::string> read_all(std::size_t max_line) {
    LineReader reader(pipe_.read, stop_, max_line);
    std::vector<std::string> seen;
    while (true) {
      auto item = reader.next();
      if (!item || item->kind == LineReader::Kind::End) return seen;
      seen.push_back(item->kind == LineReader::Kind::TooLong ? "<too long>" : item->text);
    }
  }

  Pipe pipe_ = *make_pipe();
  StopSignal stop_ = *StopSignal::create();
};

using Lines = std::vector<std::string>;

TEST_F(LineReaderTest, CutsAtNewlinesAndIgnoresBlankLinesAndCarriageReturns) {
  write("one\r\n\n  \r\ntwo\nthree\r\n");
  close();
  EXPECT_EQ(read_all(100), (Lines{"one", "two", "three"}));
}

TEST_F(LineReaderTest, TakesALastLineWithoutItsNewline) {
  write("one\ntwo");
  close();
  EXPECT_EQ(read_all(100), (Lines{"one", "two"}));
}

TEST_F(LineReaderTest, PutsALineTogetherThatComesInPieces) {
  Thread writer("writer", [&] {
    for (const char c : std::string("hello\nyou\n")) write(std::string_view(&c, 1));
    close();
  });
  EXPECT_EQ(read_all(100), (Lines{"hello", "you"}));
}

TEST_F(LineReaderTest, TakesALineOfExactlyTheBoundAndSkipsOneThatIsLonger) {
  write("12345\n123456\nok\n");
  close();
  EXPECT_EQ(read_all(5), (Lines{"12345", "<too long>", "ok"}));
}

TEST_F(LineReaderTest, SkipsALineMuchLongerThanItsBuffers) {
  Thread writer("writer", [&] {
    for (int i = 0; i < 100; ++i) write(std::string(10'000, 'x'));
    write("\nafter\n");
    close();
  });
  EXPECT_EQ(read_all(1000), (Lines{"<too long>", "after"}));
}

TEST_F(LineReaderTest, ReportsALongLineThatTheEndOfTheInputCuts) {
  write(std::string(100, 'x'));
  close();
  EXPECT_EQ(read_all(10), (Lines{"<too long>"}));
}

TEST_F(LineReaderTest, EndsWhenStoppedThoughTheInputIsOpen) {
  Thread stopper("stopper", [&] { stop_.trigger(); });
  EXPECT_EQ(read_all(10), Lines{});
}

TEST_F(LineReaderTest, ReturnsWhatWasWrittenBeforeTheStop) {
  write("one\ntwo\nthr");
  stop_.trigger();
  EXPECT_EQ(read_all(10), (Lines{"one", "two"}));
}

TEST_F(LineReaderTest, FailsWhenTheInputCannotBeRead) {
  LineReader reader(pipe_.write, stop_);  // the wrong end, and broken
  pipe_.read.reset();
  EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace yonder::mcp
