#include "cli/git_sync_report.h"

#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/one_line.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kShortId = 10;

std::string what_happened(const ops::GitSyncResponse& response) {
  const std::string at = response.new_commit.substr(0, kShortId);
  if (response.status == "up_to_date") return concat("is up to date at ", at);
  if (response.old_commit.empty()) return concat("cloned at ", at);
  return concat("brought from ", response.old_commit.substr(0, kShortId), " to ", at);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

Error in_options(Error error) {
  replace_all(error.hint, "on_dirty=", "--on-dirty ");
  replace_all(error.hint, "on_diverged=", "--on-diverged ");
  replace_all(error.hint, "via=", "--via ");
  replace_all(error.hint, "remote_path", "REMOTE_PATH");
  replace_all(error.hint, "local_path", "--local");
  return error;
}

Report git_sync_report(const ops::GitSyncResponse& response) {
  if (const auto& transfer = response.transfer) {
    return {.status = kExitSuccess,
            .out = concat(transfer->id, "\n"),
            .messages = {concat("goes on in the background: yonder transfers ", transfer->id)}};
  }
  std::string line =
      concat(response.sandbox, ":", response.remote_path, " ", what_happened(response));
  line += response.branch.empty() ? std::string(", detached") : concat(", on ", response.branch);
  if (response.bytes_sent > 0) {
    line +=
        concat(" (", response.commits_sent, response.commits_sent == 1 ? " commit, " : " commits, ",
               human_bytes(response.bytes_sent), ")");
  }
  Report report{.status = kExitSuccess, .out = one_line(line) + "\n"};
  for (const auto& warning : response.warnings) report.messages.push_back(warning);
  if (!response.stashed.empty()) {
    report.messages.push_back(
        concat("the changes over there are put away: git stash apply ", response.stashed));
  } else if (!response.dirty.empty()) {
    report.messages.push_back(
        concat("changes over there were thrown away: ", join(response.dirty, ", ")));
  }
  if (!response.backup_branch.empty()) {
    report.messages.push_back(
        concat("the commits that were only there are on ", response.backup_branch));
  } else if (!response.own_commits.empty()) {
    report.messages.push_back(concat("commits that were only there are on no branch any more: ",
                                     join(response.own_commits, "; ")));
  }
  return report;
}

}  // namespace yonder::cli
