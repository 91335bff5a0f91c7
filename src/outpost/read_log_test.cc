#include "outpost/read_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "outpost/look_client_test.h"

namespace yonder::outpost {
namespace {

class ReadLog : public LookTest {
 protected:
  RunRecord finished(const wire::StartRequest& request) const {
    auto record = start(request);
    wait_for_end(record);
    return record;
  }
  // Its own line for people stands behind everything that the command has printed.
  static std::string without_exit_line(const std::string& text) {
    const std::size_t line = text.find("EXIT_CODE=");
    return line == std::string::npos ? text : text.substr(0, line);
  }
};

TEST_F(ReadLog, OfABackgroundRunGivesItsLastLinesAndWhatIsSeenOfIt) {
  auto spec = in_background("echo one; echo two >&2; echo three");
  spec.description = "counts";
  const auto record = finished(spec);
  const auto reply = read({.run_id = record.id(), .lines = 50});
  EXPECT_EQ(without_exit_line(text_in(reply)), "one\ntwo\nthree\n");
  EXPECT_EQ(reply.path, record.path("log"));
  EXPECT_TRUE(reply.exists);
  EXPECT_EQ(reply.problem, "");
  EXPECT_EQ(reply.start, 0U);
  EXPECT_EQ(reply.next, reply.size);
  EXPECT_GT(reply.modified_ms, 0);
  ASSERT_TRUE(reply.run && reply.run->exit);
  EXPECT_EQ(reply.run->exit->code, 0);
  ASSERT_TRUE(reply.run->label);
  EXPECT_EQ(reply.run->label->description, "counts");
  EXPECT_FALSE(reply.session_lives);
}

TEST_F(ReadLog, OfAForegroundRunGivesItsOutput) {
  const auto record = finished(request("echo out; echo err >&2"));
  const auto reply = read({.run_id = record.id()});
  EXPECT_EQ(text_in(reply), "out\n");
  EXPECT_EQ(reply.path, record.path("out"));
}

TEST_F(ReadLog, OfALogElsewhereGivesOnlyThisRunsPart) {
  const std::string log = scratch_.write("logs/train.log", "of yesterday\nEXIT_CODE=0\n");
  auto spec = in_background("echo of today");
  spec.log_file = log;
  const auto record = finished(spec);
  for (const auto& reply :
       {read({.run_id = record.id()}), read({.path = log}),
        read({.run_id = record.id(), .from = 0}), read({.run_id = record.id(), .filter = "of"})}) {
    EXPECT_EQ(without_exit_line(text_in(reply)), "of today\n");
    EXPECT_EQ(reply.path, log);
    ASSERT_TRUE(reply.run);
    EXPECT_EQ(reply.run->run_id, record.id());
  }
  EXPECT_TRUE(text_in(read({.path = log, .from = 0})).starts_with("of yesterday\n"));
}

TEST_F(ReadLog, IsFoundByItsPathThroughLinksToo) {
  auto spec = in_background("echo text");
  spec.log_file = scratch_ / "home/train.log";
  const auto record = finished(spec);
  ASSERT_EQ(::symlink((scratch_ / "home").c_str(), (scratch_ / "other").c_str()), 0);
  ASSERT_EQ(::symlink("train.log", (scratch_ / "home/latest").c_str()), 0);
  for (const std::string& path :
       {scratch_ / "other/train.log", scratch_ / "home/latest", std::string("~/train.log"),
        std::string("train.log"), record.path("log")}) {
    const auto reply = read({.path = path});
    EXPECT_EQ(without_exit_line(text_in(reply)), "text\n") << path;
    ASSERT_TRUE(reply.run) << path;
    EXPECT_EQ(reply.run->run_id, record.id());
  }
}

TEST_F(ReadLog, OfAFileThatIsNoRunsSaysSo) {
  const std::string path = scratch_.write("home/notes", "hello\n");
  const auto reply = read({.path = "~/notes"});
  EXPECT_EQ(text_in(reply), "hello\n");
  EXPECT_EQ(reply.path, path);
  EXPECT_FALSE(reply.run);
}

TEST_F(ReadLog, FromAByteGivesWhatIsBehindItAndWhereToGoOn) {
  const std::string path = scratch_.write("log", "0123456789");
  auto reply = read({.path = path, .from = 4});
  EXPECT_EQ(text_in(reply), "456789");
  EXPECT_EQ(reply.start, 4U);
  EXPECT_EQ(reply.next, 10U);
  reply = read({.path = path, .from = 10});
  EXPECT_EQ(text_in(reply), "");
  EXPECT_EQ(reply.next, 10U);
  EXPECT_EQ(reply.problem, "");
}

TEST_F(ReadLog, LeavesOutTheMiddleOfWhatIsTooMuch) {
  const std::string path = scratch_.write("log", "0123456789");
  const auto reply = read({.path = path, .from = 1, .head = 2, .tail = 3});
  EXPECT_EQ(reply.head, "12");
  EXPECT_EQ(reply.tail, "789");
  EXPECT_EQ(reply.skipped, 4U);
  EXPECT_EQ(reply.start, 1U);
  EXPECT_EQ(reply.next, 10U);
}

TEST_F(ReadLog, OfTenGigabytesAnswersAtOnce) {
  const std::string path = scratch_.write("log", "begin");
  constexpr std::uint64_t kSize = 10ULL << 30U;
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(kSize)), 0);
  std::ofstream(path, std::ios::app) << "\nthe end\n";
  const auto reply = read({.path = path, .from = 0, .head = 5, .tail = 8});
  EXPECT_EQ(reply.head, "begin");
  EXPECT_EQ(reply.tail, "the end\n");
  EXPECT_EQ(reply.skipped, kSize - 5 + 1);
  EXPECT_EQ(text_in(read({.path = path, .lines = 1})), "the end\n");
  const auto matching = read({.path = path, .lines = 1, .filter = "end"});
  EXPECT_EQ(text_in(matching), "the end\n");
}

TEST_F(ReadLog, ThatWasCutSaysSo) {
  const std::string path = scratch_.write("log", "short");
  for (const std::string filter : {"", "x"}) {
    const auto reply = read({.path = path, .from = 100, .filter = filter});
    EXPECT_EQ(reply.start, 5U);
    EXPECT_EQ(reply.next, 5U);
    EXPECT_EQ(text_in(reply), "");
    EXPECT_EQ(reply.problem, "the log is shorter than byte 100: it was cut");
  }
}

TEST_F(ReadLog, ThatIsGoneSaysSo) {
  const auto record = finished(in_background("echo text"));
  ::unlink(record.path("log").c_str());
  for (const std::string filter : {"", "x"}) {
    const auto reply = read({.run_id = record.id(), .from = 3, .filter = filter});
    EXPECT_FALSE(reply.exists);
    EXPECT_EQ(reply.next, 3U);
    ASSERT_TRUE(reply.run && reply.run->exit);
  }
  EXPECT_FALSE(read({.run_id = record.id()}).exists);
}

TEST_F(ReadLog, ElsewhereThatWasMovedAwayIsNotTakenForAnEmptyOne) {
  const std::string log = scratch_.write("logs/train.log", "");
  auto spec = in_background("echo text");
  spec.log_file = log;
  const auto record = finished(spec);
  EXPECT_EQ(read({.run_id = record.id()}).problem, "");
  ASSERT_EQ(std::rename(log.c_str(), (log + ".old").c_str()), 0);
  for (const auto& reply : {read({.run_id = record.id()}), read({.path = log}),
                            read({.run_id = record.id(), .from = 0}),
                            read({.run_id = record.id(), .filter = "text"})}) {
    EXPECT_FALSE(reply.exists);
    EXPECT_EQ(reply.problem, "the log is not at " + log + " any more");
    EXPECT_TRUE(reply.run && reply.run->exit);
  }
}

TEST_F(ReadLog, WithAFilterGivesTheLinesThatMatch) {
  const std::string path =
      scratch_.write("log", "loss 1\nnoise\nloss 2\r\n\xff loss 3\nnoise\nloss 4");
  auto reply = read({.path = path, .lines = 3, .filter = "loss \\d"});
  EXPECT_EQ(text_in(reply), "loss 2\r\n\xff loss 3\nloss 4");
  EXPECT_EQ(reply.matches, 3U);
  EXPECT_EQ(reply.start, 13U);
  reply = read({.path = path, .from = 7, .filter = "loss \\d"});
  EXPECT_EQ(text_in(reply), "loss 2\r\n\xff loss 3\nloss 4");
  EXPECT_EQ(reply.matches, 3U);
  EXPECT_EQ(reply.start, 7U);
  EXPECT_EQ(reply.next, reply.size - 6) << "the last line may not be whole";
}

TEST_F(ReadLog, ConsumesAnUnfinishedLineOnlyWhenTheRunHasEnded) {
  const auto record = start(in_background("echo loss 1; printf 'loss 2'; " + until("go")));
  ASSERT_TRUE(testing::eventually([&] { return record.size_of("log") == 13; }));
  auto reply = read({.run_id = record.id(), .from = 0, .filter = "loss"});
  EXPECT_EQ(text_in(reply), "loss 1\n");
  EXPECT_EQ(reply.next, 7U);
  EXPECT_EQ(reply.matches, 1U);
  scratch_.write("go", "");
  wait_for_end(record);
  reply = read({.run_id = record.id(), .from = 7, .filter = "loss"});
  EXPECT_TRUE(text_in(reply).starts_with("loss 2"));
  EXPECT_EQ(reply.next, reply.size);
}

TEST_F(ReadLog, WithAWrongFilterNamesIt) {
  const auto reply = try_reading({.path = "/etc/hostname", .filter = "("});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::InvalidArgument);
  EXPECT_TRUE(reply.error().message.starts_with("filter: "));
}

TEST_F(ReadLog, NeverHangsOnAFifoOrADevice) {
  const std::string fifo = scratch_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const auto& path : {fifo, std::string("/dev/zero"), scratch_.path()}) {
    const auto reply = read({.path = path, .wait_ms = 3600 * 1000});
    EXPECT_TRUE(reply.exists);
    EXPECT_NE(reply.problem.find("not a regular file"), std::string::npos) << reply.problem;
    EXPECT_EQ(text_in(reply), "");
  }
}

TEST_F(ReadLog, IsNamedInExactlyOneWay) {
  EXPECT_EQ(try_reading({}).error().code, Errc::InvalidArgument);
  EXPECT_EQ(try_reading({.session = "x", .path = "y"}).error().code, Errc::InvalidArgument);
  EXPECT_EQ(try_reading({.path = std::string("a\0b", 3)}).error().code, Errc::InvalidArgument);
  EXPECT_EQ(try_reading({.run_id = new_run_id().str()}).error().code, Errc::NotFound);
  EXPECT_EQ(try_reading({.run_id = "../.."}).error().code, Errc::InvalidArgument);
}

TEST_F(ReadLog, OfASessionIsThatOfItsNewestRun) {
  auto spec = in_background("echo first");
  spec.session = "train.v1";
  finished(spec);
  spec = in_background("echo second");
  spec.session = "train.v1";
  const auto record = finished(spec);
  const auto reply = read({.session = "train.v1"});
  EXPECT_EQ(without_exit_line(text_in(reply)), "second\n");
  ASSERT_TRUE(reply.run);
  EXPECT_EQ(reply.run->run_id, record.id());
  EXPECT_FALSE(read({.session = "train"}).run);
}

TEST_F(ReadLog, IsFoundByTheNameThatTmuxHasForIt) {
  const auto record = finished(in_background("echo text"));
  std::ofstream(record.path("tmux")) << "train_v1";
  const auto reply = read({.session = "train_v1"});
  ASSERT_TRUE(reply.run);
  EXPECT_EQ(reply.run->run_id, record.id());
}

// A tmux server of its own, which the outpost sees as the user's.
class ReadLogOfTmux : public ReadLog {
 protected:
  ReadLogOfTmux() {
    disconnect();
    EXPECT_TRUE(make_directory(scratch_ / "tmux"));
    ::setenv("TMUX_TMPDIR", (scratch_ / "tmux").c_str(), 1);
    connect();
  }
  ~ReadLogOfTmux() override {
    tmux("kill-server");
    ::unsetenv("TMUX_TMPDIR");
  }
  // A tmux that is slow to answer is not waited for: then nothing is known.
  auto known(const wire::ReadLogRequest& request) {
    auto reply = read(request);
    EXPECT_TRUE(testing::eventually([&] {
      if (!reply.session_lives) reply = read(request);
      return reply.session_lives.has_value();
    }));
    return reply;
  }
  static bool tmux(const std::string& words) {
    return std::system(concat("env -u TMUX tmux ", words, " >/dev/null 2>&1").c_str()) == 0;
  }
};

TEST_F(ReadLogOfTmux, ThatIsNotOursSaysWhetherItLivesUnderExactlyThisName) {
  if (!tmux("-V")) GTEST_SKIP() << "there is no tmux";
  EXPECT_EQ(known({.session = "train"}).session_lives, false) << "no server runs";
  ASSERT_TRUE(tmux("new-session -d -s train-2 'sleep 1000'"));
  const auto reply = known({.session = "train"});
  EXPECT_EQ(reply.session_lives, false);
  EXPECT_FALSE(reply.run);
  EXPECT_EQ(reply.path, "");
  EXPECT_EQ(known({.session = "train-2"}).session_lives, true);
  ASSERT_TRUE(tmux("new-session -d -s train 'sleep 1000'"));
  EXPECT_EQ(known({.session = "train", .wait_ms = 3600 * 1000}).session_lives, true);
}

TEST_F(ReadLog, BoundsWhatIsSentWhateverIsAskedFor) {
  const std::string path = scratch_.write("log", std::string(9UL << 20U, 'x'));
  const auto reply = read({.path = path, .from = 0, .head = ~0ULL, .tail = ~0ULL});
  EXPECT_EQ(reply.head.size() + reply.tail.size() + reply.skipped, reply.size);
  EXPECT_LE(text_in(reply).size(), 4UL << 20U);
}

TEST_F(ReadLog, ThatIsLookedThroughForLongLetsOthersHaveTheirTurn) {
  const std::string path = scratch_.write("log", "");
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40), 0);
  ask(1, wire::ReadLogRequest{.path = path, .from = 0, .filter = "x"});
  const auto other = read({.path = scratch_.write("small", "text\n")});
  EXPECT_EQ(text_in(other), "text\n");
  const auto reply = take_log(1);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->matches, 0U);
  EXPECT_LT(reply->next, reply->size) << "it ended with its budget";
  EXPECT_EQ(reply->searched_from, 0U);
  EXPECT_TRUE(reply->search_cut);
}

TEST_F(ReadLog, SaysFromWhereOnAFilterHasSearched) {
  const std::string path = scratch_.write("log", "early error\n");
  constexpr std::uint64_t kSize = 1ULL << 40U;
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(kSize)), 0);
  std::ofstream(path, std::ios::app | std::ios::binary) << "\nlate line\n";
  const auto reply = read({.path = path, .filter = "error"});
  EXPECT_EQ(reply.matches, 0U);
  EXPECT_TRUE(reply.search_cut);
  ASSERT_TRUE(reply.searched_from);
  EXPECT_GT(*reply.searched_from, 0U);
  const auto found = read({.path = path, .lines = 1, .filter = "late"});
  EXPECT_FALSE(found.search_cut);
  EXPECT_EQ(found.searched_from, kSize + 1);
  EXPECT_FALSE(read({.path = path}).searched_from);
}

TEST_F(ReadLog, WithAFilterGoesOnInALogThatHasNoNewlines) {
  const auto record =
      start(in_background("head -c 300000 /dev/zero | tr '\\0' .; printf needle; head -c 300000 "
                          "/dev/zero | tr '\\0' .; "
                          "sleep 1000"));
  ASSERT_TRUE(testing::eventually([&] { return read({.run_id = record.id()}).size == 600006; }));
  const auto reply = read({.run_id = record.id(), .from = 0, .filter = "needle", .head = 500});
  EXPECT_EQ(reply.matches, 1U);
  EXPECT_NE(text_in(reply).find("needle"), std::string::npos);
  EXPECT_EQ(reply.next, reply.size);
  const auto none = read({.run_id = record.id(), .from = 0, .filter = "nothing"});
  EXPECT_EQ(none.matches, 0U);
  EXPECT_GT(none.next, 300000U);
  EXPECT_GT(read({.run_id = record.id(), .filter = "nothing"}).next, 300000U);
}

}  // namespace
}  // namespace yonder::outpost
