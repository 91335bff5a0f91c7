#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// Where the log of a background run goes when the user wants it at a place of his own.
struct LogPlace {
  std::string path;          // absolute
  std::uint64_t length = 0;  // what is there already stays
};
// `directory` is where the command will run: a relative name is meant from there. Only looks;
// InvalidArgument when a log could not be written there.
Result<LogPlace> find_log_place(const std::string& log_file, const std::string& directory,
                                const std::string& home);

// A log in the user's own tree, made with the user's own permissions. Directories that had to be
// made for it go away again when it is not kept and they are still empty; the log itself stays,
// because another run may write into it by then.
class UserLog {
 public:
  static Result<UserLog> create(const std::string& path);
  UserLog(UserLog&& other) noexcept;
  UserLog& operator=(UserLog&&) = delete;
  UserLog(const UserLog&) = delete;
  UserLog& operator=(const UserLog&) = delete;
  ~UserLog();
  void keep() { made_.clear(); }

 private:
  UserLog() = default;
  Result<void> make_parents(const std::string& path);
  std::vector<std::string> made_;  // directories, in the order of making
};

// The last line of a log, for people and scripts; how a run ended is never read from there. A disk
// that refuses it is no error.
void append_exit_code(const RunRecord& record, int code);

}  // namespace yonder::outpost
