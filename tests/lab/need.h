#pragma once

namespace yonder::lab {

// What a test may need that is not there everywhere. The reasons to skip a test are these few, so
// that the summary of scripts/test can count them.
enum class Need {
  Namespaces,    // mounts, servers and processes of its own
  Users,         // several users, or files that belong to another one
  Pam,           // questions asked by PAM
  OneTimeCodes,  // of libpam-oath
  Emulator,      // for programs of aarch64
  NotRoot,       // to be refused something
  Terminals,
  Systemd,
};

// Ends the test as skipped, from wherever it is called: neither the caller's code nor that of a
// fixture derived from it goes on.
[[noreturn]] void skip_for(Need what);

// The same where the need is not met; only in programs that have entered the lab.
void need(Need what);

}  // namespace yonder::lab
