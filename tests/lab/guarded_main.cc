// guarded PROGRAM ARGUMENT...: runs it, and leaves nothing that it started behind.

#include <unistd.h>

#include <cstdio>

#include "lab/guard.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  yonder::lab::guard_this_process();
  ::execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}
