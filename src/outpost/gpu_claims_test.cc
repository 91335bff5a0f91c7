#include "outpost/gpu_claims.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/id.h"
#include "base/scratch_test.h"
#include "outpost/lease_place.h"
#include "outpost/machine.h"
#include "outpost/processes.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GpuClaims : public ::testing::Test {
 protected:
  void SetUp() override {
    auto place = open_lease_place(directory_);
    ASSERT_TRUE(place) << place.error().message;
    place_ = *std::move(place);
  }

  wire::GpuClaim claim(std::vector<wire::GivenGpu> held = {}) const {
    return {.run_id = new_run_id().str(),
            .gpus = 1,
            .suitable = {"GPU-a"},
            .held = std::move(held),
            .since_ms = 1,
            .boot_id = read_boot_id(),
            .pid_ns = read_pid_namespace()};
  }
  std::vector<SeenClaim> live() const {
    auto claims = live_claims(place_);
    EXPECT_TRUE(claims) << claims.error().message;
    return claims ? *claims : std::vector<SeenClaim>{};
  }
  OwnClaim enter(const wire::GpuClaim& claim) const { return *OwnClaim::enter(place_, claim); }

  testing::Scratch scratch_;
  std::string directory_ = scratch_ / "gpus";
  Fd place_;
};

TEST_F(GpuClaims, ComeInTheOrderOfTheirNumbers) {
  const OwnClaim first = enter(claim());
  const OwnClaim second = enter(claim({{.index = 0, .uuid = "GPU-a"}}));
  EXPECT_LT(first.number(), second.number());
  const auto seen = live();
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_TRUE(seen[0].waits());
  EXPECT_FALSE(seen[1].waits());
  EXPECT_EQ(seen[1].owner, ::geteuid());
}

TEST_F(GpuClaims, OfADeadHolderAreVoidAtOnce) {
  const pid_t holder = ::fork();
  if (holder == 0) {
    const OwnClaim own = enter(claim({{.uuid = "GPU-a"}}));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(holder, &status, 0), holder);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(live(), IsEmpty());
  remove_dead_claims(place_);
  const OwnClaim next = enter(claim());
  EXPECT_EQ(next.number(), 1U) << "the dead one's file is gone";
}

TEST_F(GpuClaims, CountAsLongAsTheCommandLivesWhoseSupervisorWasKilled) {
  const pid_t command = ::fork();
  if (command == 0) {
    ::pause();
    ::_exit(0);
  }
  auto left = claim({{.uuid = "GPU-a"}});
  left.command = *key_of(command);
  { const OwnClaim own = enter(left); }
  EXPECT_THAT(live(), SizeIs(1));
  remove_dead_claims(place_);
  EXPECT_THAT(live(), SizeIs(1));
  ::kill(command, SIGKILL);
  ::waitpid(command, nullptr, 0);
  EXPECT_THAT(live(), IsEmpty());
}

TEST_F(GpuClaims, OfAnotherBootDoNotCountForAProcessOfTheSameNumber) {
  auto left = claim({{.uuid = "GPU-a"}});
  left.command = *key_of(::getpid());
  left.boot_id = "another";
  { const OwnClaim own = enter(left); }
  EXPECT_THAT(live(), IsEmpty());
}

TEST_F(GpuClaims, AreNotBelievedWhenTheyAreNoPlainFiles) {
  const std::string name = directory_ + "/claim.0000000000000001." + new_run_id().str();
  ASSERT_EQ(::mkfifo(name.c_str(), 0666), 0);
  const std::string link = directory_ + "/claim.0000000000000002." + new_run_id().str();
  ASSERT_EQ(::symlink("/dev/zero", link.c_str()), 0);
  ASSERT_EQ(::mkdir((directory_ + "/claim.0000000000000003." + new_run_id().str()).c_str(), 0755),
            0);
  EXPECT_THAT(live(), IsEmpty());
  EXPECT_EQ(enter(claim()).number(), 1U);
}

TEST_F(GpuClaims, ThatCannotBeReadButAreHeldSaySo) {
  const OwnClaim own = enter(claim());
  const auto seen = live();
  ASSERT_THAT(seen, SizeIs(1));
  const std::string path = directory_ + "/claim.0000000000000001." + seen.front().claim.run_id;
  const auto file = open_file(path, O_WRONLY | O_TRUNC);
  ASSERT_TRUE(file);
  const auto claims = live_claims(place_);
  ASSERT_FALSE(claims);
  EXPECT_THAT(claims.error().message, HasSubstr("cannot be read"));
}

TEST_F(GpuClaims, ArePubliclyReadableAndNothingMore) {
  const auto wanted = claim();
  const OwnClaim own = enter(wanted);
  struct stat info {};
  ASSERT_EQ(::stat((directory_ + "/claim.0000000000000001." + wanted.run_id).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0644U);
}

TEST_F(GpuClaims, RemoveLeavesNothing) {
  OwnClaim own = enter(claim());
  own.remove(place_);
  EXPECT_THAT(live(), IsEmpty());
  EXPECT_EQ(enter(claim()).number(), 1U);
}

TEST(LeasePlace, IsLikeTheDirectoryForTemporaryFiles) {
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  const mode_t before = ::umask(0077);
  const auto place = open_lease_place(path);
  ::umask(before);
  ASSERT_TRUE(place) << place.error().message;
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 01777U);
}

TEST(LeasePlace, IsNeverASymlinkOrAFile) {
  const testing::Scratch scratch;
  ASSERT_EQ(::symlink("/tmp", (scratch / "link").c_str()), 0);
  EXPECT_FALSE(open_lease_place(scratch / "link"));
  ASSERT_TRUE(open_file(scratch / "file", O_WRONLY | O_CREAT));
  const auto file = open_lease_place(scratch / "file");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().hint, HasSubstr("1777"));
}

TEST(LeasePlace, OfSomebodyElseThatIsClosedIsRefusedWithItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a directory away";
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  ASSERT_EQ(::mkdir(path.c_str(), 0755), 0);
  ASSERT_EQ(::chown(path.c_str(), 7, 7), 0);
  const auto place = open_lease_place(path);
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().message, HasSubstr("belongs to"));
}

TEST(LeasePlace, HasALockThatOnlyOneHoldsToChange) {
  const testing::Scratch scratch;
  const auto place = open_lease_place(scratch / "gpus");
  ASSERT_TRUE(place);
  const auto now = Deadline::after(Duration::zero());
  {
    const auto one = lock_leases(*place, LeaseLock::ToChange, now);
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_FALSE(lock_leases(*place, LeaseLock::ToChange, now));
    EXPECT_FALSE(lock_leases(*place, LeaseLock::ToLook, now));
  }
  const auto look = lock_leases(*place, LeaseLock::ToLook, now);
  EXPECT_TRUE(look);
  EXPECT_TRUE(lock_leases(*place, LeaseLock::ToLook, now));
}

TEST(LeasePlace, NoticesALockFileThatWasReplaced) {
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  const auto place = open_lease_place(path);
  ASSERT_TRUE(place);
  const auto soon = Deadline::after(std::chrono::seconds(5));
  const auto old = lock_leases(*place, LeaseLock::ToChange, soon);
  ASSERT_TRUE(old);
  ASSERT_EQ(::unlink((path + "/lock").c_str()), 0);
  EXPECT_TRUE(lock_leases(*place, LeaseLock::ToChange, soon));
}

}  // namespace
}  // namespace yonder::outpost
