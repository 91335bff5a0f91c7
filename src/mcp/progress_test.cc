#include "mcp/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"

namespace yonder::mcp {
namespace {

using std::chrono::milliseconds;

class ProgressTest : public ::testing::Test {
 protected:
  // Every message that was sent.
  std::vector<Json> sent() {
    pipe_.write.reset();
    std::string bytes(64U << 10U, '\0');
    bytes.resize(*read_some(pipe_.read, bytes.data(), bytes.size()));
    std::vector<Json> messages;
    for (const auto& line : split(bytes, '\n')) {
      if (!line.empty()) messages.push_back(*parse_json(line, "line"));
    }
    return messages;
  }

  Pipe pipe_ = *make_pipe();
  StopSignal stop_ = *StopSignal::create();
  Output output_{pipe_.write, stop_};
  Instant start_ = std::chrono::steady_clock::now();
};

TEST_F(ProgressTest, CountsUpAndCarriesTheMessage) {
  ProgressReporter progress(output_, "t", kNewestVersion, {});
  progress.report("connecting", start_);
  progress.report("running", start_ + milliseconds(200));
  const auto messages = sent();
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(dump_json(messages[0]),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
            R"({"progressToken":"t","progress":1,"message":"connecting"}})");
  EXPECT_EQ(messages[1]["params"]["progress"], 2);
}

TEST_F(ProgressTest, TellsBytesAndTheTotalWhereTheyAreKnownAndStillGrows) {
  ProgressReporter progress(output_, "t", kNewestVersion, {});
  progress.report("connecting", start_);
  progress.report("copying", {.done = 500, .total = 1000}, start_ + milliseconds(200));
  progress.report("stalled", {.done = 500, .total = 1000}, start_ + milliseconds(400));
  progress.report("finishing", {.done = 1000, .total = 1000}, start_ + milliseconds(600));
  const auto messages = sent();
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_FALSE(messages[0]["params"].contains("total"));
  EXPECT_EQ(messages[1]["params"]["progress"], 500);
  EXPECT_EQ(messages[1]["params"]["total"], 1000);
  EXPECT_GT(messages[2]["params"]["progress"].get<double>(), 500);
  EXPECT_EQ(messages[3]["params"]["progress"], 1000);
}

TEST_F(ProgressTest, DropsWhatComesMoreThanFiveTimesASecond) {
  ProgressReporter progress(output_, 7, kNewestVersion, {});
  for (int ms = 0; ms < 1000; ms += 10) progress.report("x", start_ + milliseconds(ms));
  EXPECT_EQ(sent().size(), 5U);
}

TEST_F(ProgressTest, StaysSilentWithoutAToken) {
  ProgressReporter(output_, nullptr, kNewestVersion, {}).report("x", start_);
  EXPECT_TRUE(sent().empty());
}

TEST_F(ProgressTest, StaysSilentOnceClosedOrCancelled) {
  CancelSource cancel;
  ProgressReporter cancelled(output_, 1, kNewestVersion, cancel.token());
  cancel.cancel();
  cancelled.report("x", start_);
  ProgressReporter closed(output_, 2, kNewestVersion, {});
  closed.close();
  closed.report("x", start_);
  EXPECT_TRUE(sent().empty());
}

TEST_F(ProgressTest, LeavesTheMessageOutForTheFirstRevision) {
  ProgressReporter(output_, 1, Version::V2024_11_05, {}).report("x", start_);
  EXPECT_FALSE(sent().at(0)["params"].contains("message"));
}

TEST(ProgressToken, IsAStringOrAnInteger) {
  const auto token = [](const char* params) {
    return dump_json(progress_token(Json::parse(params)));
  };
  EXPECT_EQ(token(R"({"_meta":{"progressToken":"a"}})"), "\"a\"");
  EXPECT_EQ(token(R"({"_meta":{"progressToken":0}})"), "0");
  EXPECT_EQ(token(R"({"_meta":{"progressToken":{}}})"), "null");
  EXPECT_EQ(token(R"({"_meta":1})"), "null");
  EXPECT_EQ(token(R"({})"), "null");
}

}  // namespace
}  // namespace yonder::mcp
