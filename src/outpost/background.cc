#include "outpost/background.h"

#include "base/clock.h"
#include "outpost/background_log.h"
#include "outpost/command.h"
#include "outpost/launcher.h"
#include "outpost/session.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kMaxDescription = 4096;

Result<void> settle_background(const Surroundings& around, wire::StartRequest& spec) {
  if (!spec.session.empty()) {
    TRY_ASSIGN(spec.session, check_session_name(spec.session));
  }
  if (spec.description.size() > kMaxDescription) {
    return Error{Errc::InvalidArgument, "the description is longer than 4 KiB", "nothing was run"};
  }
  TRY_ASSIGN(spec.cwd, resolve_directory(spec.cwd, around.home));
  TRY_ASSIGN(spec.launcher, choose_launcher(spec.launcher, look_at_systemd()));
  spec.log_from = 0;
  if (spec.log_file.empty()) return {};
  TRY_ASSIGN(LogPlace place, find_log_place(spec.log_file, spec.cwd, around.home));
  spec.log_file = std::move(place.path);
  spec.log_from = place.length;
  return {};
}

}  // namespace

Result<wire::StartRequest> settle_request(const Surroundings& around, wire::StartRequest request) {
  TRY(check_request(request, around.home));
  request.created_ms = wall_clock_ms();
  if (request.background) {
    TRY(settle_background(around, request));
  } else if (!request.log_file.empty() || !request.session.empty() || request.tmux ||
             !request.launcher.empty()) {
    return Error{Errc::InvalidArgument,
                 "log_file, session_name, tmux and launcher are for background runs",
                 "nothing was run"};
  }
  return request;
}

}  // namespace yonder::outpost
