#include "outpost/gpu_claims.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/id.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "base/user_name.h"
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

TEST_F(GpuClaims, AreNotMadeVoidByAnotherNameForTheirFile) {
  const auto wanted = claim({{.uuid = "GPU-a"}});
  const OwnClaim own = enter(wanted);
  const std::string path = directory_ + "/" + own.name();
  ASSERT_EQ(::link(path.c_str(), (scratch_ / "elsewhere").c_str()), 0);
  EXPECT_THAT(live(), SizeIs(1));
  ASSERT_EQ(::link(path.c_str(), (directory_ + "/claim.0000000000000000." + wanted.run_id).c_str()),
            0);
  EXPECT_THAT(live(), SizeIs(1)) << "it is still one claim";
}

TEST_F(GpuClaims, ThatCannotBeOpenedNowAreNotTakenForFree) {
  const OwnClaim own = enter(claim({{.uuid = "GPU-a"}}));
  // Whoever opens a file with such a lease has to wait until it is given back.
  const auto before = ::signal(SIGIO, SIG_IGN);
  ASSERT_EQ(::fcntl(own.file().get(), F_SETLEASE, F_WRLCK), 0);
  const auto claims = live_claims(place_);
  EXPECT_EQ(::fcntl(own.file().get(), F_SETLEASE, F_UNLCK), 0);
  ::signal(SIGIO, before);
  ASSERT_FALSE(claims);
  EXPECT_THAT(claims.error().message, HasSubstr("a GPU lease of " + user_name(::geteuid())));
  EXPECT_THAT(live(), SizeIs(1));
}

TEST_F(GpuClaims, OfTheDeadCannotBeKeptAliveByOthers) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  ::chmod(scratch_.path().c_str(), 0755);
  const auto left = claim({{.uuid = "GPU-a"}});
  std::string name;
  {
    const OwnClaim own = enter(left);
    name = directory_ + "/" + own.name();
  }
  const auto done = make_pipe();
  ASSERT_TRUE(done);
  const pid_t other = ::fork();
  if (other == 0) {
    const bool became = ::setgid(65534) == 0 && ::setuid(65534) == 0;
    const Fd file(::open(name.c_str(), O_RDONLY));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    const bool refused = ::fcntl(file.get(), F_OFD_SETLK, &lock) != 0;
    lock.l_type = F_RDLCK;
    const bool locked =
        ::flock(file.get(), LOCK_EX) == 0 && ::fcntl(file.get(), F_OFD_SETLK, &lock) == 0;
    const char said = became && file && refused && locked ? 'y' : 'n';
    [[maybe_unused]] const auto n = ::write(done->write.get(), &said, 1);
    ::pause();
  }
  char said = 0;
  ASSERT_EQ(::read(done->read.get(), &said, 1), 1);
  EXPECT_EQ(said, 'y');
  EXPECT_THAT(live(), IsEmpty());
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_F(GpuClaims, OfACommandInAnotherPidNamespaceCountAndAreLeftAlone) {
  auto left = claim({{.uuid = "GPU-a"}});
  left.command = {.pid = 4000000, .start_time = 1};
  left.pid_ns = "pid:[1]";
  { const OwnClaim own = enter(left); }
  EXPECT_THAT(live(), SizeIs(1));
  remove_dead_claims(place_);
  EXPECT_THAT(live(), SizeIs(1));
}

TEST_F(GpuClaims, AreNotDrownedInFilesThatCountForNothing) {
  const OwnClaim own = enter(claim());
  for (int i = 0; i < 5000; ++i) {
    scratch_.write("gpus/claim.0000000000000007." + new_run_id().str(), "");
  }
  EXPECT_THAT(live(), SizeIs(1));
  remove_dead_claims(place_);
  const auto left = std::filesystem::directory_iterator(directory_);
  EXPECT_EQ(std::distance(begin(left), end(left)), 1);
}

TEST_F(GpuClaims, SayWhoHasMadeTooManyFiles) {
  for (int i = 0; i < 32769; ++i) {
    const Fd file(
        ::openat(place_.get(), concat("claim.", i).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
    ASSERT_TRUE(file);
  }
  const auto claims = live_claims(place_);
  ASSERT_FALSE(claims);
  EXPECT_THAT(claims.error().message, HasSubstr("most of them by " + user_name(::geteuid())));
}

TEST_F(GpuClaims, CanComeAfterOneThatTookTheLastNumber) {
  const auto greedy = claim();
  OwnClaim own = enter(greedy);
  ASSERT_EQ(::rename((directory_ + "/" + own.name()).c_str(),
                     (directory_ + "/claim.9999999999999999." + greedy.run_id).c_str()),
            0);
  EXPECT_THAT(live(), SizeIs(1));
  const OwnClaim next = enter(claim());
  EXPECT_EQ(next.number(), 1U);
  EXPECT_EQ(enter(claim()).number(), 2U);
}

TEST_F(GpuClaims, ThatWereClearedAwayComeBackWithTheirNumberIfItIsFree) {
  const OwnClaim first = enter(claim());
  const auto wanted = claim();
  const OwnClaim own = enter(wanted);
  EXPECT_TRUE(own.is_in(place_));
  ASSERT_EQ(::unlink((directory_ + "/" + own.name()).c_str()), 0);
  EXPECT_FALSE(own.is_in(place_));
  {
    const auto again = OwnClaim::enter(place_, wanted, own.number());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->number(), own.number());
    EXPECT_FALSE(own.is_in(place_));
    ASSERT_EQ(::unlink((directory_ + "/" + again->name()).c_str()), 0);
  }
  const OwnClaim other = enter(claim());
  EXPECT_EQ(other.number(), own.number());
  EXPECT_EQ(OwnClaim::enter(place_, wanted, own.number())->number(), own.number() + 1);
  auto held = wanted;
  held.held = {{.uuid = "GPU-a"}};
  EXPECT_EQ(OwnClaim::enter(place_, held, own.number())->number(), own.number());
}

TEST_F(GpuClaims, ThatWereNeverFinishedAreRemovedByTheirUser) {
  scratch_.write("gpus/new.17." + new_run_id().str(), "half");
  remove_dead_claims(place_);
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

}  // namespace
}  // namespace yonder::outpost
