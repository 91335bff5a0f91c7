#include "outpost/read_log_target.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/home_path.h"
#include "base/text.h"
#include "outpost/given_back.h"
#include "outpost/list_runs.h"
#include "outpost/session.h"

namespace yonder::outpost {
namespace {

// How many runs are looked through for the one that writes a file.
constexpr std::size_t kSearched = 200;

// Of a foreground run: what it printed to its standard output.
std::string log_path(const RunRecord& record) {
  std::array<char, PATH_MAX> target{};
  const std::string log = record.path("log");
  const ssize_t n = ::readlink(log.c_str(), target.data(), target.size());
  if (n > 0) return {target.data(), static_cast<std::size_t>(n)};
  struct stat info {};
  return ::lstat(log.c_str(), &info) == 0 || writes_log(record) ? log : record.path("out");
}

LogTarget log_of(const RunRecord& record) {
  const auto spec = record.read_spec();
  // Before that there are only the zeros of a hole.
  const std::uint64_t first_kept = read_gone(record).out.to;
  return {.record = record,
          .path = log_path(record),
          .log_from = std::max(spec ? spec->log_from : 0, first_kept),
          .tmux_session = ""};
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? real.get() : path;
}

std::string_view last_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  if (::stat(a.c_str(), &first) != 0 || ::stat(b.c_str(), &second) != 0) return a == b;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// The newest run that writes this file. Only files of the same name are looked at more closely: the
// others may lie on a file system that does not answer.
std::optional<RunRecord> writer_of(const Surroundings& around, const std::string& path) {
  if (around.state_dir.empty()) return std::nullopt;
  const std::string real = real_path(path);
  for (auto& record : newest_runs(around.state_dir, kSearched)) {
    const std::string log = log_path(record);
    const bool same_name = last_name(log) == last_name(path) || last_name(log) == last_name(real);
    if (same_name && (log == path || log == real || same_file(log, real))) return record;
  }
  return std::nullopt;
}

}  // namespace

Result<LogTarget> find_log(const Surroundings& around, const wire::ReadLogRequest& request) {
  const int names = (request.run_id.empty() ? 0 : 1) + (request.session.empty() ? 0 : 1) +
                    (request.path.empty() ? 0 : 1);
  if (names != 1) {
    return Error{Errc::InvalidArgument, "a log is named by a run id, a session or a path",
                 "give exactly one of them"};
  }
  if (!request.run_id.empty()) {
    TRY_ASSIGN(const RunRecord record, find_run(around, request.run_id));
    return log_of(record);
  }
  if (!request.session.empty()) {
    auto record = find_by_session(around, request.session);
    if (!record) record = find_by_tmux_name(around, request.session);
    if (record) return log_of(*record);
    return LogTarget{.path = "", .tmux_session = request.session};
  }
  if (request.path.find('\0') != std::string::npos) {
    return Error{Errc::InvalidArgument, "a path cannot hold a NUL byte", ""};
  }
  TRY_ASSIGN(const std::string path, path_from_home(request.path, "", around.home));
  LogTarget target{.path = path, .tmux_session = ""};
  const auto writer = writer_of(around, target.path);
  if (writer) {
    target.record = writer;
    const auto spec = writer->read_spec();
    if (spec) target.log_from = spec->log_from;
  }
  return target;
}

}  // namespace yonder::outpost
