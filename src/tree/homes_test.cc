#include "tree/homes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::tree {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Homes, AreThoseOfPeopleAndOfRoot) {
  EXPECT_THAT(homes_in("root:x:0:0:root:/root:/bin/bash\n"
                       "www-data:x:33:33::/var/www:/usr/sbin/nologin\n"
                       "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"
                       "ada:x:1000:1000:Ada,,,:/home/ada:/bin/zsh\n"
                       "bob:x:70001:1000::/srv/people/bob:"),
              ElementsAre("/root", "/home/ada", "/srv/people/bob"));
}

TEST(Homes, OfLinesThatAreNoneAreNone) {
  EXPECT_THAT(homes_in(""), IsEmpty());
  EXPECT_THAT(homes_in("::::::\n+@people\nx:y:z\nada:x:many:1::/home/ada:\neve:x:1001:1::none:"),
              IsEmpty());
}

}  // namespace
}  // namespace yonder::tree
