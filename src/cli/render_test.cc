#include "cli/render.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "base/fd.h"
#include "base/file.h"

namespace yonder::cli {
namespace {

TEST(Output, PassesEverythingOn) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_EQ(Output(pipe->write.get(), -1).write("hello"), Written::Yes);
  std::string buffer(16, '\0');
  EXPECT_EQ(*read_some(pipe->read, buffer.data(), buffer.size()), 5U);
  EXPECT_EQ(buffer.substr(0, 5), "hello");
}

TEST(Output, NoticesThatTheReaderHasGone) {
  ::signal(SIGPIPE, SIG_IGN);
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  pipe->read.reset();
  EXPECT_EQ(Output(pipe->write.get(), -1).write("hello"), Written::ReaderGone);
}

TEST(Output, GivesUpAReaderWhoDoesNotReadWhenItIsWoken) {
  auto pipe = make_pipe();
  auto wake = make_pipe();
  ASSERT_TRUE(pipe && wake);
  ASSERT_TRUE(write_all(wake->write, "!"));
  const std::string more_than_a_pipe_holds(std::size_t{4} * 1024 * 1024, 'x');
  EXPECT_EQ(Output(pipe->write.get(), wake->read.get()).write(more_than_a_pipe_holds),
            Written::Interrupted);
}

TEST(Output, SaysWhenNothingCanBeWritten) {
  auto read_only = open_file("/dev/null", O_RDONLY);
  ASSERT_TRUE(read_only);
  EXPECT_EQ(Output(read_only->get(), -1).write(""), Written::Yes);
  EXPECT_EQ(Output(read_only->get(), -1).write("x"), Written::Failed);
}

}  // namespace
}  // namespace yonder::cli
