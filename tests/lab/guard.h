#pragma once

#include <functional>

namespace yonder::lab {

// What the keeper does besides ending processes. Both run in the keeper, where no other thread is.
struct KeeperDuties {
  std::function<void()> before;  // the caller, who is its child, starts in what this has made
  std::function<void()> after;   // when nothing that the caller started lives any more
};

// From here on nothing that this process starts outlives it, however it ends. The process that was
// started stays behind and waits; the caller goes on as its grandchild, below a keeper:
//
//   front     what the shell or CTest started: ends as the work does, and if it is killed first,
//   keeper    in a session of its own, notices, kills all below it and cleans up;
//   work      returns from this call.
//
// All orphans land at the keeper, so a process that has changed its session, name, directory and
// environment is found too. To be called before any thread starts. In the environment,
// YONDER_TEST_ENDS_S is a limit at which the front ends all of it as failed, and YONDER_UNGUARDED
// turns everything off, for a debugger.
void guard_this_process(const KeeperDuties& duties = {});

}  // namespace yonder::lab
