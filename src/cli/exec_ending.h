#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "ops/exec.h"

namespace yonder::cli {

// Why we stopped passing output on before the command's end, if we did.
struct GivenUp {
  int signal = 0;            // the first one that we got; 0: none
  bool stopping = false;     // the stop was asked for, and not seen through
  bool reader_gone = false;  // EPIPE
  std::string write_error;   // why output could not be written; empty: it could
};

// What to say on stderr, and how to exit.
struct Ending {
  int status = 0;
  std::vector<std::string> failures;
  std::vector<std::string> notes;  // not with --quiet
};

// Pure. 130 for Ctrl-C and so on; SIGPIPE's number when the reader went; 74 when output could not
// be written for another reason.
int given_up_status(const GivenUp& given_up);

// Pure. `response` is how it ended as far as that was seen.
Ending ending_of(const ops::ExecResponse& response, const GivenUp& given_up);

// Pure. How to get at what could not be written.
std::string result_again(const ops::ExecResponse& response);

// Pure. For an operation that gave no response.
int status_of(const Error& error, const GivenUp& given_up);

}  // namespace yonder::cli
