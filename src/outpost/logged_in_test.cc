#include "outpost/logged_in.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utmpx.h>

#include <cstring>

#include "base/scratch_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string record(short type, const std::string& user, pid_t pid) {
  utmpx entry{};
  entry.ut_type = type;
  entry.ut_pid = pid;
  entry.ut_tv.tv_sec = 1000;
  std::memcpy(entry.ut_user, user.data(), std::min(user.size(), sizeof entry.ut_user));
  std::memcpy(entry.ut_line, "pts/3", 5);
  std::memcpy(entry.ut_host, "10.0.0.7", 8);
  return {reinterpret_cast<const char*>(&entry), sizeof entry};
}

bool everybody_lives(pid_t /*pid*/) {
  return true;
}

TEST(LoggedIn, ArePeopleOnly) {
  const auto users = parse_utmp(record(BOOT_TIME, "reboot", 0) + record(USER_PROCESS, "anna", 5) +
                                    record(DEAD_PROCESS, "anna", 6) +
                                    record(LOGIN_PROCESS, "LOGIN", 7) + record(USER_PROCESS, "", 8),
                                everybody_lives);
  ASSERT_EQ(users.size(), 1U);
  EXPECT_EQ(users[0].user, "anna");
  EXPECT_EQ(users[0].terminal, "pts/3");
  EXPECT_EQ(users[0].from, "10.0.0.7");
  EXPECT_EQ(users[0].since_ms, 1000000);
}

TEST(LoggedIn, ARecordMayFillItsFieldAndHoldAnything) {
  const std::string longest(sizeof(utmpx{}.ut_user), 'u');
  const auto users = parse_utmp(
      record(USER_PROCESS, longest, 1) + record(USER_PROCESS, "a\x1b[1m", 1) + "half a record",
      everybody_lives);
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[0].user, longest);
  EXPECT_EQ(users[1].user, "a\\x1b[1m");
}

TEST(LoggedIn, WhoseProcessIsGoneIsNot) {
  const testing::Scratch scratch;
  constexpr pid_t kNobody = 2000000000;
  const auto file = scratch.write(
      "utmp", record(USER_PROCESS, "gone", kNobody) + record(USER_PROCESS, "here", ::getpid()));
  const auto users = logged_in_users({scratch / "none", file}, "");
  ASSERT_TRUE(users);
  ASSERT_EQ((*users).size(), 1U);
  EXPECT_EQ((*users)[0].user, "here");
}

TEST(LoggedIn, IsKnownFromTheSessionsWhereThereIsNoUtmp) {
  const testing::Scratch scratch;
  scratch.write("sessions/3",
                "# private\nUID=1000\nUSER=bob\nSTATE=active\nCLASS=user\nREMOTE_HOST=10.0.0.7\n"
                "TTY=pts/0\nREALTIME=1731745000123456\n");
  scratch.write("sessions/4", "USER=gdm\nSTATE=active\nCLASS=greeter\n");
  scratch.write("sessions/5", "USER=eve\nSTATE=closing\nCLASS=user\n");
  scratch.write("sessions/6", "USER=al\x1b\nSTATE=online\nCLASS=user\n");
  ASSERT_EQ(::mkfifo((scratch / "sessions/3.ref").c_str(), 0600), 0);
  const auto users = logged_in_users({scratch / "none"}, scratch / "sessions");
  ASSERT_TRUE(users) << users.why;
  ASSERT_EQ((*users).size(), 2U);
  EXPECT_EQ((*users)[0].user, "al\\x1b");
  EXPECT_EQ((*users)[1].user, "bob");
  EXPECT_EQ((*users)[1].terminal, "pts/0");
  EXPECT_EQ((*users)[1].from, "10.0.0.7");
  EXPECT_EQ((*users)[1].since_ms, 1731745000123);
}

TEST(LoggedIn, IsNotKnownWhereNoListIsKept) {
  const testing::Scratch scratch;
  const auto users = logged_in_users({scratch / "a", scratch / "b"}, scratch / "c");
  EXPECT_FALSE(users);
  EXPECT_THAT(users.why, HasSubstr("keeps no list"));
  const auto empty = logged_in_users({scratch.write("utmp", "")}, "");
  ASSERT_TRUE(empty);
  EXPECT_THAT(*empty, IsEmpty());
}

}  // namespace
}  // namespace yonder::outpost
