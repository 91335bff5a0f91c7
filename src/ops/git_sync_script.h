#pragma once

#include <string>
#include <vector>

namespace yonder::ops {

// Pure: the two shell programs that git_sync runs over there, as text for `sh -c`. Each prints
// records that end in NUL; git_sync_report.h reads them.

// What is there? Changes nothing.
struct GitLook {
  std::string path;    // as the user gave it
  std::string commit;  // the one that is wanted
  std::string branch;  // empty: a detached HEAD
};
std::string git_look_script(const GitLook& look);

struct GitBackup {
  std::string branch;
  std::string commit;
};

// Makes it so, if everything is still as it was seen.
struct GitApply {
  std::string path;  // absolute
  std::string commit;
  std::string branch;
  bool make_repository = false;  // there was nothing, or an empty directory
  bool bare = false;
  std::string format;  // "sha1" or "sha256"
  // What was seen; empty: there is none.
  std::string head;
  std::string head_ref;
  std::string tip;     // of `branch`
  std::string status;  // the blob id of what `git status` printed; empty: clean
  // "pack": standard input is one; "remote": fetch from `remote`; "": all is there.
  std::string transport;
  std::string remote;
  std::string on_dirty;    // "refuse", "stash" or "reset"
  bool fetch_lfs = false;  // else files in git LFS stay pointers: nobody here can give them
  std::vector<GitBackup> backups;
};
std::string git_apply_script(const GitApply& apply);

}  // namespace yonder::ops
