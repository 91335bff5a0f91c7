#include "tree/write_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/scratch_test.h"
#include "tree/change_files.h"
#include "tree/directory_names.h"
#include "tree/file_path.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::SizeIs;
using yonder::testing::mode_of;
using yonder::testing::Scratch;

class WriteFile : public ::testing::Test {
 protected:
  WriteFile() { std::filesystem::create_directory(home_); }
  Result<files::Written> write(const files::WriteRequest& request) {
    return write_file(request, home_, trash_);
  }
  Result<files::EditReply> edit(const std::vector<files::Edit>& edits,
                                const std::optional<std::string>& hash = std::nullopt) {
    return edit_file({.path = "f", .edits = edits, .expected_hash = hash}, home_, trash_);
  }
  std::string kept(const std::string& batch, const std::string& name) const {
    return scratch_.read("state/trash/" + batch + "/files/" + name);
  }
  std::size_t names_in_home() const {
    const auto home = open_directory(home_);
    return names_in(home->get())->size();
  }

  Scratch scratch_;
  std::string home_ = scratch_ / "home";
  TrashPlace trash_{scratch_ / "state"};
};

TEST_F(WriteFile, ANewFileIsMadeAndAnOldOneKept) {
  const auto made = write({.path = "f", .content = "one"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_EQ(made->batch, "");
  ::chmod((home_ + "/f").c_str(), 0750);
  const auto again = write({.path = "~/f", .content = "two"});
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->hash, hash_of("two"));
  EXPECT_EQ(mode_of(home_ + "/f"), 0750U) << "the mode stays";
  EXPECT_EQ(kept(again->batch, "f"), "one");
  EXPECT_EQ(names_in_home(), 1U) << "no temporary file is left";
}

TEST_F(WriteFile, ThroughALinkTheFileItLeadsToIsReplaced) {
  scratch_.write("home/real/f", "old");
  std::filesystem::create_symlink("real/f", home_ + "/link");
  const auto written = write({.path = "link", .content = "new"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->linked, home_ + "/link");
  EXPECT_EQ(written->path, home_ + "/real/f");
  EXPECT_TRUE(std::filesystem::is_symlink(home_ + "/link"));
  EXPECT_EQ(scratch_.read("home/real/f"), "new");
}

TEST_F(WriteFile, ALinkThatLeadsNowhereLeadsToANewFileAndALoopNowhere) {
  std::filesystem::create_symlink("later", home_ + "/link");
  ASSERT_TRUE(write({.path = "link", .content = "new"}));
  EXPECT_EQ(scratch_.read("home/later"), "new");
  std::filesystem::create_symlink("loop", home_ + "/loop");
  EXPECT_EQ(write({.path = "loop", .content = "new"}).error().code, Errc::InvalidArgument);
}

TEST_F(WriteFile, OnlyWhatIsExpectedIsReplaced) {
  ASSERT_TRUE(write({.path = "f", .content = "one", .expected_hash = ""}));
  EXPECT_EQ(write({.path = "f", .content = "two", .expected_hash = ""}).error().code,
            Errc::Conflict);
  EXPECT_EQ(write({.path = "f", .content = "two", .expected_hash = hash_of("zero")}).error().code,
            Errc::Conflict);
  EXPECT_EQ(write({.path = "g", .content = "two", .expected_hash = hash_of("x")}).error().code,
            Errc::Conflict);
  ASSERT_TRUE(write({.path = "f", .content = "two", .expected_hash = hash_of("one")}));
  EXPECT_EQ(scratch_.read("home/f"), "two");
}

TEST_F(WriteFile, OfManyWhoHaveReadTheSameExactlyOneWins) {
  ASSERT_TRUE(write({.path = "f", .content = "start"}));
  for (int round = 0; round < 20; ++round) {
    const std::string hash = hash_of(scratch_.read("home/f"));
    std::atomic<int> wins{0};
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([&, i] {
        const std::string content = "round " + std::to_string(round) + " by " + std::to_string(i);
        if (write({.path = "f", .content = content, .expected_hash = hash})) ++wins;
      });
    }
    for (auto& writer : writers) writer.join();
    ASSERT_EQ(wins, 1);
  }
}

TEST_F(WriteFile, AppendingAddsAndMakes) {
  ASSERT_TRUE(write({.path = "f", .content = "a", .append = true}));
  const auto more = write({.path = "f", .content = "b", .append = true});
  ASSERT_TRUE(more);
  EXPECT_EQ(scratch_.read("home/f"), "ab");
  EXPECT_EQ(more->size, 2U);
  EXPECT_EQ(more->hash, hash_of("ab"));
}

TEST_F(WriteFile, DirectoriesOnTheWayAreMadeOnlyWhenAsked) {
  const auto refused = write({.path = "a/b/f", .content = "1"});
  EXPECT_EQ(refused.error().code, Errc::NotFound);
  EXPECT_NE(refused.error().hint.find("create_parents"), std::string::npos);
  ASSERT_TRUE(write({.path = "a/b/f", .content = "1", .mode = 0604, .create_parents = true}));
  EXPECT_EQ(mode_of(home_ + "/a/b/f"), 0604U);
}

TEST_F(WriteFile, WhatIsNoFileIsRefused) {
  std::filesystem::create_directory(home_ + "/dir");
  ASSERT_EQ(::mkfifo((home_ + "/fifo").c_str(), 0600), 0);
  for (const char* path : {"dir", "fifo", "/dev/null", "/", "..", "dir/"}) {
    EXPECT_FALSE(write({.path = path, .content = "1"})) << path;
  }
  EXPECT_EQ(names_in_home(), 2U);
}

TEST_F(WriteFile, OddNamesAreFine) {
  for (const std::string& name : {std::string("new\nline"), std::string("-rf"), std::string("*"),
                                  std::string("\xff"), std::string(255, 'n')}) {
    ASSERT_TRUE(write({.path = "./" + name, .content = "1"}));
    ASSERT_TRUE(write({.path = "./" + name, .content = "2"}));
    EXPECT_EQ(scratch_.read("home/" + name), "2");
  }
  EXPECT_FALSE(write({.path = std::string(256, 'n'), .content = "1"}));
}

TEST_F(WriteFile, AFullDiskLeavesTheOldFileWhole) {
  const auto problem = yonder::testing::with_private_mounts([&]() -> std::string {
    if (!yonder::testing::mount_tmpfs(home_, "size=64k")) return "mount";
    if (!write({.path = "f", .content = "old"})) return "first";
    const auto full = write({.path = "f", .content = std::string(200000, 'x')});
    if (full) return "it fitted";
    if (full.error().code != Errc::NoRoom) return full.error().message;
    const auto appended = write({.path = "f", .content = std::string(200000, 'x'), .append = true});
    if (appended) return "it fitted";
    if (names_in_home() != 1) return "something was left";
    return scratch_.read("home/f") == "old" ? "" : "the old content is gone";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(WriteFile, AnEditReplacesExactlyOnce) {
  scratch_.write("home/f", "one\ntwo\nthree\n", 0640);
  const auto done = edit({{.old_text = "two", .new_text = "2"}}, hash_of("one\ntwo\nthree\n"));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(scratch_.read("home/f"), "one\n2\nthree\n");
  EXPECT_EQ(done->diff, "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  EXPECT_EQ(done->file.hash, hash_of("one\n2\nthree\n"));
  EXPECT_EQ(mode_of(home_ + "/f"), 0640U);
  EXPECT_EQ(kept(done->file.batch, "f"), "one\ntwo\nthree\n");
}

TEST_F(WriteFile, AnEditThatIsNotClearChangesNothing) {
  scratch_.write("home/f", "a b\na c\n");
  const auto twice = edit({{.old_text = "a", .new_text = "x"}});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("2 times, in lines 1, 2"));
  const auto second =
      edit({{.old_text = "b", .new_text = "x"}, {.old_text = "q", .new_text = "x"}});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("edit 2"));
  EXPECT_EQ(edit({{.old_text = "b", .new_text = "x"}}, "0000000000000000").error().code,
            Errc::Conflict);
  EXPECT_EQ(scratch_.read("home/f"), "a b\na c\n");
  EXPECT_EQ(edit({{.old_text = "a", .new_text = "x", .replace_all = true}})->replacements, 2U);
}

TEST_F(WriteFile, AnEditSaysWhyItsTextIsNotFound) {
  scratch_.write("home/f", "one\r\n\ttwo\r\n");
  EXPECT_THAT(edit({{.old_text = "one\n\ttwo", .new_text = ""}}).error().hint, HasSubstr("\\r\\n"));
  EXPECT_THAT(edit({{.old_text = "  two", .new_text = ""}}).error().hint, HasSubstr("tabs"));
}

TEST_F(WriteFile, MovingDoesNotOverwriteUnlessTold) {
  scratch_.write("home/a", "a");
  scratch_.write("home/b", "b");
  EXPECT_EQ(move_file({.from = "a", .to = "b"}, home_, trash_).error().code, Errc::Conflict);
  const auto moved = move_file({.from = "a", .to = "b", .overwrite = true}, home_, trash_);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_TRUE(moved->replaced);
  EXPECT_EQ(scratch_.read("home/b"), "a");
  EXPECT_EQ(kept(moved->batch, "b"), "b");
  std::filesystem::create_directory(home_ + "/d");
  EXPECT_EQ(move_file({.from = "b", .to = "d"}, home_, trash_)->to, home_ + "/d/b");
  EXPECT_FALSE(move_file({.from = "d", .to = "d/e"}, home_, trash_));
  EXPECT_EQ(move_file({.from = "none", .to = "x"}, home_, trash_).error().code, Errc::NotFound);
  EXPECT_TRUE(move_file({.from = "d/b", .to = "x/y/z", .create_parents = true}, home_, trash_));
}

TEST_F(WriteFile, MovingReplacesNothingThatHoldsTheHomeDirectoryOrTheState) {
  const std::string above = scratch_ / "above";
  const std::string home = above + "/users/me";
  fs::create_directories(home + "/x/users");
  const auto moved =
      move_file({.from = "x/users", .to = above + "/", .overwrite = true}, home, trash_);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, Errc::InvalidArgument);
  EXPECT_TRUE(fs::exists(home + "/x/users"));
  const fs::path state = trash_.state_dir;
  fs::create_directories(state);
  const std::string name = state.filename().string();
  fs::create_directories(home + "/x/" + name);
  EXPECT_FALSE(
      move_file({.from = "x/" + name, .to = state.parent_path().string() + "/", .overwrite = true},
                home, trash_));
  EXPECT_TRUE(fs::exists(state));
}

TEST_F(WriteFile, DeletingMovesToTheTrashAndSparesWhatIsPrecious) {
  scratch_.write("home/d/f", "1");
  std::filesystem::create_symlink("d", home_ + "/link");
  for (const char* path : {"/", "~", "~/d/..", "..", "/proc/self/root"}) {
    EXPECT_FALSE(delete_file({.path = path, .recursive = true}, home_, trash_)) << path;
  }
  EXPECT_FALSE(delete_file({.path = scratch_.path(), .recursive = true}, home_, trash_));
  EXPECT_FALSE(delete_file({.path = "d"}, home_, trash_)) << "needs recursive";
  const auto link = delete_file({.path = "link"}, home_, trash_);
  ASSERT_TRUE(link) << link.error().message;
  EXPECT_EQ(link->type, files::Type::Symlink);
  const auto gone = delete_file({.path = "d", .recursive = true}, home_, trash_);
  ASSERT_TRUE(gone);
  EXPECT_THAT(show_trash({.max_paths = 10}, trash_)->batches, SizeIs(2));
  EXPECT_EQ(restore_files({.batch = gone->batch}, trash_)->restored, 1U);
  EXPECT_EQ(scratch_.read("home/d/f"), "1");
}

TEST_F(WriteFile, AnEmptyDirectoryGoesWithoutFurtherWords) {
  std::filesystem::create_directory(home_ + "/empty");
  EXPECT_TRUE(delete_file({.path = "empty/"}, home_, trash_));
}

TEST_F(WriteFile, DirectoriesAreMade) {
  EXPECT_EQ(make_directory_at({.path = "a/b/c", .mode = 0700}, home_)->made, 3U);
  EXPECT_EQ(make_directory_at({.path = "a/b/c"}, home_)->made, 0U);
  EXPECT_FALSE(make_directory_at({.path = "x/y", .parents = false}, home_));
  scratch_.write("home/file", "1");
  EXPECT_EQ(make_directory_at({.path = "file"}, home_).error().code, Errc::Conflict);
  EXPECT_FALSE(make_directory_at({.path = "file/x"}, home_));
}

// A limit on the size of files stands for a full disk. Others append all the time meanwhile.
TEST(AppendAtALimit, TakesBackOnlyItsOwn) {
  constexpr rlim_t kLimit = 200000;
  const testing::Scratch scratch;
  const std::string path = scratch.write("log", "");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{kLimit, kLimit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 400; ++i) {
      const files::WriteRequest request{
          .path = path, .content = std::string(kLimit + 1, 'o'), .append = true};
      if (write_file(request, scratch.path(), {})) ::_exit(1);
    }
    ::_exit(0);
  }
  const int log = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  std::size_t appended = 0;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (::write(log, "t", 1) == 1) ++appended;
  }
  ::close(log);
  EXPECT_EQ(status, 0);
  const std::string content = scratch.read("log");
  EXPECT_EQ(static_cast<std::size_t>(std::count(content.begin(), content.end(), 't')), appended);
}

}  // namespace
}  // namespace yonder::tree
