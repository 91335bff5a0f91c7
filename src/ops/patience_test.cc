#include "ops/patience.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/patience_test.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;

TEST(PatienceTest, TellsAClientThatHasGoneFromATimeThatIsOver) {
  Session session;
  CancelSource gone;
  const CallContext context{.session = session, .detach = gone.token()};
  const Patience left(context, std::nullopt);
  gone.cancel();
  EXPECT_TRUE(left.over());
  EXPECT_THAT(left.why(), HasSubstr("its client has gone"));

  const CallContext waiting{.session = session};
  const Patience patient(waiting, Duration::zero());
  Monitor<bool> over;
  const auto wake = patient.token().on_cancel([&] { over.change([](bool& is) { is = true; }); });
  over.wait(
      testing::patience(), [](bool is) { return is; }, [](bool) {});
  EXPECT_TRUE(patient.over());
  EXPECT_THAT(patient.why(), HasSubstr("not done within wait_s"));
}

}  // namespace
}  // namespace yonder::ops
