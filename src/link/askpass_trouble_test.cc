#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/file.h"
#include "link/askpass_broker.h"
#include "link/askpass_hop.h"
#include "link/askpass_session.h"
#include "link/askpass_socket.h"
#include "link/askpass_testing.h"

// What goes wrong around the broker: stalled and broken clients, many at once, sudden ends, and
// places that are not private.
namespace yonder::link {
namespace {

using askpass_testing::answered;
using askpass_testing::ask;
using askpass_testing::box;
using askpass_testing::box_with_password;
using askpass_testing::end_of;
using askpass_testing::kPasswordPrompt;
using askpass_testing::kRefused;
using askpass_testing::kSoon;
using askpass_testing::Refusals;
using askpass_testing::ScriptedPerson;
using askpass_testing::start_helper;

using State = ScriptedPerson::State;

class AskpassTroubleTest : public askpass_testing::BrokerTest {
 protected:
  static Errc open_error(const std::string& directory) {
    const auto broker = AskpassBroker::open(directory, "/p", nullptr);
    return broker ? Errc::Internal : broker.error().code;
  }
};

TEST_F(AskpassTroubleTest, ServesOthersWhileAClientStallsAndThenDropsIt) {
  {
    const auto broker = open(nullptr, {.request_limit = std::chrono::hours(1)});
    const auto attempt = broker->begin(box_with_password(), refusals_.counter());
    const auto stalled = connect_to(socket_of(*attempt));
    ASSERT_TRUE(stalled);
    EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
  }
  const auto broker = open(nullptr, {.request_limit = std::chrono::milliseconds(100)});
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  const auto silent = connect_to(socket_of(*attempt));
  const auto slow = connect_to(socket_of(*attempt));
  ASSERT_TRUE(silent && slow);
  [[maybe_unused]] const auto sent =  // unless it was dropped already
      send_all(*slow, std::string_view("\0\0", 2), Deadline::never());
  for (const auto* client : {&silent, &slow}) {
    const auto reply = receive_up_to(**client, 1, Deadline::after(kSoon));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(*reply, "");
  }
}

TEST_F(AskpassTroubleTest, DropsRequestsThatAreTooLongOrMakeNoSense) {
  const auto broker = open();
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  for (const std::string_view bytes :
       {std::string_view("\xff\xff\xff\xff", 4), std::string_view("\0\0\x40\x01", 4),
        std::string_view("\0\0\0\x03one", 7), std::string_view("\0\0\0\0", 4)}) {
    const auto client = connect_to(socket_of(*attempt));
    ASSERT_TRUE(client);
    ASSERT_TRUE(send_all(*client, bytes, Deadline::never()));
    const auto reply = receive_up_to(*client, 1, Deadline::after(kSoon));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(*reply, "");
  }
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
}

TEST_F(AskpassTroubleTest, AnswersFromTheSettingsWhilePeopleThink) {
  ScriptedPerson person;
  const auto broker = open(&person);
  std::vector<std::unique_ptr<AskpassBroker::Attempt>> thinking;
  std::vector<Result<Subprocess>> helpers;
  for (std::size_t i = 0; i < kMaxWaitingForPeople; ++i) {
    thinking.push_back(broker->begin(box(), refusals_.counter()));
    helpers.push_back(start_helper(thinking.back()->environment(), kPasswordPrompt));
    ASSERT_TRUE(person.wait_until([&](const State& state) { return state.asked.size() == i + 1; }));
  }
  Refusals one_too_many;
  const auto last = broker->begin(box(), one_too_many.counter());
  EXPECT_EQ(ask(*last, kPasswordPrompt), kRefused);
  EXPECT_EQ(one_too_many.count(), 1);

  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));

  thinking.clear();
  for (auto& helper : helpers) EXPECT_EQ(end_of(std::move(helper)), kRefused);
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassTroubleTest, LetsClientsWaitWhenThereAreTooMany) {
  const auto broker = open(nullptr, {.request_limit = std::chrono::milliseconds(300)});
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  std::vector<Result<Fd>> silent;
  silent.reserve(kMaxSessions + 3);
  for (int i = 0; i < kMaxSessions + 3; ++i) silent.push_back(connect_to(socket_of(*attempt)));
  // One that is itself too slow for the limit is dropped, and asks again.
  EXPECT_TRUE(
      testing::eventually([&] { return ask(*attempt, kPasswordPrompt) == answered("sesame"); }));
}

TEST_F(AskpassTroubleTest, RefusesWhatIsBeingAskedWhenTheAttemptEnds) {
  ScriptedPerson person;
  const auto broker = open(&person);
  auto attempt = broker->begin(box(), refusals_.counter());
  auto helper = start_helper(attempt->environment(), kPasswordPrompt);
  ASSERT_TRUE(person.wait_until([](const State& state) { return state.asked.size() == 1; }));
  attempt.reset();
  EXPECT_EQ(end_of(std::move(helper)), kRefused);
  EXPECT_TRUE(person.wait_until([](const State& state) { return state.given_up == 1; }));
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassTroubleTest, RefusesWhenThePersonTakesTooLong) {
  ScriptedPerson person;
  const auto broker = open(&person, {.person_limit = std::chrono::milliseconds(10)});
  const auto attempt = broker->begin(box(), refusals_.counter());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), kRefused);
  EXPECT_EQ(refusals_.count(), 1);
}

TEST_F(AskpassTroubleTest, EndsWithoutWaitingForPeopleOrCommands) {
  ScriptedPerson person;
  auto broker = open(&person);
  const auto asking = broker->begin(box(), refusals_.counter());
  SandboxSpec slow = box();
  const std::string started = directory_ / "started";
  ASSERT_EQ(::mkfifo(started.c_str(), 0600), 0);
  slow.password_command = "echo > " + started + "; sleep 1000 & sleep 1000";
  const auto running = broker->begin(slow, refusals_.counter());
  auto asker = start_helper(asking->environment(), kPasswordPrompt);
  auto runner = start_helper(running->environment(), kPasswordPrompt);
  const auto stalled = connect_to(socket_of(*asking));
  ASSERT_TRUE(person.wait_until([](const State& state) { return state.asked.size() == 1; }));
  ASSERT_TRUE(open_file(started, O_RDONLY));  // blocks until the command writes

  broker.reset();  // though no answer comes, and the command takes longer than this test may
  EXPECT_EQ(end_of(std::move(asker)), kRefused);
  EXPECT_EQ(end_of(std::move(runner)), kRefused);
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassTroubleTest, DoesNotGiveThePasswordToAnSshBelowOurs) {
  const auto broker = open();
  const auto ask_below = [&](const std::string& line) {
    const auto attempt = broker->begin(box_with_password(), refusals_.counter());
    auto environment = attempt->environment();
    environment.emplace_back("PATH=/usr/bin:/bin");
    return end_of(Subprocess::spawn(
        {.argv = {"sh", "-c", line, askpass_testing::this_program()}, .environment = environment}));
  };
  EXPECT_EQ(ask_below("\"$0\" \"a@h's password: \"; exit $?"), answered("sesame"));
  EXPECT_EQ(ask_below("sh -c '\"$0\" \"a@h'\\''s password: \"; exit $?' \"$0\"; exit $?"),
            kRefused);
}

TEST_F(AskpassTroubleTest, KeepsItsSocketPrivateAndRemovesItAtTheEnd) {
  auto broker = open();
  const auto attempt = broker->begin(box(), refusals_.counter());
  struct stat info {};
  ASSERT_EQ(::stat(sockets().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0700U);
  EXPECT_TRUE(std::filesystem::exists(socket_of(*attempt)));
  broker.reset();
  EXPECT_FALSE(std::filesystem::exists(socket_of(*attempt)));
}

TEST_F(AskpassTroubleTest, RefusesADirectoryThatIsNotItsOwn) {
  std::filesystem::create_directory(directory_ / "real");
  ::chmod((directory_ / "real").c_str(), 0700);
  std::filesystem::create_directory_symlink(directory_ / "real", directory_ / "link");
  EXPECT_EQ(open_error(directory_ / "link"), Errc::Config);
  std::filesystem::create_directory(directory_ / "open");
  ::chmod((directory_ / "open").c_str(), 0750);
  EXPECT_EQ(open_error(directory_ / "open"), Errc::Config);
  std::filesystem::create_directory(directory_ / "theirs");
  ::chmod((directory_ / "theirs").c_str(), 0700);
  if (::chown((directory_ / "theirs").c_str(), 12345, 12345) == 0) {
    EXPECT_EQ(open_error(directory_ / "theirs"), Errc::Config);
  }
}

TEST_F(AskpassTroubleTest, SaysThatAPathIsTooLongForASocket) {
  const auto broker = AskpassBroker::open(directory_ / std::string(120, 'x'), "/p", nullptr);
  ASSERT_FALSE(broker);
  EXPECT_EQ(broker.error().code, Errc::Config);
  EXPECT_NE(broker.error().message.find("the system allows 107"), std::string::npos);
}

}  // namespace
}  // namespace yonder::link
