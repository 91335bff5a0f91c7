#include "cli/link_notice.h"

#include <gmock/gmock.h>

namespace yonder::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LinkNotices : public ::testing::Test {
 protected:
  std::vector<std::string> after(Duration time, LinkState state) {
    now_ += time;
    return notice_.look({{"gpu1", state}}, now_);
  }
  Instant now_ = std::chrono::steady_clock::now();
  LinkNotice notice_;
};

TEST_F(LinkNotices, TellOnceOfALossAndOnceOfTheReturn) {
  EXPECT_THAT(after(0s, LinkState::Up), IsEmpty());
  EXPECT_THAT(after(1s, LinkState::Lost), IsEmpty());
  EXPECT_THAT(after(2s, LinkState::Lost),
              ElementsAre("connection to gpu1 lost, reconnecting; the command goes on"));
  EXPECT_THAT(after(60s, LinkState::Lost), IsEmpty());
  EXPECT_THAT(after(1s, LinkState::Up), ElementsAre("connected to gpu1 again"));
  EXPECT_THAT(after(60s, LinkState::Up), IsEmpty());
}

TEST_F(LinkNotices, SayNothingOfALinkThatIsBackWithinTwoSeconds) {
  EXPECT_THAT(after(0s, LinkState::Lost), IsEmpty());
  EXPECT_THAT(after(1900ms, LinkState::Up), IsEmpty());
  EXPECT_THAT(after(0s, LinkState::Lost), IsEmpty()) << "each loss has its own two seconds";
  EXPECT_THAT(after(1900ms, LinkState::Up), IsEmpty());
}

TEST_F(LinkNotices, SayOfASilentMachineOnlyThatItDoesNotAnswer) {
  EXPECT_THAT(after(0s, LinkState::Silent), IsEmpty());
  EXPECT_THAT(after(2s, LinkState::Silent),
              ElementsAre("no answer from gpu1, waiting for it; the command goes on"));
  EXPECT_THAT(after(20s, LinkState::Lost), IsEmpty()) << "one line until it is back";
  EXPECT_THAT(after(1s, LinkState::Up), ElementsAre("connected to gpu1 again"));
}

TEST_F(LinkNotices, TellOfAFirstConnectionThatTakesItsTimeAndThatItIsThere) {
  EXPECT_THAT(after(0s, LinkState::Connecting), IsEmpty());
  EXPECT_THAT(after(1900ms, LinkState::Connecting), IsEmpty());
  EXPECT_THAT(after(100ms, LinkState::Connecting), ElementsAre("connecting to gpu1..."));
  EXPECT_THAT(after(10s, LinkState::Connecting), IsEmpty());
  EXPECT_THAT(after(1s, LinkState::Up), ElementsAre("connected to gpu1"));
}

TEST_F(LinkNotices, TellOfALossThatComesRightAfterTheFirstConnection) {
  EXPECT_THAT(after(0s, LinkState::Connecting), IsEmpty());
  EXPECT_THAT(after(1900ms, LinkState::Lost), IsEmpty());
  EXPECT_THAT(after(2s, LinkState::Lost),
              ElementsAre("connection to gpu1 lost, reconnecting; the command goes on"));
  EXPECT_THAT(after(1s, LinkState::Up), ElementsAre("connected to gpu1 again"));
}

TEST_F(LinkNotices, CountTheTimeOfANewAttemptFromItsBegin) {
  EXPECT_THAT(after(0s, LinkState::Connecting), IsEmpty());
  EXPECT_THAT(notice_.look({}, now_), IsEmpty()) << "given up, or a person is asked";
  EXPECT_THAT(after(10s, LinkState::Connecting), IsEmpty());
  EXPECT_THAT(after(2s, LinkState::Connecting), ElementsAre("connecting to gpu1..."));
}

}  // namespace
}  // namespace yonder::cli
