#include "outpost/record_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/lock_holder.h"
#include "base/text.h"
#include "outpost/command.h"
#include "outpost/remove_run.h"

namespace yonder::outpost {
namespace {

// Never through a link: that would lead to a log of the user.
Result<void> create_file(const RunRecord& record, const char* name, std::string_view content) {
  TRY_ASSIGN(const Fd fd, open_file(record.path(name), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW));
  auto written = write_all(fd, content);
  if (!written) return std::move(written).error().context(record.path(name));
  return {};
}

Result<void> create_link(const RunRecord& record, const char* name, const std::string& target) {
  ::unlink(record.path(name).c_str());  // of a starter that died
  if (::symlink(target.c_str(), record.path(name).c_str()) != 0) {
    return errno_error("link " + record.path(name));
  }
  return {};
}

// `out` is always where the output is read from.
Result<void> create_log(const RunRecord& record, const std::string& log_file) {
  TRY(create_file(record, "err", ""));
  TRY(log_file.empty() ? create_file(record, "log", "") : create_link(record, "log", log_file));
  return create_link(record, "out", "log");
}

}  // namespace

Result<void> lock_new_spec(const RunRecord& record, const Fd& file) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return errno_error("lock " + record.path("spec"));
    return Error{Errc::Conflict,
                 concat(record.path("spec"), " is locked by ", describe_flock_holder(file)), ""};
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return errno_error("fstat " + record.path("spec"));
  if (info.st_size == 0 && info.st_nlink > 0) return {};
  return Error{Errc::Conflict, record.path("spec") + " was used by another process", ""};
}

Result<Fd> create_spec(const RunRecord& record) {
  TRY_ASSIGN(Fd fd, open_file(record.path("spec"), O_RDWR | O_CREAT | O_EXCL));
  TRY(lock_new_spec(record, fd));
  return fd;
}

Result<void> write_spec(const RunRecord& record, const Fd& file, wire::StartRequest spec) {
  spec.input.clear();  // it has a file of its own
  struct stat info {};
  const bool fresh = ::fstat(file.get(), &info) == 0 && info.st_size == 0;
  if (!fresh && ::ftruncate(file.get(), 0) != 0) {
    return errno_error("truncate " + record.path("spec"));
  }
  return write_all(file, wire::encode(spec));
}

Result<void> create_common_files(const RunRecord& record) {
  TRY(record.reserve_exit());
  TRY(record.prepare_alive());
  TRY(create_file(record, "err", ""));
  return create_file(record, "out", "");
}

Result<void> create_files(const RunRecord& record, const wire::StartRequest& spec,
                          bool has_common) {
  if (spec.background) {
    TRY(record.reserve_exit());
    TRY(record.prepare_alive());
    TRY(create_log(record, spec.log_file));
  } else if (!has_common) {
    TRY(create_common_files(record));
  }
  if (spec.stdin_mode == wire::StdinMode::Whole) TRY(create_file(record, "in", spec.input));
  if (spec.stdin_mode == wire::StdinMode::Stream) {
    TRY(create_file(record, "in", ""));
    TRY(create_file(record, "in.pos", std::string(sizeof(std::uint64_t), '\0')));
  }
  if (spec.login) {
    TRY(create_file(record, "login", ""));
    TRY(create_file(record, "entered.new", ""));
  }
  if (spec.command.size() > kMaxArgument) TRY(create_file(record, "command", spec.command));
  return {};
}

std::string ReadyRecord::path_of(const std::string& state_dir, const std::string& name) {
  return concat(state_dir, "/spares/", name);
}

std::optional<ReadyRecord> ReadyRecord::make(const std::string& directory) {
  const std::string unfinished = directory + ".new";
  const RunRecord record(unfinished);
  // Not its parents: a state directory that somebody deletes stays deleted.
  [[maybe_unused]] const auto folder = make_directory(directory.substr(0, directory.rfind('/')));
  if (!make_directory(unfinished)) return std::nullopt;
  auto lock = create_spec(record);
  const bool made = lock && create_common_files(record) &&
                    std::rename(unfinished.c_str(), directory.c_str()) == 0;
  if (!made) {
    remove_run(unfinished);
    return std::nullopt;
  }
  return ReadyRecord(directory, *std::move(lock));
}

bool ReadyRecord::unused() const {
  return path_exists(directory_);
}

ReadyRecord::~ReadyRecord() {
  if (!lock_) return;
  lock_.reset();  // a network file system keeps a file that is open, and its directory with it
  remove_run(directory_);
}

}  // namespace yonder::outpost
