#include <string_view>
#include <utility>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/people_progress.h"
#include "cli/progress_bar.h"
#include "cli/render.h"
#include "cli/sync_report.h"
#include "cli/tilde_hint.h"
#include "cli/told_notes.h"
#include "ops/sync_json.h"
#include "ops/taken_for_a_path.h"

namespace yonder::cli {
namespace {

int fail(const SyncOptions& options, const Error& error, int status) {
  show_failure(options.json ? error : in_sync_options(error), format_of(options.json));
  return status;
}

// Which two places were synced, and which way.
std::string places_of(const ops::SyncResponse& response) {
  const sync::SyncRequest& asked = response.asked;
  return shown_name(join({response.sandbox, asked.local_path, asked.remote_path,
                          asked.direction == sync::Direction::Push ? "push" : "pull"},
                         "\n"));
}

// What people_progress() may print must not end up behind the bar.
ops::ProgressSink beside(ProgressBar& bar) {
  return [&bar, people = people_progress()](const std::string& text) {
    if (text.starts_with("connecting ") || text.starts_with("putting ")) bar.erase();
    people(text);
  };
}

// Of several sources none is copied when one of them is a slip.
Result<void> check_words(ops::Engine& engine, const SyncOptions& options) {
  for (const ops::SyncCall& call : options.calls) {
    const bool push = call.what.direction == sync::Direction::Push;
    const std::string& source = push ? call.what.local_path : call.what.remote_path;
    if (push) {
      const auto slip = ops::taken_for_a_target(engine, call.sandbox, call.what.remote_path);
      if (slip) return *slip;
    }
    if (push && path_exists(source)) continue;
    if (const auto slip = ops::taken_for_a_path(engine, call.sandbox, source)) return *slip;
    if (!push || options.calls.size() == 1) continue;
    return Error{Errc::InvalidArgument, concat("'", printable(source), "' does not exist here"),
                 "nothing was copied"};
  }
  return {};
}

// Of several, others are copied: what is true of this one must not read as said of all.
Error one_of_several(Error error) {
  constexpr std::string_view kOfAll = "nothing was changed; ";
  if (error.hint.starts_with(kOfAll)) error.hint.erase(0, kOfAll.size());
  return error;
}

class Syncs {
 public:
  Syncs(const SyncOptions& options, ops::Engine& engine, ProgressBar& bar, Interrupts& interrupts)
      : options_(options), engine_(engine), bar_(bar), interrupts_(interrupts) {}

  // One after the other. A signal ends them all.
  int run() {
    for (const ops::SyncCall& call : options_.calls) {
      const int status = finish(call, sync(call));
      if (status_ == kExitSuccess) status_ = status;
      if (interrupts_.first_signal() != 0) break;
    }
    if (!options_.json || options_.calls.size() == 1) return status_;
    return print_json_then(Json{{"syncs", answers_}}, status_);
  }

 private:
  Result<ops::SyncResponse> sync(const ops::SyncCall& call) {
    ops::CallContext context{.session = session_,
                             .cancel = interrupts_.cancel(),
                             .detach = interrupts_.detach(),
                             .progress = beside(bar_)};
    auto response = ops::sync_files(
        engine_, context, call, [&](const ops::SyncProgress& progress) { bar_.show(progress); });
    bar_.erase();
    return response;
  }

  int tell(const ops::SyncCall& call, const ops::SyncResponse& response) {
    const std::string& state = engine_.state_directory;
    const std::string places = places_of(response);
    Report report =
        sync_report(response, options_.quiet,
                    options_.json ? std::vector<std::string>{} : told_notes(state, places));
    const bool made = response.report && response.report->plan.makes_root;
    const bool push = call.what.direction == sync::Direction::Push;
    const std::string hint = tilde_hint(call.what.remote_path, engine_.home);
    if (made && push && !hint.empty() && is_elsewhere(engine_, call.sandbox)) {
      report.messages.push_back(hint);
    }
    if (options_.json) return answer(ops::to_json(response), report.status);
    const int status = show(report);
    const bool read = response.report && !response.report->dry_run && !options_.quiet;
    if (read) remember_told(state, places, default_notes(response));
    return status;
  }

  int finish(const ops::SyncCall& call, const Result<ops::SyncResponse>& response) {
    if (response) return tell(call, *response);
    const GivenUp given_up{.signal = interrupts_.first_signal()};
    Error error = with_tilde_hint(response.error(), call.what.remote_path, engine_, call.sandbox);
    if (options_.calls.size() > 1) error = one_of_several(std::move(error));
    const int status = status_of(error, given_up);
    if (!options_.json) return fail(options_, error, status);
    Json failed = ops::error_json(error);
    if (options_.calls.size() > 1) {
      failed["local_path"] = printable(call.what.local_path);
      failed["remote_path"] = printable(call.what.remote_path);
    }
    return answer(std::move(failed), status);
  }

  int answer(Json json, int status) {
    if (options_.calls.size() == 1) return print_json_then(json, status);
    answers_.push_back(std::move(json));
    return status;
  }

  const SyncOptions& options_;
  ops::Engine& engine_;
  ProgressBar& bar_;
  Interrupts& interrupts_;
  ops::Session session_;
  Json answers_ = Json::array();
  int status_ = kExitSuccess;
};

}  // namespace

int sync_command(const SyncOptions& options, const Doors& doors) {
  const auto engine = doors.engine();
  if (!engine) return fail(options, engine.error(), kExitFailure);
  ProgressBar bar(!options.json && !options.quiet);
  const auto interrupts = Interrupts::install([&](int) {
    bar.erase();
    say("stopping; what is done stays done, and the same command goes on from there");
  });
  if (!interrupts) return fail(options, interrupts.error(), kExitFailure);
  if (const auto checked = check_words(**engine, options); !checked) {
    return fail(options, checked.error(), kExitUsage);
  }
  return Syncs(options, **engine, bar, **interrupts).run();
}

}  // namespace yonder::cli
