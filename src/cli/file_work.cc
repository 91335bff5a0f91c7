#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/file_commands.h"
#include "cli/people_progress.h"
#include "cli/render.h"

namespace yonder::cli {

Result<std::unique_ptr<FileWork>> FileWork::begin(const Doors& doors, const std::string& sandbox) {
  TRY_ASSIGN(ops::Engine * engine, doors.engine());
  auto work = std::unique_ptr<FileWork>(new FileWork(*engine));
  TRY_ASSIGN(work->interrupts_, Interrupts::install([](int) {}));
  work->context_ =
      std::make_unique<ops::CallContext>(ops::CallContext{.session = work->session_,
                                                          .cancel = work->interrupts_->cancel(),
                                                          .detach = work->interrupts_->detach(),
                                                          .progress = people_progress()});
  TRY_ASSIGN(ops::FarFiles files, ops::FarFiles::of(*engine, *work->context_, sandbox));
  work->files_ = std::make_unique<ops::FarFiles>(std::move(files));
  return work;
}

int FileWork::fail(const Error& error, bool json) const {
  const GivenUp given_up{.signal = interrupts_->first_signal()};
  // Whoever has typed Ctrl-C knows; a program that reads JSON wants its answer.
  if (given_up.signal == 0 || json) show_failure(error, format_of(json));
  return status_of(error, given_up);
}

int fail_before(const Error& error, bool json) {
  show_failure(error, format_of(json));
  return kExitFailure;
}

}  // namespace yonder::cli
