#pragma once

namespace yonder::cli {

// Whatever is not here is the remote command's own status.
constexpr int kExitSuccess = 0;
constexpr int kExitProblems = 1;      // `doctor` found some; `stop` and `rm`: a run still lives
constexpr int kExitUsage = 2;         // the command line is wrong
constexpr int kExitUnread = 2;        // `grep`: not everything could be read, as grep has it
constexpr int kExitUnwritten = 74;    // EX_IOERR: stdout could not be written; a full disk
constexpr int kExitWaitOver = 75;     // EX_TEMPFAIL: it still runs; ask again
constexpr int kExitReaderGone = 141;  // as a process that SIGPIPE ended
constexpr int kExitFailure = 255;     // Yonder's own failure, as ssh has it
constexpr int kExitSignalBase = 128;

}  // namespace yonder::cli
