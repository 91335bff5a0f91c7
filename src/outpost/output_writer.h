#pragma once

#include <atomic>
#include <cstdint>

#include "base/fd.h"

namespace yonder::outpost {

// What is known of one pipe's way into its file, in memory that the writer and the supervisor
// share.
struct WriterNote {
  std::atomic<std::uint64_t> put = 0;   // bytes in the file
  std::atomic<std::uint64_t> lost = 0;  // bytes that the file did not take
  std::atomic<bool> busy = false;       // some may be neither in the pipe nor in the file
  std::atomic<bool> at_end = false;     // nothing more will come
};

// Appends to a file what comes out of a pipe. What the file does not take is counted and thrown
// away: a full disk must not hold up the command.
class OutputWriter {
 public:
  // `shared`: others append to the file as well.
  OutputWriter(Fd pipe, Fd file, bool shared, WriterNote& note);

  const Fd& pipe() const { return pipe_; }
  bool at_end() const { return note_->at_end; }
  // Moves what is there. False: it was nothing.
  bool step();
  // The pipe was empty for a while.
  void rest();

 private:
  ssize_t move();
  ssize_t move_in_kernel();
  ssize_t copy();
  ssize_t drop();
  void widen(std::uint64_t moved);

  Fd pipe_;
  Fd file_;
  bool shared_;
  WriterNote* note_;
  int full_ = 0;  // how often in a row as much came as the pipe holds
  bool wide_ = false;
};

}  // namespace yonder::outpost
