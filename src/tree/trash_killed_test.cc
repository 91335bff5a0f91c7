// Where the old file is when the process that replaces it is killed at any moment.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/scratch_test.h"
#include "base/text.h"
#include "tree/change_files.h"
#include "tree/scan.h"
#include "tree/trash.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;
using testing::eventually;

std::set<std::string> contents_below(const std::string& directory) {
  std::set<std::string> all;
  for (const auto& item : fs::recursive_directory_iterator(directory)) {
    if (!item.is_regular_file() || item.path().filename() == "info") continue;
    std::ifstream file(item.path());
    all.insert({std::istreambuf_iterator<char>(file), {}});
  }
  return all;
}

class KilledTest : public ::testing::Test {
 protected:
  KilledTest() {
    fs::create_directories(scratch_ / "root");
    root_ = Fd(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  // Replaces the file until it is killed; with a new trash each time.
  [[noreturn]] void replace_for_ever(int first) const {
    for (int i = first;; ++i) {
      const std::string temporary = concat(".~yonder-abcdefgh-", i);
      std::ofstream(scratch_ / ("root/" + temporary)) << i;
      Trash trash({scratch_ / "state"}, root_.get(), scratch_ / "root", "sync");
      if (!trash.replace(root_.get(), temporary, "f", "f")) ::_exit(1);
    }
  }
  testing::Scratch scratch_;
  Fd root_;
};

TEST_F(KilledTest, TheOldFileIsInTheTrashBeforeItLosesItsName) {
  int next = 1;
  scratch_.write("root/f", "0");
  for (int round = 0; round < 40; ++round) {
    const std::string before = scratch_.read("root/f");
    const pid_t child = ::fork();
    if (child == 0) replace_for_ever(next);
    ASSERT_TRUE(eventually([&] { return scratch_.read("root/f") != before; }));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const int now = std::stoi(scratch_.read("root/f"));
    const auto kept = contents_below(scratch_ / "state/trash");
    for (int i = std::stoi(before); i < now; ++i) {
      ASSERT_TRUE(kept.contains(std::to_string(i))) << i << " of " << now;
    }
    next = now + 1;
    for (const auto& item : fs::directory_iterator(scratch_ / "root")) {
      if (item.path().filename() != "f") fs::remove(item.path());
    }
    fs::remove_all(scratch_ / "state/trash");
  }
}

// The trash of the target's place cannot be used, so that the move has to be taken back; and
// somebody always makes the file anew that was moved away.
TEST_F(KilledTest, AMoveThatIsTakenBackOverwritesNothing) {
  scratch_.write("root/to", "to");
  // No process may write to a file, so that no batch can be described.
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const std::string from = scratch_ / "root/from";
  std::atomic<bool> over = false;
  std::atomic<int> made = 0;
  std::thread somebody([&] {
    while (!over) {
      const int file = ::open(from.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (file < 0) continue;
      ++made;
      ::close(file);
    }
  });
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(eventually([&] { return fs::exists(from); }));
    const files::MoveRequest request{.from = from, .to = scratch_ / "root/to", .overwrite = true};
    EXPECT_FALSE(move_file(request, scratch_ / "home", {scratch_ / "state"}));
  }
  over = true;
  somebody.join();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  int there = 0;
  for (const auto& item : fs::directory_iterator(scratch_ / "root")) {
    const std::string name = item.path().filename().string();
    there += name == "from" || name.starts_with(kAsidePrefix) ? 1 : 0;
  }
  EXPECT_EQ(there, made) << "one was overwritten";
  EXPECT_EQ(scratch_.read("root/to"), "to");
}

}  // namespace
}  // namespace yonder::tree
