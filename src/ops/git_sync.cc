#include "ops/git_sync.h"

#include <time.h>

#include <algorithm>
#include <array>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/home_path.h"
#include "ops/git_local.h"
#include "ops/git_sync_far.h"
#include "ops/git_sync_plan.h"
#include "ops/git_sync_report.h"
#include "ops/git_sync_script.h"
#include "ops/patience.h"
#include "ops/resolve.h"
#include "ops/sync.h"
#include "ops/sync_places.h"
#include "ops/transfers.h"

namespace yonder::ops {
namespace {

// For a look at what a failure has left.
constexpr auto kLastLook = std::chrono::seconds(15);
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

// One sync, from the first look to the answer.
class GitSync {
 public:
  // `patience`: of a caller who does not wait for ever.
  GitSync(Engine& engine, CallContext& context, const GitSyncRequest& request,
          const Patience* patience = nullptr)
      : engine_(engine),
        context_(context),
        request_(request),
        patience_(patience),
        sandbox_(request.sandbox),
        deadline_(request.timeout ? Deadline::after(*request.timeout) : Deadline::never()),
        // By a path without links: what is judged is what git reads.
        local_path_(
            real_path(config::expand_home(request.local_path, home_of(engine.environment)))),
        git_(local_path_, engine.environment, deadline_) {}

  // What is here is looked at: who goes on later brings this commit, whatever HEAD is then.
  Result<GitSyncRequest> request_for_worker() {
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

  Result<GitSyncResponse> run() {
    TRY(look_here());
    context_.progress(concat("looking at ", printable(request_.remote_path), " on ", sandbox_));
    TRY_ASSIGN(far_, look(context_, deadline_));
    TRY(check_far(request_, local_, far_));
    TRY_ASSIGN(const auto known, known_commits());
    const auto own = own_commits(far_, known);
    TRY(check_losses(request_, local_, far_, own));
    GitSyncResponse response = respond(own);
    if (!is_up_to_date(local_, far_)) TRY(bring(own, known, response));
    response.duration_s = to_seconds(std::chrono::steady_clock::now() - began_);
    return response;
  }

 private:
  Result<void> look_here() {
    TRY(check_places());
    TRY_ASSIGN(local_, git_.look(request_.commit, request_.branch));
    return {};
  }

  // What a sync of files may not send does not leave as a commit either.
  Result<void> check_places() const {
    TRY_ASSIGN(const PlaceJudge judge, place_judge(engine_, request_.by_agent));
    TRY_ASSIGN(std::vector<std::string> places, git_.places());
    places.insert(places.begin(), local_path_);
    for (const auto& place : places) {
      auto judged = judge(real_path(place));
      if (!judged) return std::move(judged).error().context("local_path");
    }
    return {};
  }

  FarScript script(std::string text, const Deadline& deadline) const {
    // The sandbox's own directory need not exist for a path that does not begin there.
    const bool stands_alone =
        request_.remote_path.starts_with('/') || request_.remote_path.starts_with('~');
    return {.sandbox = sandbox_,
            .cwd = stands_alone ? "/" : "",
            .text = std::move(text),
            .deadline = deadline};
  }

  Result<FarRepository> look(CallContext& context, const Deadline& deadline) {
    const std::string text = git_look_script(
        {.path = request_.remote_path, .commit = local_.id, .branch = local_.branch});
    TRY_ASSIGN(const FarOutput output, run_far_script(engine_, context, script(text, deadline)));
    return parse_far_repository(output.out);
  }

  // Of all that the far side has told of, what is also here.
  Result<std::vector<std::string>> known_commits() const {
    std::vector<std::string> ids;
    for (const auto& commit : far_.history) ids.push_back(commit.id);
    ids.insert(ids.end(), far_.known.begin(), far_.known.end());
    return git_.known(ids);
  }

  GitSyncResponse respond(const std::vector<FarCommit>& own) const {
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

  Result<void> bring(const std::vector<FarCommit>& own, const std::vector<std::string>& known,
                     GitSyncResponse& response) {
    GitApply apply = plan_apply(request_, local_, far_, own, today());
    if (!far_.changes.empty()) {
      TRY_ASSIGN(apply.status, git_.blob_id(far_.changes));
    }
    Pack pack;
    if (!far_.has_commit && request_.via == GitVia::Remote) apply.transport = "remote";
    if (!far_.has_commit && request_.via == GitVia::Link) {
      apply.transport = "pack";
      // Where not all the ends of its history are known, nothing may be left out.
      const bool all_known = far_.shallow.size() < kMostShallow;
      TRY_ASSIGN(pack, git_.pack({.commit = local_.id,
                                  .have = all_known ? known : std::vector<std::string>(),
                                  .shallow = far_.shallow},
                                 context_.cancel));
    }
    context_.progress(apply.transport == "pack" ? concat("sending ", human_bytes(pack.bytes), " (",
                                                         pack.commits, " commits) to ", sandbox_)
                                                : concat("moving the checkout on ", sandbox_));
    FarScript far = script(git_apply_script(apply), deadline_);
    far.stdin_fd = pack.file.get();
    TRY_ASSIGN(const FarOutcome outcome, apply_far(apply, far));
    response.status = far_.head.empty() && !far_.bare ? "cloned" : "updated";
    response.stashed = outcome.stash;
    response.commits_sent = pack.commits;
    response.bytes_sent = pack.bytes;
    note(apply, outcome, response);
    return {};
  }

  Result<FarOutcome> apply_far(const GitApply& apply, const FarScript& script) {
    const auto output = run_far_script(engine_, context_, script);
    if (!output) return seen_after(output.error());
    TRY_ASSIGN(FarOutcome outcome, parse_far_outcome(output->out));
    said_ = output->said;
    if (outcome.outcome == "ok") return outcome;
    return far_failure(request_, apply, outcome, output->said);
  }

  void note(const GitApply& apply, const FarOutcome& outcome, GitSyncResponse& response) const {
    add_paths(outcome.in_the_way, response);
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
                                         printable(outcome.code),
                                         ", as hooks can make it: ", said_));
    }
  }

  // The script could not tell where HEAD is: look once more, also when the call was given up.
  Error seen_after(Error error) {
    if (patience_ != nullptr && patience_->over()) return error;  // somebody else goes on
    CallContext again{
        .session = context_.session, .detach = context_.detach, .abandon = context_.detach};
    const auto far = look(again, Deadline::after(kLastLook));
    error.message += far && far->is_repository()
                         ? concat("; HEAD over there is ", where_head_is(far->head, far->ref),
                                  far->dirty.empty() ? "" : ", with changed files")
                         : std::string("; where HEAD over there is could not be seen");
    return error;
  }

  Engine& engine_;
  CallContext& context_;
  const GitSyncRequest& request_;
  const Patience* const patience_;
  const std::string sandbox_;
  const Deadline deadline_;
  const std::string local_path_;
  const LocalGit git_;
  const Instant began_ = std::chrono::steady_clock::now();
  LocalCommit local_;
  FarRepository far_;
  std::string said_;  // by git, over there
};

Result<GitSyncResponse> hand_over(Engine& engine, CallContext& context,
                                  const GitSyncRequest& request, const std::string& why) {
  TRY_ASSIGN(const GitSyncRequest rest, GitSync(engine, context, request).request_for_worker());
  TRY_ASSIGN(TransferStarted started, start_transfer(engine, rest));
  started.auto_switched = !why.empty();
  started.why = why;
  GitSyncResponse response{.status = "queued",
                           .sandbox = rest.sandbox,
                           .remote_path = printable(rest.remote_path),
                           .new_commit = rest.commit,
                           .branch = rest.branch,
                           .via = rest.via,
                           .transfer = std::move(started)};
  if (!why.empty()) response.warnings.push_back(why);
  return response;
}

// As long as the caller waits. What is cut off then is as if it had not begun: git over there
// takes a pack whole or not at all, and a second call goes on from whatever is there.
Result<GitSyncResponse> sync_within(Engine& engine, CallContext& context,
                                    const GitSyncRequest& request) {
  const auto began = std::chrono::steady_clock::now();
  const Patience patience(context, request.wait);
  // Also for a client who goes away: what runs over there is stopped before somebody else begins.
  CallContext waiting{
      .session = context.session, .cancel = patience.token(), .progress = context.progress};
  auto response = GitSync(engine, waiting, request, &patience).run();
  if (response || !patience.over() || context.cancel.cancelled()) return response;
  const Errc code = response.error().code;
  if (code != Errc::Cancelled && code != Errc::LinkLost) return response;
  GitSyncRequest rest = request;
  if (rest.timeout) *rest.timeout -= std::chrono::steady_clock::now() - began;
  return hand_over(engine, context, rest, patience.why());
}

}  // namespace

Result<GitSyncResponse> git_sync(Engine& engine, CallContext& context,
                                 const GitSyncRequest& request) {
  TRY(check_git_sync_request(request));
  GitSyncRequest asked = request;
  TRY_ASSIGN(const SandboxSpec sandbox, resolve_sandbox(engine, context.session, request.sandbox));
  asked.sandbox = sandbox.name;
  if (asked.background) return hand_over(engine, context, asked, "");
  if (asked.wait) return sync_within(engine, context, asked);
  return GitSync(engine, context, asked).run();
}

}  // namespace yonder::ops
