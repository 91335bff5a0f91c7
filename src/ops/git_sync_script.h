#pragma once

#include <string>
#include <vector>

namespace yonder::ops {

// Pure: the shell programs that git_sync runs over there, as text for `sh -c`. Each prints
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

// What is to be made so, if everything is still as it was seen.
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
// Makes the repository and takes the objects. May be stopped at any time.
std::string git_take_script(const GitApply& apply);
// Moves the checkout. Should run to its end: what it leaves otherwise is for the next one.
std::string git_apply_script(const GitApply& apply);
// Takes back what a move has left whose processes are gone.
std::string git_settle_script(const std::string& path);
// Ends with the move that is going on.
std::string git_wait_script(const std::string& path);

}  // namespace yonder::ops
