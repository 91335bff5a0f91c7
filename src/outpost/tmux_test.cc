#include "outpost/tmux.h"

#include <gmock/gmock.h>

#include "outpost/background_fixture_test.h"
#include "outpost/serve_client_test.h"
#include "outpost/tmux_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(TmuxNames, HoldNothingThatTmuxUnderstandsOtherwise) {
  EXPECT_EQ(tmux_name("train-1_a"), "train-1_a");
  EXPECT_EQ(tmux_name(" run.1: a b\tc "), "run_1__a_b_c");
  EXPECT_EQ(tmux_name("#(touch /tmp/x)=$1@{}%"), "__touch__tmp_x___1____");
  EXPECT_EQ(tmux_name("läuft"), "läuft");
}

class Tmux : public BackgroundOf<TmuxTest> {
 protected:
  wire::StartRequest shown(const std::string& name, const std::string& command) const {
    auto wanted = in_background(command);
    wanted.session = name;
    wanted.tmux = true;
    return wanted;
  }
  std::string session_of(const RunRecord& record) const {
    EXPECT_TRUE(testing::eventually([&] { return path_exists(record.path("tmux")); }))
        << text_of(record, "tmux.problem");
    return facts_of(record).label->tmux_session;
  }
};

TEST_F(Tmux, ShowsTheLogOfARunInASessionOfItsName) {
  const auto record = start(shown("run.1: a", "echo hello; " + until("go")));
  EXPECT_EQ(session_of(record), "run_1__a");
  EXPECT_THAT(sessions(), ElementsAre("run_1__a"));
  EXPECT_TRUE(testing::eventually([&] {
    return screen_of("run_1__a").find("hello") != std::string::npos;
  })) << screen_of("run_1__a");
  EXPECT_THAT(screen_of("run_1__a"), HasSubstr(record.id()));
  EXPECT_THAT(screen_of("run_1__a"), HasSubstr("Ctrl-C closes this view, the run goes on"));
  EXPECT_THAT(windows(), ElementsAre("run_1__a")) << "not after the program that shows it";
}

TEST_F(Tmux, ShowsARunAlsoWhereTmuxNeedsManySeconds) {
  const std::string path = std::getenv("PATH");
  scratch_.write("slow/tmux",
                 concat("#!/bin/sh\ncase \"$*\" in *new-session*) sleep 7;; esac\nPATH=", path,
                        " exec tmux \"$@\"\n"),
                 0755);
  ::setenv("PATH", concat(scratch_ / "slow", ":", path).c_str(), 1);
  const auto record = start(shown("train", until("go")));
  EXPECT_EQ(session_of(record), "train");
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(Tmux, EndsTheSessionWithTheRun) {
  const auto record = start(shown("train", until("go")));
  session_of(record);
  scratch_.write("go", "");
  wait_for_end(record);
  EXPECT_TRUE(testing::eventually([&] { return sessions().empty(); }));
}

TEST_F(Tmux, LetsARunGoOnWhenItsSessionIsKilled) {
  const auto record = start(shown("train", "echo begun; " + until("go") + "exit 3"));
  session_of(record);
  tmux("kill-session -t =train");
  EXPECT_THAT(sessions(), IsEmpty());
  EXPECT_TRUE(facts_of(record).command_lives);
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record).code, 3);
}

TEST_F(Tmux, LetsARunGoOnWhenTheServerIsKilled) {
  const auto record = start(shown("train", "echo begun; " + until("go") + "echo end"));
  session_of(record);
  const pid_t server = server_pid();
  ASSERT_GT(server, 0);
  ::kill(server, SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return process_gone(server); }));
  const auto facts = facts_of(record);
  EXPECT_TRUE(facts.supervisor_lives);
  EXPECT_TRUE(facts.command_lives);
  EXPECT_FALSE(facts.exit);
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(log_of(record), "begun\nend\nEXIT_CODE=0\n");
}

TEST_F(Tmux, ServerThatWasStartedForARunDoesNotBelongToIt) {
  const auto record = start(shown("train", "sleep 1000"));
  session_of(record);
  const pid_t server = server_pid();
  tmux("new-session -d -s others -- sleep 1000");
  tell(record, {.grace_ms = 2000});
  wait_for_end(record);
  EXPECT_TRUE(testing::eventually([&] { return !record.locked(); })) << "it waits for nothing";
  EXPECT_EQ(server_pid(), server);
  EXPECT_TRUE(testing::eventually([&] { return sessions().size() == 1; }));
  EXPECT_THAT(sessions(), ElementsAre("others"));
}

TEST_F(Tmux, LeavesASessionAloneThatYonderDidNotStart) {
  tmux("new-session -d -s train -- sh -c 'echo mine; exec sleep 1000'");
  const auto record = start(shown("train", "echo hello; sleep 1000"));
  EXPECT_EQ(session_of(record), "train-" + record.id().substr(2, 8));
  EXPECT_THAT(sessions(), ElementsAre("train", session_of(record)));
  EXPECT_THAT(screen_of("train"), Not(HasSubstr("hello")));
}

TEST_F(Tmux, TellsNamesApartThatLookTheSameToIt) {
  const auto first = start(shown("a.b", "sleep 1000"));
  EXPECT_EQ(session_of(first), "a_b");
  const auto second = start(shown("a:b", "sleep 1000"));
  EXPECT_EQ(session_of(second), "a_b-" + second.id().substr(2, 8));
}

TEST_F(Tmux, DoesNotTakeABeginningForTheName) {
  tmux("new-session -d -s train-2 -- sleep 1000");
  EXPECT_EQ(tmux_has("train", testing::patience()), false);
  EXPECT_EQ(tmux_has("train-2", testing::patience()), true);
  const auto record = start(shown("train", "sleep 1000"));
  EXPECT_EQ(session_of(record), "train");
}

TEST_F(Tmux, RunsNoPartOfAName) {
  const auto record =
      start(shown("#(touch " + scratch_ / "hacked" + ")'; touch hacked; '", "sleep 1000"));
  session_of(record);
  EXPECT_FALSE(path_exists(scratch_ / "hacked"));
}

TEST_F(Tmux, SaysWhyItShowsNothing) {
  const std::string too_long_for_a_socket = scratch_ / std::string(120, 'x');
  ASSERT_TRUE(make_directory(too_long_for_a_socket));
  ::setenv("TMUX_TMPDIR", too_long_for_a_socket.c_str(), 1);
  const auto record = start(shown("train", until("go")));
  ::setenv("TMUX_TMPDIR", (scratch_ / "tmux").c_str(), 1);
  EXPECT_TRUE(testing::eventually([&] { return path_exists(record.path("tmux.problem")); }));
  EXPECT_THAT(text_of(record, "tmux.problem"), HasSubstr("tmux"));
  EXPECT_EQ(facts_of(record).label->tmux_session, "");
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record).code, 0);
}

TEST_F(Tmux, IsGivenTheNameAgainByTheNextRunOfIt) {
  for (int i = 0; i < 3; ++i) {
    const std::string go = concat("go", i);
    const auto record = start(shown("train", until(go)));
    EXPECT_EQ(session_of(record), "train");
    scratch_.write(go, "");
    wait_for_end(record);
  }
}

TEST_F(Tmux, ShowsNothingOfTheLogThatWasThereBefore) {
  scratch_.write("a.log", "old text\n");
  auto wanted = shown("train", "echo new text; " + until("go"));
  wanted.log_file = "a.log";
  const auto record = start(wanted);
  session_of(record);
  EXPECT_TRUE(testing::eventually(
      [&] { return screen_of("train").find("new text") != std::string::npos; }));
  EXPECT_THAT(screen_of("train"), Not(HasSubstr("old text")));
}

class TmuxServe : public BackgroundOf<TmuxOf<ServeTest>> {
 protected:
  Answer stop(const std::string& session) {
    ask(1, wire::StopRequest{.session = session, .grace_ms = 1000});
    return take_answer(1);
  }
};

TEST_F(TmuxServe, SaysThatASessionToBeStoppedIsNotOurs) {
  reconnect();
  tmux("new-session -d -s mine -- sleep 1000");
  Answer answer;
  // A tmux that is slow to answer is not waited for.
  ASSERT_TRUE(testing::eventually([&] {
    answer = stop("mine");
    return answer.error && answer.error->message.find("tmux") != std::string::npos;
  }));
  EXPECT_EQ(answer.error->code, Errc::NotFound);
  EXPECT_THAT(answer.error->message,
              HasSubstr("'mine' is a tmux session that Yonder did not start"));
  EXPECT_THAT(sessions(), Contains("mine"));
}

TEST_F(TmuxServe, StopsByTheNameThatTmuxShows) {
  reconnect();
  auto wanted = in_background("sleep 1000");
  wanted.session = "a.b";
  wanted.tmux = true;
  const auto record = start(wanted);
  ASSERT_TRUE(testing::eventually([&] { return path_exists(record.path("tmux")); }));
  const auto stopped = stop("a_b");
  ASSERT_TRUE(stopped.facts && stopped.facts->exit);
  EXPECT_EQ(stopped.facts->run_id, record.id());
}

}  // namespace
}  // namespace yonder::outpost
