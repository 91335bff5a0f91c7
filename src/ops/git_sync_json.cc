#include "base/clean_text.h"
#include "base/text.h"
#include "ops/arguments.h"
#include "ops/git_sync.h"
#include "ops/schema.h"

namespace yonder::ops {
namespace {

// It goes on in the background when nobody waits any more.
constexpr double kDefaultTimeout = 3600;
// Time is left to stop what runs over there before a client gives up.
constexpr double kDefaultWait = 45;
constexpr double kMaxWait = 600;
constexpr double kMaxSeconds = 24.0 * 3600;

Error wrong_word(const char* name, const std::string& word, const char* words) {
  return {Errc::InvalidArgument, concat(name, ": there is no '", printable(word), "'"), words};
}

// Takes over what a word's parser says, so that the first wrong argument is the one reported.
template <class T>
void take(Arguments& in, const char* name, const Result<T>& parsed, T& into) {
  if (parsed) {
    into = *parsed;
  } else {
    in.fail(name, "must be one of: " + parsed.error().hint);
  }
}

Duration seconds_of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

const char* word_of(OnDiverged choice) {
  if (choice == OnDiverged::KeepBranch) return "keep_branch";
  return choice == OnDiverged::Reset ? "reset" : "refuse";
}

const char* word_of(GitVia via) {
  return via == GitVia::Link ? "link" : "remote";
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json choice(const char* description, const std::vector<std::string>& words) {
  Json schema = with_default(typed("string", description), words.front());
  schema["enum"] = words;
  return schema;
}

Json input_schema() {
  return object_schema(
      {{"remote_path", typed("string",
                             "The checkout over there; ~ and relative paths are fine. Cloned if it "
                             "does not exist.")},
       {"local_path", with_default(typed("string", "The repository here."), ".")},
       {"commit", with_default(typed("string", "Branch, tag or commit of it."), "HEAD")},
       {"branch", nullable("string",
                           "Branch to be on over there. Default: the local branch that commit "
                           "names, else a detached HEAD.")},
       {"via", choice("link: send what is missing from here. remote: git fetch over there.",
                      {"link", "remote"})},
       {"remote", with_default(typed("string", "With via=remote: its name over there."), "origin")},
       {"on_dirty", choice("Uncommitted changes over there, and untracked files in the way.",
                           {"refuse", "stash", "reset"})},
       {"on_diverged",
        choice("Commits that exist only over there. keep_branch: keep them on a backup branch.",
               {"refuse", "keep_branch", "reset"})},
       {"sandbox_name", with_default(typed("string", "Default: the active sandbox."), "")},
       {"wait_s", with_default(typed("number",
                                     "How long this call waits; then it goes on in the background, "
                                     "for check_file_transfer_task."),
                               kDefaultWait)},
       {"background", with_default(typed("boolean", "Do not wait at all."), false)},
       {"timeout_s", with_default(typed("number", "For all of it."), kDefaultTimeout)}},
      {"remote_path"});
}

Json output_schema() {
  const Json text{{"type", "string"}};
  return result_schema(
      {{"mode", typed("string", "inline, or background: it is not done yet.")},
       {"task_id", nullable("integer", "For check_file_transfer_task, in the background.")},
       {"log_file", nullable("string", "Here, of that.")},
       {"status", typed("string", "cloned, updated or up_to_date; queued in the background.")},
       {"sandbox", typed("string", "Where.")},
       {"remote_path", typed("string", "Absolute.")},
       {"old_commit", nullable("string", "What was checked out before.")},
       {"new_commit", typed("string", "What is checked out now.")},
       {"branch", nullable("string", "null: a detached HEAD.")},
       {"via", typed("string", "link or remote.")},
       {"dirty", list_of(text, "Paths that had changes, or were in the way.")},
       {"stashed", nullable("string", "For git stash apply, over there.")},
       {"backup_branch", nullable("string", "Holds own_commits.")},
       {"own_commits", list_of(text, "Existed only over there.")},
       {"commits_sent", typed("integer", "Through the link.")},
       {"bytes_sent", typed("integer", "Through the link.")},
       {"duration_s", typed("number", "Of the whole call.")},
       {"local_uncommitted", typed("integer", "Changes here that no commit holds.")},
       {"warnings", list_of(text, "What else to know.")}});
}

Result<Json> call(Engine& engine, CallContext& context, const Json& arguments) {
  TRY_ASSIGN(const GitSyncRequest request, parse_git_sync_request(arguments));
  TRY_ASSIGN(const GitSyncResponse response, git_sync(engine, context, request));
  return to_json(response);
}

}  // namespace

const char* word_of(OnDirty choice) {
  if (choice == OnDirty::Stash) return "stash";
  return choice == OnDirty::Reset ? "reset" : "refuse";
}

Result<GitVia> parse_git_via(const std::string& word) {
  if (word == "link") return GitVia::Link;
  if (word == "remote") return GitVia::Remote;
  return wrong_word("via", word, "link, remote");
}

Result<OnDirty> parse_on_dirty(const std::string& word) {
  if (word == "refuse") return OnDirty::Refuse;
  if (word == "stash") return OnDirty::Stash;
  if (word == "reset") return OnDirty::Reset;
  return wrong_word("on_dirty", word, "refuse, stash, reset");
}

Result<OnDiverged> parse_on_diverged(const std::string& word) {
  if (word == "refuse") return OnDiverged::Refuse;
  if (word == "keep_branch") return OnDiverged::KeepBranch;
  if (word == "reset") return OnDiverged::Reset;
  return wrong_word("on_diverged", word, "refuse, keep_branch, reset");
}

Result<void> check_git_sync_request(const GitSyncRequest& request) {
  const auto wrong = [](const char* name, const char* what) {
    return Error{Errc::InvalidArgument, concat(name, ": ", what), ""};
  };
  const std::string& path = request.remote_path;
  if (path.empty()) return wrong("remote_path", "must not be empty");
  if (path.starts_with('~') && path != "~" && !path.starts_with("~/")) {
    return wrong("remote_path", "homes of other users are not looked up; give the whole path");
  }
  if (request.commit.empty() || request.commit.starts_with('-')) {
    return wrong("commit", "must be a branch, a tag or a commit");
  }
  if (request.remote.empty() || request.remote.starts_with('-')) {
    return wrong("remote", "must be the name of a remote");
  }
  if (request.local_path.empty()) return wrong("local_path", "must not be empty");
  for (const auto& text :
       {path, request.local_path, request.commit, request.branch, request.remote}) {
    if (text.find('\0') != std::string::npos) return wrong("arguments", "one holds a NUL byte");
  }
  return {};
}

Result<GitSyncRequest> parse_git_sync_request(const Json& arguments) {
  Arguments in(arguments);
  GitSyncRequest request;
  request.remote_path = in.text("remote_path", "");
  request.local_path = in.text("local_path", ".");
  request.commit = in.text("commit", "HEAD");
  request.branch = in.text("branch", "");
  take(in, "via", parse_git_via(in.text("via", "link")), request.via);
  request.remote = in.text("remote", "origin");
  take(in, "on_dirty", parse_on_dirty(in.text("on_dirty", "refuse")), request.on_dirty);
  take(in, "on_diverged", parse_on_diverged(in.text("on_diverged", "refuse")), request.on_diverged);
  request.sandbox = in.text("sandbox_name", "");
  request.timeout = seconds_of(in.number("timeout_s", kDefaultTimeout, 1, kMaxSeconds));
  request.wait = seconds_of(in.number("wait_s", kDefaultWait, 0, kMaxWait));
  request.background = in.flag("background", false);
  TRY(in.finish());
  TRY(check_git_sync_request(request));
  return request;
}

Json arguments_json(const GitSyncRequest& request) {
  Json json{{"remote_path", request.remote_path},
            {"local_path", request.local_path},
            {"commit", request.commit},
            {"branch", request.branch},
            {"via", word_of(request.via)},
            {"remote", request.remote},
            {"on_dirty", word_of(request.on_dirty)},
            {"on_diverged", word_of(request.on_diverged)},
            {"sandbox_name", request.sandbox}};
  if (request.timeout) json["timeout_s"] = to_seconds(*request.timeout);
  return json;
}

Json to_json(const GitSyncResponse& response) {
  const auto& transfer = response.transfer;
  return Json{{"mode", transfer ? "background" : "inline"},
              {"task_id", transfer ? Json(transfer->id) : Json()},
              {"log_file", transfer ? Json(transfer->log_file) : Json()},
              {"status", response.status},
              {"sandbox", response.sandbox},
              {"remote_path", response.remote_path},
              {"old_commit", text_or_null(response.old_commit)},
              {"new_commit", response.new_commit},
              {"branch", text_or_null(response.branch)},
              {"via", word_of(response.via)},
              {"dirty", response.dirty},
              {"stashed", text_or_null(response.stashed)},
              {"backup_branch", text_or_null(response.backup_branch)},
              {"own_commits", response.own_commits},
              {"commits_sent", response.commits_sent},
              {"bytes_sent", response.bytes_sent},
              {"duration_s", response.duration_s},
              {"local_uncommitted", response.local_uncommitted},
              {"warnings", response.warnings}};
}

Operation git_sync_operation() {
  return {
      .name = "git_sync",
      .title = "Bring a checkout to a commit",
      .toolset = "files",
      .description =
          "Brings a git checkout on a sandbox to the local HEAD, or to another local commit, "
          "without a hosting service: what is missing goes through the link. Clones if there is "
          "nothing. Only commits travel: commit first. Refuses, and changes nothing, when there "
          "are changes or commits over there that would be lost; on_dirty and on_diverged say "
          "what to do with them.",
      .hints = {.read_only = false, .destructive = true, .idempotent = true},
      .input_schema = input_schema(),
      .output_schema = output_schema(),
      .call = call};
}

}  // namespace yonder::ops
