#include "tree/list_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "base/scratch_test.h"

namespace yonder::tree {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using yonder::testing::Scratch;

std::vector<std::string> paths(const files::ListReply& reply) {
  std::vector<std::string> out;
  for (const auto& entry : reply.entries) out.push_back(entry.path);
  return out;
}

files::ListReply list(const Scratch& scratch, files::ListRequest request = {}) {
  if (request.path.empty()) request.path = scratch.path();
  auto reply = list_files(request, scratch.path());
  EXPECT_TRUE(reply) << reply.error().message;
  return reply ? *reply : files::ListReply{};
}

TEST(ListFiles, ComesSortedWithWhatIsInADirectoryRightAfterIt) {
  const Scratch scratch;
  for (const char* name : {"b", "a/z", "a/y/1", "a.txt", "a-1"}) scratch.write(name, "x");
  EXPECT_THAT(paths(list(scratch, {.recursive = true})),
              ElementsAre("a", "a/y", "a/y/1", "a/z", "a-1", "a.txt", "b"));
  EXPECT_THAT(paths(list(scratch)), ElementsAre("a", "a-1", "a.txt", "b"));
  EXPECT_THAT(paths(list(scratch, {.recursive = true, .max_depth = 2})),
              ElementsAre("a", "a/y", "a/z", "a-1", "a.txt", "b"));
}

TEST(ListFiles, IsTruncatedOnlyWhenThereIsMore) {
  const Scratch scratch;
  for (const char* name : {"a", "b", "c"}) scratch.write(name, "x");
  EXPECT_FALSE(list(scratch, {.max_entries = 3}).truncated);
  EXPECT_EQ(list(scratch, {.max_entries = 3}).total, 3U);
  const auto two = list(scratch, {.max_entries = 2});
  EXPECT_TRUE(two.truncated);
  EXPECT_EQ(two.total, 3U);
  EXPECT_THAT(paths(two), ElementsAre("a", "b"));
  EXPECT_FALSE(list(scratch, {.recursive = true, .max_entries = 3}).truncated);
  EXPECT_TRUE(list(scratch, {.recursive = true, .max_entries = 2}).truncated);
}

TEST(ListFiles, SaysWhatEachThingIs) {
  const Scratch scratch;
  scratch.write("file", "12345", 0640);
  std::filesystem::create_directory(scratch / "dir");
  std::filesystem::create_symlink("no/where", scratch / "broken");
  std::filesystem::create_symlink("loop", scratch / "loop");
  ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0600), 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  const std::string name = scratch / "sock";
  name.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const auto reply = list(scratch, {.recursive = true});
  ASSERT_THAT(paths(reply), ElementsAre("broken", "dir", "fifo", "file", "loop", "sock"));
  EXPECT_EQ(reply.entries[0].type, files::Type::Symlink);
  EXPECT_EQ(reply.entries[0].link_target, "no/where");
  EXPECT_EQ(reply.entries[1].type, files::Type::Directory);
  EXPECT_EQ(reply.entries[2].type, files::Type::Fifo);
  EXPECT_EQ(reply.entries[3].size, 5U);
  EXPECT_EQ(reply.entries[3].mode, 0640U);
  EXPECT_GT(reply.entries[3].mtime_ns, 0);
  EXPECT_EQ(reply.entries[4].link_target, "loop");
  EXPECT_EQ(reply.entries[5].type, files::Type::Socket);
  EXPECT_EQ(list(scratch, {.path = "/dev/null"}).entries[0].type, files::Type::Char);
}

TEST(ListFiles, DoesNotFollowLinksBelowThePath) {
  const Scratch scratch;
  scratch.write("real/file", "x");
  std::filesystem::create_directory_symlink("real", scratch / "link");
  EXPECT_THAT(paths(list(scratch, {.recursive = true})), ElementsAre("link", "real", "real/file"));
  EXPECT_THAT(paths(list(scratch, {.path = scratch / "link"})), ElementsAre("file"))
      << "the path itself may be a link";
}

TEST(ListFiles, OneFileIsAListOfItself) {
  const Scratch scratch;
  scratch.write("file", "12");
  const auto reply = list(scratch, {.path = "file"});
  ASSERT_THAT(reply.entries, SizeIs(1));
  EXPECT_EQ(reply.entries[0].path, "");
  EXPECT_EQ(reply.path, scratch / "file");
}

TEST(ListFiles, AMissingPathIsNotFoundAndPathsAreUnderstood) {
  const Scratch scratch;
  EXPECT_EQ(list_files({.path = "nothing"}, scratch.path()).error().code, Errc::NotFound);
  EXPECT_FALSE(list_files({.path = ""}, scratch.path()));
  EXPECT_FALSE(list_files({.path = "~root"}, scratch.path()));
  EXPECT_FALSE(list_files({.path = std::string("a\0b", 3)}, scratch.path()));
  EXPECT_EQ(list(scratch, {.path = "~/."}).path, scratch.path());
  EXPECT_EQ(list(scratch, {.path = "~"}).path, scratch.path());
}

TEST(ListFiles, AnUnreadableDirectoryIsSaidToBeSo) {
  if (::geteuid() == 0) lab::skip_for(lab::Need::NotRoot);
  const Scratch scratch;
  scratch.write("closed/file", "x");
  scratch.write("open", "x");
  ::chmod((scratch / "closed").c_str(), 0000);
  const auto reply = list(scratch, {.recursive = true});
  ::chmod((scratch / "closed").c_str(), 0700);
  EXPECT_THAT(paths(reply), ElementsAre("closed", "open"));
  ASSERT_THAT(reply.errors, SizeIs(1));
  EXPECT_EQ(reply.errors[0].path, "closed");
}

TEST(ListFiles, AHundredThousandEntriesAreFine) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "many");
  for (int i = 0; i < 100000; ++i) {
    const Fd file(::open((scratch / ("many/" + std::to_string(i))).c_str(),
                         O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file);
  }
  const auto reply = list(scratch, {.path = "many", .max_entries = 3});
  EXPECT_THAT(paths(reply), ElementsAre("0", "1", "10"));
  EXPECT_TRUE(reply.truncated);
  EXPECT_EQ(reply.total, 100000U);
}

}  // namespace
}  // namespace yonder::tree
