#include "ops/sync.h"

#include <filesystem>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "config/config_store.h"
#include "ops/patience.h"
#include "ops/resolve.h"
#include "ops/sync_places.h"
#include "ops/transfers.h"
#include "tree/beneath.h"
#include "tree/root.h"

namespace yonder::ops {
namespace {

std::string working_directory() {
  std::error_code failed;
  const auto here = std::filesystem::current_path(failed);
  return failed ? std::string("/") : here.string();
}

Result<SyncResponse> hand_over(Engine& engine, const SyncCall& call, const std::string& why) {
  TRY_ASSIGN(TransferStarted started, start_transfer(engine, call));
  started.auto_switched = !why.empty();
  started.why = why;
  return SyncResponse{.sandbox = call.sandbox, .asked = call.what, .transfer = std::move(started)};
}

std::string too_large(const sync::Counts& counts, const InlineLimits& limits) {
  return concat("goes on in the background: ", counts.files(),
                counts.files() == 1 ? " file with " : " files with ", human_bytes(counts.bytes),
                " are more than ", limits.files, " files or ", human_bytes(limits.bytes));
}

Error dry_run_too_long() {
  return {Errc::Timeout, "the dry run was not done when its time was over",
          "give a larger wait_s, or a smaller directory"};
}

void tell(const CallContext& context, const SyncProgress& progress) {
  const sync::Progress& at = progress.at;
  const bool known = at.bytes_total > 0;
  if (!known || !context.measured) return context.progress(sentence(progress));
  context.measured(sentence(progress), {.done = at.bytes_done, .total = at.bytes_total});
}

Result<SyncResponse> sync_here(Engine& engine, CallContext& context, const SyncCall& call,
                               const SyncWatch& watch) {
  TRY_ASSIGN(const SandboxSpec spec, engine.config.find(call.sandbox));
  const Patience patience(context, call.wait);
  std::string large;
  SyncMeter meter;
  SyncCall rest = call;  // for a worker, if one goes on
  const sync::SyncHooks hooks{
      .cancel = patience.token(),
      .on_cut = [&](const sync::SoFar& so_far) { rest.so_far = so_far; },
      .on_progress =
          [&](const sync::Progress& progress) {
            const auto read = meter.read(progress, std::chrono::steady_clock::now());
            watch(read);
            tell(context, read);
          },
      .on_plan = [&](const sync::Plan& plan) -> Result<void> {
        if (!call.limits || call.what.dry_run || !is_too_large(plan.counts, *call.limits)) {
          return {};
        }
        large = too_large(plan.counts, *call.limits);
        return Error{Errc::Cancelled, large, ""};
      },
      .on_note = context.progress};
  TRY_ASSIGN(const auto setup, sync_setup(engine, spec, call.by_agent));
  auto report = sync::run_sync(setup, call.what, hooks);
  if (report) {
    return SyncResponse{.sandbox = call.sandbox, .asked = call.what, .report = *std::move(report)};
  }
  if (!large.empty()) return hand_over(engine, rest, large);
  const bool goes_on = patience.over() && !context.cancel.cancelled();
  if (report.error().code != Errc::Cancelled || !goes_on) return std::move(report).error();
  if (call.what.dry_run) return dry_run_too_long();
  return hand_over(engine, rest, patience.why());
}

}  // namespace

Result<PlaceJudge> place_judge(Engine& engine, bool by_agent) {
  TRY_ASSIGN(const auto catalog, engine.config.catalog());
  auto secrets = secret_places({.home = engine.home,
                                .state_directory = engine.state_directory,
                                .config_file = engine.config.file_path()});
  return PlaceJudge(
      [secrets = std::move(secrets), settings = catalog.sync, by_agent](const std::string& path) {
        return judge_place(
            {.path = path, .secrets = secrets, .settings = settings, .by_agent = by_agent});
      });
}

Result<sync::SyncSetup> sync_setup(Engine& engine, const SandboxSpec& spec, bool by_agent) {
  TRY_ASSIGN(PlaceJudge judge, place_judge(engine, by_agent));
  return sync::SyncSetup{
      .links = engine.links,
      .spec = spec,
      .home = engine.home,
      .directory = working_directory(),
      .state_dir = engine.state_directory,
      .judge = std::move(judge),
      .own_places = {std::string(tree::split_path(engine.config.file_path()).parent),
                     engine.home + "/.cache/yonder"}};
}

Result<void> prepare(Engine& engine, SyncCall& call) {
  TRY_ASSIGN(const PlaceJudge judge, place_judge(engine, call.by_agent));
  const std::string here = working_directory();
  auto& what = call.what;
  auto local = tree::absolute_path(what.local_path, here, engine.home);
  if (!local) return std::move(local).error().context("local_path");
  what.local_path = *std::move(local);
  auto judged = judge(real_path(what.local_path));
  if (!judged) return std::move(judged).error().context("local_path");
  if (what.direction == sync::Direction::Push && !path_exists(what.local_path)) {
    return Error{Errc::NotFound,
                 concat("local_path '", printable(what.local_path), "' does not exist"),
                 "nothing was changed; check the path"};
  }
  if (what.options.confirm_delete && !what.options.delete_extras) {
    return Error{Errc::InvalidArgument, "confirm_delete is given, and delete_extras is not",
                 "nothing was changed; give both, or none"};
  }
  if (what.options.delete_ignored && !what.options.delete_extras) {
    return Error{Errc::InvalidArgument, "delete_ignored is given, and delete_extras is not",
                 "nothing was changed; give both, or none"};
  }
  auto& file = what.options.exclude_file;
  if (file.empty()) return {};
  auto rules = tree::absolute_path(file, here, engine.home);
  if (!rules) return std::move(rules).error().context("exclude_file");
  file = *std::move(rules);
  judged = judge(real_path(file));
  if (!judged) return std::move(judged).error().context("exclude_file");
  return {};
}

Result<SyncResponse> sync_files(Engine& engine, CallContext& context, const SyncCall& call,
                                const SyncWatch& watch) {
  SyncCall prepared = call;
  TRY_ASSIGN(const SandboxSpec spec, resolve_sandbox(engine, context.session, call.sandbox));
  prepared.sandbox = spec.name;
  TRY(prepare(engine, prepared));
  if (call.background) return hand_over(engine, prepared, "");
  return sync_here(engine, context, prepared, watch);
}

}  // namespace yonder::ops
