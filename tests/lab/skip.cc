#include <gtest/gtest.h>

#include "lab/need.h"

namespace yonder::lab {
namespace {

const char* reason_for(Need what) {
  switch (what) {
    case Need::Namespaces: return "needs namespaces of its own, which are refused here";
    case Need::Users: return "needs several users: run as root";
    case Need::Pam: return "needs PAM: run as root";
    case Need::OneTimeCodes: return "needs libpam-oath and oathtool";
    case Need::Emulator: return "needs qemu-user-static";
    case Need::NotRoot: return "needs to be refused something: run as another user than root";
    case Need::Terminals: return "needs pseudo terminals";
    case Need::Systemd: return "needs a systemd of the user's own: run as root, not in a chroot";
  }
  return "";
}

}  // namespace

void skip_for(Need what) {
  [&] { GTEST_SKIP() << reason_for(what); }();
  // GoogleTest takes this for the end of a test whose result it knows already.
  throw ::testing::AssertionException(::testing::TestPartResult(
      ::testing::TestPartResult::kSkip, __FILE__, __LINE__, reason_for(what)));
}

}  // namespace yonder::lab
