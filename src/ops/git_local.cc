#include "ops/git_local.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "base/clean_text.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "ops/git_safety.h"
#include "ops/git_sync_report.h"

namespace yonder::ops {
namespace {

constexpr std::size_t kMostOutput = 64UL << 20;
constexpr std::size_t kSha1Digits = 40;
constexpr std::size_t kMostSaid = 600;
constexpr int kLookEveryMs = 200;

std::string said(const std::string& text) {
  std::string clean = clean_text(trim(text).substr(0, kMostSaid)).text;
  return clean.empty() ? "git failed and said nothing" : clean;
}

std::string temporary_directory(const std::vector<std::string>& environment) {
  for (const auto& entry : environment) {
    if (entry.starts_with("TMPDIR=/")) return entry.substr(7);
  }
  return "/tmp";
}

// A file that has no name: it is gone with its last descriptor, however we end.
Result<Fd> nameless_file(const std::string& directory) {
  Fd file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  std::string path = directory + "/yonder-pack-XXXXXX";
  file = Fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!file) return errno_error(concat("cannot make a file in ", printable(directory)));
  ::unlink(path.c_str());
  return file;
}

// Takes everything that the child prints.
Result<std::uint64_t> drain(Subprocess& child, const Fd& into, const Deadline& deadline,
                            const CancelToken& cancel) {
  std::array<char, 65536> buffer{};
  std::uint64_t total = 0;
  while (true) {
    if (cancel.cancelled()) return Error{Errc::Cancelled, "cancelled while packing", ""};
    if (deadline.expired()) return Error{Errc::Timeout, "packing took too long", ""};
    pollfd ready{child.output().get(), POLLIN, 0};
    if (::poll(&ready, 1, kLookEveryMs) <= 0) continue;
    TRY_ASSIGN(const std::size_t n, read_some(child.output(), buffer.data(), buffer.size()));
    if (n == 0) return total;
    TRY(write_all(into, std::string_view(buffer.data(), n)));
    total += n;
  }
}

std::string lines_of(const PackRequest& request) {
  std::string lines;
  for (const auto& id : request.shallow) lines += concat("--shallow ", id, "\n");
  lines += concat(request.commit, "\n");
  for (const auto& id : request.have) lines += concat("^", id, "\n");
  return lines;
}

}  // namespace

LocalGit::LocalGit(std::string directory, const std::vector<std::string>& environment,
                   Deadline deadline)
    : directory_(std::move(directory)),
      environment_(safe_git_environment(environment)),
      deadline_(deadline) {}

std::vector<std::string> LocalGit::words_for(const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv{"git"};
  const auto options = safe_git_options();
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"-C", directory_});
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

Result<LocalGit::Output> LocalGit::git(const std::vector<std::string>& arguments,
                                       const std::string& input) const {
  auto done = run_captured({.argv = words_for(arguments), .environment = environment_}, input,
                           kMostOutput, deadline_);
  if (!done) {
    return Error{done.error().code, concat("here: ", done.error().message),
                 "git is needed on this machine, in PATH"};
  }
  return Output{
      .ok = done->status.success(), .out = std::move(done->out), .err = std::move(done->err)};
}

Result<std::string> LocalGit::find_commit(const std::string& commit) const {
  TRY_ASSIGN(const Output found, git({"rev-parse", "--verify", concat(commit, "^{commit}")}));
  const std::string id(trim(found.out));
  if (found.ok && is_object_id(id)) return id;
  TRY_ASSIGN(const Output inside, git({"rev-parse", "--git-dir"}));
  if (!inside.ok) {
    return Error{Errc::NotFound,
                 concat("'", printable(directory_),
                        "' here is in no usable git repository: ", said(inside.err)),
                 "local_path names the repository to take the commit from"};
  }
  return Error{Errc::NotFound,
               concat("there is no commit '", printable(commit), "' in ", printable(directory_),
                      ": ", said(found.err)),
               "commit takes what `git rev-parse` takes: a branch, a tag, an id, HEAD~2"};
}

// A branch is known over there by the name it has here. Any other commit has no name.
Result<std::string> LocalGit::find_branch(const std::string& commit,
                                          const std::string& branch) const {
  constexpr std::string_view kHeads = "refs/heads/";
  if (!branch.empty()) {
    TRY_ASSIGN(const Output checked, git({"check-ref-format", concat(kHeads, branch)}));
    if (checked.ok && !branch.starts_with('-') && branch != "HEAD") return branch;
    return Error{Errc::InvalidArgument,
                 concat("branch: '", printable(branch), "' is no name for a branch"), ""};
  }
  TRY_ASSIGN(const Output name, commit == "HEAD"
                                    ? git({"symbolic-ref", "-q", "HEAD"})
                                    : git({"rev-parse", "--symbolic-full-name", commit}));
  const std::string_view full = trim(name.out);
  const bool is_branch = name.ok && full.starts_with(kHeads);
  return std::string(is_branch ? full.substr(kHeads.size()) : std::string_view());
}

Result<std::vector<std::string>> LocalGit::places() const {
  std::vector<std::string> all;
  const std::array<std::vector<std::string>, 4> questions{{{"--show-toplevel"},
                                                           {"--absolute-git-dir"},
                                                           {"--git-common-dir"},
                                                           {"--git-path", "objects"}}};
  for (const auto& question : questions) {
    std::vector<std::string> arguments{"rev-parse"};
    arguments.insert(arguments.end(), question.begin(), question.end());
    TRY_ASSIGN(Output said_path, git(arguments));
    std::string& path = said_path.out;
    if (path.ends_with('\n')) path.pop_back();
    if (!said_path.ok || path.empty()) continue;  // a bare one has no top
    all.push_back(path.starts_with('/') ? path : concat(directory_, "/", path));
  }
  return all;
}

// To compare a file that was touched, git would run its filter; and in a submodule, another git,
// which does not get our options.
Result<std::uint64_t> LocalGit::count_changes() const {
  TRY_ASSIGN(const Output settings, git({"config", "--list", "--name-only", "-z"}));
  if (!settings.ok) return Error{Errc::Internal, said(settings.err), ""};
  const FilterOptions filters = without_filters(settings.out);
  if (filters.unspeakable) {
    return Error{Errc::Unsupported, "the repository here has a filter with '=' in its name",
                 "`git config --list` shows it"};
  }
  std::vector<std::string> arguments = filters.options;
  arguments.insert(arguments.end(),
                   {"status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"});
  TRY_ASSIGN(const Output status, git(arguments));
  return static_cast<std::uint64_t>(std::count(status.out.begin(), status.out.end(), '\0'));
}

Result<LocalCommit> LocalGit::look(const std::string& commit, const std::string& branch) const {
  LocalCommit local;
  TRY_ASSIGN(local.id, find_commit(commit));
  TRY_ASSIGN(local.branch, find_branch(commit, branch));
  TRY_ASSIGN(const Output about,
             git({"rev-parse", "--is-shallow-repository", "--is-inside-work-tree"}));
  const auto words = split(about.out, '\n');
  local.shallow = !words.empty() && words[0] == "true";
  local.format = local.id.size() > kSha1Digits ? "sha256" : "sha1";
  TRY_ASSIGN(const Output head, git({"rev-parse", "--verify", "-q", "HEAD^{commit}"}));
  local.is_head = trim(head.out) == local.id;
  if (words.size() > 1 && words[1] == "true") {
    TRY_ASSIGN(local.uncommitted, count_changes());
  }
  TRY_ASSIGN(const Output modules, git({"cat-file", "-e", concat(local.id, ":.gitmodules")}));
  local.submodules = modules.ok;
  TRY_ASSIGN(const Output lfs, git({"grep", "-q", "-e", "filter=lfs", local.id, "--",
                                    ":(top,glob)**/.gitattributes"}));
  local.lfs = lfs.ok;
  return local;
}

Result<std::vector<std::string>> LocalGit::known(const std::vector<std::string>& ids) const {
  std::vector<std::string> found;
  if (ids.empty()) return found;
  TRY_ASSIGN(const Output checked, git({"cat-file", "--batch-check"}, join(ids, "\n") + "\n"));
  if (!checked.ok) return Error{Errc::Internal, said(checked.err), ""};
  std::set<std::string> commits;
  for (const auto& line : split(checked.out, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 3 && words[1] == "commit") commits.insert(words[0]);
  }
  for (const auto& id : ids) {
    if (commits.contains(id)) found.push_back(id);
  }
  return found;
}

Result<std::string> LocalGit::blob_id(const std::string& content) const {
  TRY_ASSIGN(const Output hashed, git({"hash-object", "--stdin"}, content));
  const std::string id(trim(hashed.out));
  if (hashed.ok && is_object_id(id)) return id;
  return Error{Errc::Internal, said(hashed.err), ""};
}

Result<std::uint64_t> LocalGit::count_commits(const PackRequest& request) const {
  std::vector<std::string> arguments{"rev-list", "--count", request.commit};
  for (const auto& id : request.have) arguments.push_back(concat("^", id));
  arguments.emplace_back("--");
  TRY_ASSIGN(const Output counted, git(arguments));
  if (!counted.ok) return Error{Errc::Internal, said(counted.err), ""};
  return std::strtoull(counted.out.c_str(), nullptr, 10);
}

Result<Pack> LocalGit::pack(const PackRequest& request, const CancelToken& cancel) const {
  Pack pack;
  TRY_ASSIGN(pack.commits, count_commits(request));
  TRY_ASSIGN(pack.file, nameless_file(temporary_directory(environment_)));
  std::vector<std::string> arguments{"pack-objects",        "--revs", "--thin", "--stdout",
                                     "--delta-base-offset", "--quiet"};
  if (!request.shallow.empty()) arguments.emplace_back("--shallow");
  TRY_ASSIGN(Subprocess child,
             Subprocess::spawn({.argv = words_for(arguments), .environment = environment_}));
  TRY(write_all(child.input(), lines_of(request), deadline_));
  child.input().reset();
  auto bytes = drain(child, pack.file, deadline_, cancel);
  if (!bytes) {
    return std::move(bytes).error().context("packing what is missing over there (TMPDIR holds it)");
  }
  pack.bytes = *bytes;
  const auto status = child.wait(deadline_);
  if (!status || !status->success()) {
    std::array<char, kMostSaid> buffer{};
    const auto n = read_some(child.errors(), buffer.data(), buffer.size());
    return Error{Errc::Internal,
                 concat("packing what is missing over there: ",
                        said(std::string(buffer.data(), n ? *n : 0))),
                 "`git fsck` says what is wrong with the repository here"};
  }
  if (::lseek(pack.file.get(), 0, SEEK_SET) != 0) return errno_error("lseek");
  return pack;
}

}  // namespace yonder::ops
