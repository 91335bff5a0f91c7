#include "cli/commands.h"
#include "cli/doctor_text.h"
#include "cli/exit_status.h"
#include "cli/render.h"
#include "ops/doctor.h"

namespace yonder::cli {
namespace {

int fail(const DoctorOptions& options, const Error& error) {
  show_failure(error, format_of(options.json));
  return kExitFailure;
}

}  // namespace

int doctor_command(const DoctorOptions& options, const Doors& doors) {
  const bool silent = !options.sandbox || options.wait;
  auto engine = silent ? doors.silent_engine() : doors.engine();
  if (!engine) return fail(options, engine.error());
  if (options.forget_place) {
    const auto forgotten = ops::forget_state_place(**engine, *options.sandbox);
    if (!forgotten) return fail(options, forgotten.error());
  }
  ops::Session session;
  ops::CallContext context{.session = session};
  const auto diagnosis = ops::diagnose(**engine, context, options.sandbox, options.wait);
  if (!diagnosis) return fail(options, diagnosis.error());
  const int status = diagnosis->healthy() ? kExitSuccess : kExitProblems;
  if (options.json) return print_json_then(ops::to_json(*diagnosis), status);
  return print_then(doctor_text(*diagnosis, screen((*engine)->environment).styled), status);
}

}  // namespace yonder::cli
