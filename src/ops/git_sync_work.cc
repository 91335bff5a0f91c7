#include "ops/git_sync_work.h"

#include <time.h>

#include <algorithm>
#include <array>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/home_path.h"
#include "ops/git_sync_plan.h"
#include "ops/sync_places.h"

namespace yonder::ops {
namespace {

// For a look at what a failure has left.
constexpr auto kLastLook = std::chrono::seconds(15);
// How often a move of others may come in between.
constexpr int kMostRounds = 8;
constexpr std::size_t kMostPaths = 100;     // in the answer
constexpr std::size_t kMostShallow = 2000;  // as far as the script looks

std::string home_of(const std::vector<std::string>& environment) {
  for (const auto& entry : environment) {
    if (entry.starts_with("HOME=")) return entry.substr(5);
  }
  return "";
}

std::string today() {
  const auto now = static_cast<time_t>(wall_clock_ms() / 1000);
  tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  const std::size_t size = ::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return {text.data(), size};
}

void add_paths(const std::vector<std::string>& raw, GitSyncResponse& response) {
  const std::size_t count = std::min(raw.size(), kMostPaths);
  for (std::size_t i = 0; i < count; ++i) response.dirty.push_back(printable(raw[i]));
  if (raw.size() == count) return;
  response.warnings.push_back(concat("dirty: ", raw.size() - count, " more are not listed"));
}

}  // namespace

GitSync::GitSync(Engine& engine, CallContext& context, const GitSyncRequest& request,
                 const Patience* patience)
    : engine_(engine),
      context_(context),
      request_(request),
      patience_(patience),
      sandbox_(request.sandbox),
      deadline_(request.timeout ? Deadline::after(*request.timeout) : Deadline::never()),
      // By a path without links: what is judged is what git reads.
      local_path_(real_path(config::expand_home(request.local_path, home_of(engine.environment)))),
      git_(local_path_, engine.environment, deadline_) {}

Result<GitSyncRequest> GitSync::request_for_worker() {
  TRY(look_here());
  GitSyncRequest request = request_;
  request.sandbox = sandbox_;
  request.local_path = local_path_;
  request.commit = local_.id;
  request.branch = local_.branch;
  if (request.timeout) {
    request.timeout = std::max<Duration>(deadline_.remaining(), std::chrono::seconds(1));
  }
  return request;
}

Result<GitSyncResponse> GitSync::run() {
  TRY(look_here());
  for (int round = 0; round < kMostRounds; ++round) {
    context_.progress(concat("looking at ", printable(request_.remote_path), " on ", sandbox_));
    TRY_ASSIGN(far_, look(context_, deadline_));
    if (!far_.moving.empty()) {
      TRY(let_it_end());
      continue;
    }
    TRY_ASSIGN(std::optional<GitSyncResponse> response, run_once());
    if (!response) continue;
    response->duration_s = to_seconds(std::chrono::steady_clock::now() - began_);
    return *std::move(response);
  }
  return Error{Errc::Conflict,
               concat("'", printable(far_.path), "' over there is moved by others all the time"),
               "call again when they are done"};
}

Result<void> GitSync::look_here() {
  TRY(check_places());
  TRY_ASSIGN(local_, git_.look(request_.commit, request_.branch));
  return {};
}

Result<std::optional<GitSyncResponse>> GitSync::run_once() {
  TRY(check_far(request_, local_, far_));
  TRY_ASSIGN(const auto known, known_commits());
  const auto own = own_commits(far_, known);
  TRY(check_losses(request_, local_, far_, own));
  GitSyncResponse response = respond(own);
  if (is_up_to_date(local_, far_)) {
    note_earlier(response);
    return std::optional(std::move(response));
  }
  TRY_ASSIGN(const bool done, bring(own, known, response));
  return done ? std::optional(std::move(response)) : std::nullopt;
}

Result<void> GitSync::let_it_end() {
  TRY(check_moving(far_));
  const std::string where = concat(printable(far_.path), " on ", sandbox_);
  if (far_.moving == "going") {
    context_.progress(concat("waiting for the checkout of ", short_id(far_.moving_commit), " in ",
                             where, ", which has begun before"));
    earlier_ = far_;
    TRY(run_far_script(engine_, context_, script(git_wait_script(far_.path), deadline_)));
    return {};
  }
  context_.progress(concat("taking back what was left half done in ", where));
  FarScript far = script(git_settle_script(far_.path), deadline_);
  far.stays = true;
  TRY_ASSIGN(const FarOutput output, run_far_script(engine_, context_, far));
  TRY_ASSIGN(const FarOutcome outcome, parse_far_outcome(output.out));
  if (outcome.outcome == "half") {
    return far_failure(request_, {.path = far_.path}, outcome, output.said);
  }
  settled_ = far_.moving_commit;
  return {};
}

void GitSync::note_earlier(GitSyncResponse& response) const {
  if (!earlier_ || earlier_->moving_commit != local_.id) return;
  response.status = earlier_->moving_head.empty() ? "cloned" : "updated";
  response.old_commit = earlier_->moving_head;
}

Result<void> GitSync::check_places() const {
  TRY_ASSIGN(const PlaceJudge judge, place_judge(engine_, request_.by_agent));
  TRY_ASSIGN(std::vector<std::string> places, git_.places());
  places.insert(places.begin(), local_path_);
  for (const auto& place : places) {
    auto judged = judge(real_path(place));
    if (!judged) return std::move(judged).error().context("local_path");
  }
  return {};
}

FarScript GitSync::script(std::string text, const Deadline& deadline) const {
  // The sandbox's own directory need not exist for a path that does not begin there.
  const bool stands_alone =
      request_.remote_path.starts_with('/') || request_.remote_path.starts_with('~');
  return {.sandbox = sandbox_,
          .cwd = stands_alone ? "/" : "",
          .text = std::move(text),
          .deadline = deadline};
}

Result<FarRepository> GitSync::look(CallContext& context, const Deadline& deadline) {
  const std::string text =
      git_look_script({.path = request_.remote_path, .commit = local_.id, .branch = local_.branch});
  TRY_ASSIGN(const FarOutput output, run_far_script(engine_, context, script(text, deadline)));
  return parse_far_repository(output.out);
}

Result<std::vector<std::string>> GitSync::known_commits() const {
  std::vector<std::string> ids;
  for (const auto& commit : far_.history) ids.push_back(commit.id);
  ids.insert(ids.end(), far_.known.begin(), far_.known.end());
  return git_.known(ids);
}

GitSyncResponse GitSync::respond(const std::vector<FarCommit>& own) const {
  GitSyncResponse response{.status = "up_to_date",
                           .sandbox = sandbox_,
                           .remote_path = printable(far_.path),
                           .old_commit = far_.bare ? far_.tip : far_.head,
                           .new_commit = local_.id,
                           .branch = local_.branch,
                           .via = request_.via,
                           .own_commits = commit_lines(own),
                           .local_uncommitted = local_.uncommitted,
                           .warnings = warnings_of(request_, local_)};
  add_paths(far_.dirty, response);
  return response;
}

Result<bool> GitSync::bring(const std::vector<FarCommit>& own,
                            const std::vector<std::string>& known, GitSyncResponse& response) {
  GitApply apply = plan_apply(request_, local_, far_, own, today());
  if (!far_.changes.empty()) {
    TRY_ASSIGN(apply.status, git_.blob_id(far_.changes));
  }
  TRY(take(known, apply));
  context_.progress(concat("moving the checkout on ", sandbox_));
  FarScript far = script(git_apply_script(apply), deadline_);
  far.stays = true;
  TRY_ASSIGN(const FarOutcome outcome, run_apply(far));
  if (outcome.outcome == "moving") return false;
  if (outcome.outcome != "ok") return far_failure(request_, apply, outcome, said_);
  response.status = far_.head.empty() && !far_.bare ? "cloned" : "updated";
  response.stashed = outcome.stash;
  response.commits_sent = sent_.commits;
  response.bytes_sent = sent_.bytes;
  note(apply, outcome, response);
  return true;
}

Result<void> GitSync::take(const std::vector<std::string>& known, GitApply& apply) {
  Pack pack;
  if (far_.has_commit) return {};
  apply.transport = request_.via == GitVia::Remote ? "remote" : "pack";
  if (request_.via == GitVia::Link) {
    // Where not all the ends of its history are known, nothing may be left out.
    const bool all_known = far_.shallow.size() < kMostShallow;
    TRY_ASSIGN(pack, git_.pack({.commit = local_.id,
                                .have = all_known ? known : std::vector<std::string>(),
                                .shallow = far_.shallow},
                               context_.cancel));
    context_.progress(
        concat("sending ", human_bytes(pack.bytes), " (", pack.commits, " commits) to ", sandbox_));
  }
  FarScript far = script(git_take_script(apply), deadline_);
  far.stdin_fd = pack.file.get();
  TRY_ASSIGN(const FarOutcome outcome, run_apply(far));
  if (outcome.outcome != "ok") return far_failure(request_, apply, outcome, said_);
  sent_ = {.commits = pack.commits, .bytes = pack.bytes};
  return {};
}

Result<FarOutcome> GitSync::run_apply(const FarScript& script) {
  const auto output = run_far_script(engine_, context_, script);
  if (!output) return seen_after(output.error());
  said_ = output->said;
  return parse_far_outcome(output->out);
}

void GitSync::note(const GitApply& apply, const FarOutcome& outcome,
                   GitSyncResponse& response) const {
  add_paths(outcome.in_the_way, response);
  if (settled_) {
    response.warnings.push_back(concat("a checkout of ", short_id(*settled_),
                                       " had been left half done there, and was taken back first"));
  }
  for (const auto& backup : apply.backups) {
    if (response.backup_branch.empty()) {
      response.backup_branch = backup.branch;
    } else {
      response.warnings.push_back(
          concat("commits of a HEAD without a branch are on ", backup.branch));
    }
  }
  if (!outcome.code.empty() && outcome.code != "0") {
    response.warnings.push_back(concat("it is checked out, but git checkout ended with ",
                                       printable(outcome.code), ", as hooks can make it: ", said_));
  }
}

Error GitSync::seen_after(Error error) {
  if (patience_ != nullptr && patience_->over()) return error;  // somebody else goes on
  CallContext again{
      .session = context_.session, .detach = context_.detach, .abandon = context_.detach};
  const auto far = look(again, Deadline::after(kLastLook));
  error.message +=
      far && far->is_repository()
          ? concat("; HEAD over there is ", where_head_is(far->head, far->ref),
                   far->dirty.empty() ? "" : ", with changed files",
                   far->moving.empty() ? "" : ", on its way to ", short_id(far->moving_commit))
          : std::string("; where HEAD over there is could not be seen");
  return error;
}

}  // namespace yonder::ops
