#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "outpost/held_record.h"
#include "outpost/output_pipe.h"
#include "outpost/output_writer.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// Where what a command prints is written to.
enum class OutputFiles {
  Two,      // `out` and `err` of the record
  Log,      // both into the log of the record
  UserLog,  // or into one of the user, on a file system that may hang
};
OutputFiles output_files_of(const wire::StartRequest& spec);

// The pipes of a run, and the process that carries what comes out of them into the run's files: the
// writer. It ends when nobody can print into the pipes any more, also without its supervisor.
class OutputKeeper {
 public:
  OutputKeeper() = default;
  OutputKeeper(OutputKeeper&& other) noexcept;
  OutputKeeper& operator=(OutputKeeper&& other) noexcept;
  ~OutputKeeper();

  // Makes the pipes.
  Result<void> open();
  bool is_open() const { return notes_ != nullptr; }
  // For the command process.
  const Fd& out() const { return out_.command; }
  const Fd& err() const { return err_.command; }

  // Starts the writer, in place of one that was started before. No writer: try again.
  void begin(const HeldRecord& held, OutputFiles files);
  void stop_writer();
  pid_t writer() const { return writer_; }
  bool wants_writer() const { return writer_ <= 0 && !is_quiet(); }
  // A child was reaped.
  void forget(pid_t child);

  // After the command has ended: what it has printed is in the files then, though its children may
  // print on.
  void complete(const HeldRecord& held, OutputFiles files, const Deadline& deadline);
  // Nothing more comes into the files.
  bool is_quiet() const;
  // Bytes that the files did not take.
  std::uint64_t lost() const;

 private:
  struct Shared {
    WriterNote out;
    WriterNote err;
  };
  bool at_end() const;
  std::array<OutputWriter, 2> writers(const RunRecord& record, OutputFiles files);
  static bool is_written(const Fd& reader, const WriterNote& note, std::uint64_t enough);

  OutputPipe out_;
  OutputPipe err_;
  Fd told_;  // an eventfd: the writer has come to the end
  Shared* notes_ = nullptr;
  pid_t writer_ = -1;
};

}  // namespace yonder::outpost
