#include "base/child_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ChildEnvironment, HasNoSecretAndEverythingElse) {
  EXPECT_THAT(
      without_secrets({"A=1", "REMOTE_PASSWORD=x", "REMOTE_SANDBOX_LIST=[]", "SSH_PASSWORD=x",
                       "REMOTE_KEY_PASSPHRASE=x", "SSH_KEY_PASSPHRASE=x", "YONDER_PASSWORD=x",
                       "REMOTE_PASSWORD_2=x", "SSH_PASS=x", "YONDER_ASKPASS_TOKEN=x",
                       "REMOTE_HOST=h", "SSH_AUTH_SOCK=/s", "SSH_ASKPASS=/a", "PASSWORD=theirs"}),
      ElementsAre("A=1", "REMOTE_HOST=h", "SSH_AUTH_SOCK=/s", "SSH_ASKPASS=/a", "PASSWORD=theirs"));
}

TEST(ChildEnvironment, SecretsAreHandedToOurOwnWholeOrNotAtAll) {
  const Secret packed = pack_secrets({"A=1", "REMOTE_PASSWORD=a\nb=c", "SSH_PASSWORD="});
  const auto there = unpack_secrets(packed.reveal());
  ASSERT_TRUE(there);
  EXPECT_THAT(*there, ElementsAre("REMOTE_PASSWORD=a\nb=c", "SSH_PASSWORD="));
  for (std::size_t size = 0; size < packed.reveal().size(); ++size) {
    EXPECT_FALSE(unpack_secrets(packed.reveal().substr(0, size))) << size;
  }
  const auto none = unpack_secrets(pack_secrets({"A=1"}).reveal());
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
}

TEST(ChildEnvironment, NothingElseCanBeHandedOver) {
  const auto there = unpack_secrets(std::string("LD_PRELOAD=/x\0SSH_PASSWORD=x\0\0", 30));
  ASSERT_TRUE(there);
  EXPECT_THAT(*there, ElementsAre("SSH_PASSWORD=x"));
}

}  // namespace
}  // namespace yonder
