#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace yonder::testing {

// From now on these system calls end with these errors, in this process and for ever.
inline bool refuse_calls(const std::vector<std::pair<unsigned, unsigned>>& calls) {
  std::vector<sock_filter> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const auto& [call, error] : calls) {
    program.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  program.push_back(sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Whether it is so, in a process of its own.
inline bool is_so_in_a_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    // What is thrown must not bring it back into the tests.
    const auto guarded = [&]() noexcept { return body(); };
    ::_exit(guarded() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace yonder::testing
