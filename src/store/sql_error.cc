#include "store/sql_error.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/quote.h"
#include "base/text.h"

namespace yonder::store {
namespace {

Error busy(const std::string& path) {
  return {Errc::Timeout, concat(path, " is held by another process"),
          concat("try again; `fuser ", shell_quote(path), "` shows who uses it")};
}

Error full(const std::string& path) {
  return {Errc::Internal, concat("no space left for ", path, "; nothing was written"),
          "free some space (or quota) there and try again; runs over there go on all the same"};
}

Error unwritable(const std::string& path, const std::string& why) {
  return {Errc::Config, concat("cannot write ", path, ": ", why),
          "make the file and its directory writable, or set XDG_STATE_HOME to a directory that is"};
}

// SQLite does not say why a file cannot be opened. Asking with open(2) is out of the question: to
// close a descriptor of the file would drop all locks that this process has on it.
Error cannot_open(const std::string& path, const SQLite::Exception& thrown) {
  const bool usable = ::access(path.c_str(), R_OK | W_OK) == 0;
  return unwritable(path, usable ? thrown.what() : std::strerror(errno));
}

bool is_full(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT;
}

}  // namespace

Error sql_error(const std::string& path, const SQLite::Exception& thrown, int system_errno) {
  constexpr int kPrimary = 0xff;  // the rest of a code says where, which helps nobody
  const int code = thrown.getErrorCode() & kPrimary;
  // A quota that is used up, and a shared memory file that cannot grow, come as these. With other
  // codes the system's number is left over from an earlier error.
  if ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && is_full(system_errno)) return full(path);
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return busy(path);
    case SQLITE_FULL: return full(path);
    case SQLITE_READONLY:
    case SQLITE_PERM: return unwritable(path, "it is read-only");
    case SQLITE_CANTOPEN: return cannot_open(path, thrown);
    case SQLITE_NOTADB: return useless_file(path, "is not a database");
    case SQLITE_CORRUPT: return useless_file(path, "is damaged");
    default: return {Errc::Internal, concat(path, ": ", thrown.what()), ""};
  }
}

Error useless_file(const std::string& path, const std::string& why) {
  return {Errc::Config, concat(path, " ", why),
          concat("move it away (", shell_line({"mv", path, path + ".broken"}),
                 "), then find the runs again with `yonder ps --scan`")};
}

Error cannot_create(const std::string& path, int error_number) {
  return is_full(error_number) ? full(path) : unwritable(path, std::strerror(error_number));
}

}  // namespace yonder::store
