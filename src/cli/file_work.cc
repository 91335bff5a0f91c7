#include "base/clean_text.h"
#include "base/text.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/file_commands.h"
#include "cli/people_progress.h"
#include "cli/render.h"
#include "cli/tilde_hint.h"
#include "ops/taken_for_a_path.h"

namespace yonder::cli {

Result<std::unique_ptr<FileWork>> FileWork::begin(const Doors& doors, const std::string& sandbox) {
  TRY_ASSIGN(ops::Engine * engine, doors.engine());
  auto work = std::unique_ptr<FileWork>(new FileWork(*engine, sandbox));
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

int FileWork::fail(Error error, bool json, const std::string& path) const {
  const bool missing = error.code == Errc::NotFound && !path.empty();
  if (missing && ops::taken_for_a_path(engine_, named_, path)) {
    error.hint =
        concat("it is also the name of a sandbox, whose directory is ", printable(path), ":");
  }
  error = with_tilde_hint(std::move(error), path, engine_, named_);
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
