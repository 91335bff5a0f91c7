#include <array>
#include <cstdio>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exec_ending.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/render.h"
#include "ops/login.h"

namespace yonder::cli {
namespace {

std::string seconds(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", value);
  return text.data();
}

int fail(const Error& error) {
  say_error(error);
  return kExitFailure;
}

}  // namespace

int login_command(const LoginOptions& options, const Doors& doors) {
  auto engine = doors.engine();
  if (!engine) return fail(engine.error());
  const auto interrupts = Interrupts::install([](int) { say("giving up the login"); });
  if (!interrupts) return fail(interrupts.error());
  ops::Session session;
  ops::CallContext context{.session = session,
                           .cancel = (*interrupts)->cancel(),
                           .detach = (*interrupts)->detach(),
                           .progress = [](const std::string& text) { say(text); }};
  const auto result = ops::login(**engine, context, options.sandbox);
  if (!result) {
    say_error(result.error());
    return status_of(result.error(), {.signal = (*interrupts)->first_signal()});
  }
  if (result->was_kept) {
    say(concat("already logged in to ", result->sandbox, "; `yonder logout ", result->sandbox,
               "` ends that login"));
    return kExitSuccess;
  }
  const char* kept = result->kept_by.empty() ? "; nothing needs to be kept"
                                             : "; the connection is kept until `yonder logout`";
  say(concat("logged in to ", result->sandbox, " in ", seconds(result->seconds), kept));
  return kExitSuccess;
}

int logout_command(const LogoutOptions& options, const Doors& doors) {
  auto engine = doors.engine();
  if (!engine) return fail(engine.error());
  ops::Session session;
  ops::CallContext context{.session = session};
  if (auto done = ops::logout(**engine, context, options.sandbox); !done) return fail(done.error());
  say(concat("logged out of ", options.sandbox));
  return kExitSuccess;
}

}  // namespace yonder::cli
