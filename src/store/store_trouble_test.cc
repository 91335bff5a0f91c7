// Disks and files that are not as they should be.

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/patience_test.h"
#include "base/text.h"
#include "store/store.h"
#include "store/store_fixture_test.h"

namespace yonder::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using yonder::testing::Scratch;
using yonder::testing::with_private_mounts;

TEST(StoreTrouble, WithoutItsDirectoryIsAnErrorUntilTheDirectoryIsThere) {
  const Scratch scratch;
  const std::string path = scratch / "state/yonder.db";
  Store store(path);
  const auto refused = store.remember(note_of(run_number(1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Config);
  EXPECT_EQ(refused.error().message, concat("cannot write ", path, ": No such file or directory"));
  EXPECT_THAT(refused.error().hint, HasSubstr("XDG_STATE_HOME"));
  std::filesystem::create_directory(scratch / "state");
  EXPECT_TRUE(store.remember(note_of(run_number(1))));
}

TEST(StoreTrouble, WithAFileThatIsNoDatabaseSaysHowToRecover) {
  const Scratch scratch;
  const std::string path = scratch.write("yonder.db", std::string(5000, 'x'));
  Store store(path);
  const auto refused = store.runs({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Config);
  EXPECT_EQ(refused.error().message, path + " is not a database");
  EXPECT_THAT(refused.error().hint, HasSubstr(concat("mv ", path, " ", path, ".broken")));
  EXPECT_THAT(refused.error().hint, HasSubstr("yonder ps --scan"));
  EXPECT_EQ(scratch.read("yonder.db"), std::string(5000, 'x'));

  std::filesystem::rename(path, path + ".broken");
  EXPECT_TRUE(store.remember(note_of(run_number(1))));
}

TEST(StoreTrouble, WithADirectoryInPlaceOfTheFileIsAnError) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "yonder.db");
  const auto refused = Store(scratch / "yonder.db").runs({});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(scratch / "yonder.db"));
}

TEST(StoreTrouble, WithADamagedFileSaysHowToRecover) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  {
    Store store(path);
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(store.remember(note_of(run_number(i))));
  }
  std::string content = scratch.read("yonder.db");
  std::fill(content.begin() + 4096, content.end(), '\xee');
  scratch.write("yonder.db", content);
  Store store(path);
  const auto refused = store.runs({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, path + " is damaged");
  EXPECT_THAT(refused.error().hint, HasSubstr("yonder ps --scan"));

  std::filesystem::rename(path, path + ".broken");
  EXPECT_TRUE(store.remember(note_of(run_number(1))));
  EXPECT_THAT(ids_of(store.runs({})), ElementsAre(run_number(1).str()));
}

TEST(StoreTrouble, WithAFileThatIsHeldKeepsACallerWaitingOnce) {
  const testing::Scratch scratch;
  const std::string path = scratch / "state.db";
  Store store(path);
  ASSERT_TRUE(store.remember(note_of(run_number(1))));
  SQLite::Database other = raw(path);
  other.exec("BEGIN IMMEDIATE");
  // Four waits in a row would take twice as long, on any machine.
  const auto four_take_time_of_two = [&] {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) {
      const auto noted = store.remember(note_of(run_number(2)));
      EXPECT_TRUE(!noted && noted.error().code == Errc::Timeout);
    }
    return std::chrono::steady_clock::now() - began < std::chrono::milliseconds(3400);
  };
  const Deadline deadline = testing::patience();
  bool once = false;
  while (!once && !deadline.expired()) once = four_take_time_of_two();
  EXPECT_TRUE(once);
  other.exec("ROLLBACK");
  EXPECT_TRUE(store.remember(note_of(run_number(2))));
}

TEST(StoreTrouble, WithAFileThatWasMovedAwayBeginsANewOne) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  Store store(path);
  ASSERT_TRUE(store.remember(note_of(run_number(1))));
  std::filesystem::rename(path, path + ".broken");
  ASSERT_TRUE(Store(path).remember(note_of(run_number(2))));
  ASSERT_TRUE(store.remember(note_of(run_number(3))));
  EXPECT_EQ(ids_of(Store(path).runs({})).size(), 2U);
  EXPECT_THAT(ids_of(store.runs({.limit = 1})), ElementsAre(run_number(3).str()));
}

constexpr uid_t kNobody = 65534;

// As somebody who is not root: root may write everything.
std::string without_privileges(const std::function<std::string()>& body) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return "pipe2";
  const pid_t child = in_child([&] {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 1;
    const std::string problem = body();
    return ::write(pipe[1], problem.data(), problem.size()) < 0 ? 1 : 0;
  });
  ::close(pipe[1]);
  std::array<char, 4096> buffer{};
  const ssize_t n = ::read(pipe[0], buffer.data(), buffer.size());
  ::close(pipe[0]);
  if (finish(child) != 0) return "the process ended badly";
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

std::string message_of(const Result<void>& result) {
  return result ? "done" : result.error().message;
}

class ReadOnlyFile : public ::testing::Test {
 protected:
  Scratch scratch_;
  const std::string path_ = scratch_ / "yonder.db";

  void SetUp() override {
    const uid_t owner = ::geteuid() == 0 ? kNobody : ::geteuid();
    ASSERT_EQ(::chown(scratch_.path().c_str(), owner, static_cast<gid_t>(-1)), 0);
    ASSERT_EQ(without_privileges(
                  [&] { return message_of(Store(path_).remember(note_of(run_number(1)))); }),
              "done");
  }
};

TEST_F(ReadOnlyFile, IsStillReadButNotWritten) {
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  EXPECT_EQ(without_privileges([&] { return join(ids_of(Store(path_).runs({})), " "); }),
            run_number(1).str());
  EXPECT_EQ(
      without_privileges([&] { return message_of(Store(path_).remember(note_of(run_number(2)))); }),
      concat("cannot write ", path_, ": it is read-only"));
}

TEST_F(ReadOnlyFile, InAReadOnlyDirectoryIsAClearError) {
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0500), 0);
  EXPECT_EQ(
      without_privileges([&] { return message_of(Store(path_).remember(note_of(run_number(2)))); }),
      concat("cannot write ", path_, ": it is read-only"));
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0700), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_EQ(without_privileges([&] { return join(ids_of(Store(path_).runs({})), " "); }),
            run_number(1).str());
}

std::string on_a_read_only_disk(const std::string& directory) {
  const std::string path = directory + "/yonder.db";
  if (!yonder::testing::mount_tmpfs(directory, "size=1m")) return "cannot mount";
  if (!Store(path).remember(note_of(run_number(1)))) return "cannot begin";
  const auto remount = [&](unsigned long flags) {
    return ::mount("tmpfs", directory.c_str(), "tmpfs", MS_REMOUNT | flags, "size=1m") == 0;
  };
  if (!remount(MS_RDONLY)) return "cannot make it read-only";
  Store store(path);
  const auto refused = store.remember(note_of(run_number(2)));
  if (refused) return "wrote to a read-only disk";
  if (refused.error().code != Errc::Config) return "wrong code: " + refused.error().message;
  if (!refused.error().message.starts_with("cannot write " + path)) return refused.error().message;
  if (!remount(0)) return "cannot make it writable";
  if (!store.remember(note_of(run_number(3)))) return "does not recover";
  return store.runs({})->size() == 2 ? "" : "lost or kept a wrong note";
}

TEST(StoreTrouble, OnAReadOnlyDiskIsAClearErrorAndLosesNothing) {
  const Scratch scratch;
  const auto problem = with_private_mounts([&] { return on_a_read_only_disk(scratch.path()); });
  EXPECT_EQ(problem, "");
}

// The numbers of the runs that were acknowledged before the disk was full.
Result<int> fill(Store& store) {
  for (int number = 0; number < 5000; ++number) {
    RunNote note = note_of(run_number(number));
    note.command = std::string(200, 'c');
    auto written = store.remember(note);
    if (written) continue;
    if (written.error().message.find("no space left for") == 0) return number;
    return std::move(written).error();
  }
  return Error{Errc::Internal, "the disk never became full", ""};
}

std::string check_notes(Store& store, int acknowledged) {
  for (int number = 0; number < acknowledged; ++number) {
    const auto note = store.find(run_number(number));
    if (!note) return note.error().message;
    if (!note->has_value()) return concat("lost note ", number, " of ", acknowledged);
  }
  return "";
}

std::string on_a_full_disk(const std::string& directory) {
  const std::string path = directory + "/yonder.db";
  const std::string ballast = directory + "/ballast";
  if (!yonder::testing::mount_tmpfs(directory, "size=600k")) return "cannot mount";
  std::ofstream(ballast) << std::string(std::size_t{100} * 1024, 'b');
  Store store(path);
  const auto acknowledged = fill(store);
  if (!acknowledged) return acknowledged.error().message;
  if (*acknowledged == 0) return "not a single note fitted";
  if (auto problem = check_notes(store, *acknowledged); !problem.empty()) return problem;
  // Another process finds the same, although there is no space.
  Store other(path);
  if (auto problem = check_notes(other, *acknowledged); !problem.empty()) return problem;
  std::filesystem::remove(ballast);
  const auto again = store.remember(note_of(run_number(*acknowledged)));
  if (!again) return "does not recover: " + again.error().message;
  if (auto problem = check_notes(other, *acknowledged + 1); !problem.empty()) return problem;
  return answer(path, "PRAGMA integrity_check") == "ok\n" ? "" : "damaged";
}

TEST(StoreTrouble, OnAFullDiskIsAClearErrorAndLosesNothing) {
  const Scratch scratch;
  const auto problem = with_private_mounts([&] { return on_a_full_disk(scratch.path()); });
  EXPECT_EQ(problem, "");
}

std::string created_on_a_full_disk(const std::string& directory) {
  const std::string path = directory + "/yonder.db";
  if (!yonder::testing::mount_tmpfs(directory, "size=64k")) return "cannot mount";
  std::ofstream(directory + "/ballast") << std::string(std::size_t{100} * 1024, 'b');
  Store store(path);
  const auto refused = store.remember(note_of(run_number(1)));
  if (refused) return "wrote to a full disk";
  if (!refused.error().message.starts_with("no space left for")) return refused.error().message;
  std::filesystem::remove(directory + "/ballast");
  if (!yonder::testing::mount_tmpfs(directory, "size=1m")) return "cannot mount again";
  const auto written = store.remember(note_of(run_number(1)));
  return written ? "" : "does not recover: " + written.error().message;
}

TEST(StoreTrouble, OnADiskThatWasFullFromTheBeginningIsAClearError) {
  const Scratch scratch;
  const auto problem = with_private_mounts([&] { return created_on_a_full_disk(scratch.path()); });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace yonder::store
