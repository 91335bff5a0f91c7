#include "mcp/calls.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/patience_test.h"

namespace yonder::mcp {
namespace {

// Work that ends when `token` is cancelled.
void wait_for(const CancelToken& token) {
  Monitor<bool> over;
  const auto on_cancel = token.on_cancel([&] { over.change([](bool& value) { value = true; }); });
  over.wait(
      testing::patience(), [](bool value) { return value; }, [](bool) {});
}

TEST(CallsTest, WorkThatTheEndOfTheSessionDoesNotStopIsWaitedFor) {
  Calls calls(testing::kPatience);
  Monitor<bool> gate;
  std::atomic<bool> abandoned{true};
  const auto work = [&](const Calls::Tokens& tokens) {
    wait_for(tokens.detach);
    gate.wait(
        Deadline::after(std::chrono::milliseconds(50)), [](bool open) { return open; },
        [](bool) {});
    abandoned = tokens.abandon.cancelled();
    return Json();
  };
  ASSERT_TRUE(calls.start(1, work, [](const auto&) {}));
  calls.finish();
  EXPECT_FALSE(abandoned);
}

TEST(CallsTest, WorkThatDoesNotEndInTimeIsAbandoned) {
  Calls calls(std::chrono::milliseconds(10));
  std::atomic<bool> ended{false};
  const auto work = [&](const Calls::Tokens& tokens) {
    wait_for(tokens.abandon);
    ended = tokens.abandon.cancelled();
    return Json();
  };
  ASSERT_TRUE(calls.start(1, work, [](const auto&) {}));
  calls.finish();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace yonder::mcp
