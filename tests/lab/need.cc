#include "lab/need.h"

#include "base/file.h"
#include "lab/lab.h"
#include "lab/sshd.h"

namespace yonder::lab {
namespace {

bool met(Need what) {
  switch (what) {
    case Need::Namespaces: return !Lab::refused();
    case Need::Users:
    case Need::Pam: return Lab::get().has_several_users();
    case Need::OneTimeCodes: return one_time_codes_available();
    case Need::Emulator: return path_exists("/usr/bin/qemu-aarch64-static");
    case Need::NotRoot:
    case Need::Terminals:
    case Need::Systemd: break;  // their tests look for themselves
  }
  return true;
}

}  // namespace

void need(Need what) {
  if (!met(what)) skip_for(what);
}

}  // namespace yonder::lab
