#include "tree/read_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "base/text.h"
#include "tree/file_path.h"

namespace yonder::tree {
namespace {

using ::testing::HasSubstr;
using yonder::testing::Scratch;

class ReadPart : public ::testing::Test {
 protected:
  files::ReadReply read(files::ReadRequest request) {
    if (request.path.empty()) request.path = "file";
    auto reply = read_part(request, scratch_.path());
    EXPECT_TRUE(reply) << reply.error().message;
    return reply ? *reply : files::ReadReply{};
  }
  Scratch scratch_;
};

TEST_F(ReadPart, TheWholeOfASmallFileComesWithItsHash) {
  scratch_.write("file", "hello\n", 0640);
  const auto reply = read({});
  EXPECT_EQ(reply.content, "hello\n");
  EXPECT_EQ(reply.size, 6U);
  EXPECT_EQ(reply.mode, 0640U);
  EXPECT_FALSE(reply.truncated);
  EXPECT_FALSE(reply.binary);
  EXPECT_EQ(reply.hash, hash_of("hello\n"));
  EXPECT_EQ(reply.path, scratch_ / "file");
}

TEST_F(ReadPart, APartSaysThatThereIsMore) {
  scratch_.write("file", "0123456789");
  const auto head = read({.max_bytes = 4});
  EXPECT_EQ(head.content, "0123");
  EXPECT_TRUE(head.truncated);
  EXPECT_EQ(head.size, 10U) << "the file's real size";
  const auto middle = read({.offset = 4, .max_bytes = 6});
  EXPECT_EQ(middle.content, "456789");
  EXPECT_FALSE(middle.truncated);
  const auto beyond = read({.offset = 100});
  EXPECT_EQ(beyond.content, "");
  EXPECT_EQ(beyond.size, 10U);
}

TEST_F(ReadPart, LinesAreCountedFromOne) {
  scratch_.write("file", "one\ntwo\nthree\nfour");
  const auto two = read({.first_line = 2, .lines = 2});
  EXPECT_EQ(two.content, "two\nthree\n");
  EXPECT_EQ(two.offset, 4U);
  EXPECT_TRUE(two.truncated);
  EXPECT_EQ(read({.first_line = 4}).content, "four");
  EXPECT_FALSE(read({.first_line = 4}).truncated);
  EXPECT_EQ(read({.first_line = 9, .lines = 2}).content, "");
  EXPECT_EQ(read({.max_bytes = 5, .first_line = 1, .lines = 4}).content, "one\nt");
}

TEST_F(ReadPart, TheTailIsTheLastLines) {
  scratch_.write("file", "one\ntwo\nthree\n");
  EXPECT_EQ(read({.tail = 2}).content, "two\nthree\n");
  EXPECT_EQ(read({.tail = 20}).content, "one\ntwo\nthree\n");
  EXPECT_EQ(read({.tail = 0}).content, "");
  const auto cut = read({.max_bytes = 3, .tail = 2});
  EXPECT_EQ(cut.content, "ee\n");
  EXPECT_TRUE(cut.truncated);
  std::string many;
  for (int i = 0; i < 100000; ++i) many += concat("line ", i, "\n");
  scratch_.write("many", many);
  EXPECT_EQ(read({.path = "many", .tail = 2}).content, "line 99998\nline 99999\n");
}

TEST_F(ReadPart, AnEmptyFileIsEmpty) {
  scratch_.write("file", "");
  EXPECT_EQ(read({}).content, "");
  EXPECT_EQ(read({.tail = 5}).content, "");
  EXPECT_EQ(read({.first_line = 1}).content, "");
  EXPECT_EQ(read({}).hash, hash_of(""));
  EXPECT_FALSE(read({}).truncated);
}

TEST_F(ReadPart, BinaryIsSaidToBeBinary) {
  scratch_.write("file", std::string("\x7f"
                                     "ELF\0\0",
                                     6));
  EXPECT_TRUE(read({}).binary);
  EXPECT_TRUE(read({.max_bytes = 2}).binary) << "its beginning tells";
}

TEST_F(ReadPart, AFileOfTheKernelWorksThoughItsSizeIsZero) {
  const auto reply = read({.path = "/proc/self/status"});
  EXPECT_THAT(reply.content, HasSubstr("Pid:"));
  EXPECT_EQ(reply.size, reply.content.size());
  EXPECT_FALSE(read({.path = "/proc/self/status", .tail = 1}).content.empty());
}

TEST_F(ReadPart, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(::mkfifo((scratch_ / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("loop", scratch_ / "loop");
  std::filesystem::create_symlink("nowhere", scratch_ / "broken");
  for (const char* path : {"fifo", "/dev/zero", ".", "loop"}) {
    const auto reply = read_part({.path = path}, scratch_.path());
    ASSERT_FALSE(reply) << path;
    EXPECT_EQ(reply.error().code, Errc::InvalidArgument) << path;
  }
  EXPECT_EQ(read_part({.path = "broken"}, scratch_.path()).error().code, Errc::NotFound);
}

TEST_F(ReadPart, ALargeFileTakesNoMoreThanWhatIsAskedFor) {
  const std::string path = scratch_ / "sparse";
  scratch_.write("sparse", "");
  ASSERT_EQ(::truncate(path.c_str(), 1LL << 40), 0);
  const auto reply = read({.path = "sparse", .offset = 1ULL << 39U, .max_bytes = 10});
  EXPECT_EQ(reply.content, std::string(10, '\0'));
  EXPECT_EQ(reply.hash, "");
  EXPECT_EQ(read({.path = "sparse", .max_bytes = UINT64_MAX}).content.size(), kMaxPart);
}

}  // namespace
}  // namespace yonder::tree
