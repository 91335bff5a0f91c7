#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace yonder::ops {

// What the repository here says about the commit that is to be brought over.
struct LocalCommit {
  std::string id;
  std::string branch;  // that over there should be on it; empty: none, a detached HEAD
  std::string format;  // "sha1" or "sha256"
  bool is_head = false;
  bool shallow = false;
  bool submodules = false;
  bool lfs = false;
  std::uint64_t uncommitted = 0;
};

// What to send: everything of `commit` that is not part of `have`.
struct PackRequest {
  std::string commit;
  std::vector<std::string> have;
  std::vector<std::string> shallow;  // commits whose parents the receiver does not have
};
struct Pack {
  Fd file;  // without a name, at its beginning
  std::uint64_t bytes = 0;
  std::uint64_t commits = 0;
};

// The user's own git, in one repository of this machine. Nothing it does here changes that, and
// nothing that the repository names is run.
class LocalGit {
 public:
  // `environment`: of this process. `directory`: anywhere in the repository.
  LocalGit(std::string directory, const std::vector<std::string>& environment, Deadline deadline);

  // Where what it reads lies: the top of the checkout, the git directory, and those that it shares
  // with other worktrees. Absolute; none when this is no repository.
  Result<std::vector<std::string>> places() const;
  // `branch`: as the user wants it; empty: by `commit`.
  Result<LocalCommit> look(const std::string& commit, const std::string& branch) const;
  // Those that exist here and are commits, in the same order.
  Result<std::vector<std::string>> known(const std::vector<std::string>& ids) const;
  Result<std::string> blob_id(const std::string& content) const;
  Result<Pack> pack(const PackRequest& request, const CancelToken& cancel) const;

 private:
  struct Output {
    bool ok = false;
    std::string out;
    std::string err;
  };
  std::vector<std::string> words_for(const std::vector<std::string>& arguments) const;
  Result<Output> git(const std::vector<std::string>& arguments,
                     const std::string& input = "") const;
  Result<std::string> find_commit(const std::string& commit) const;
  Result<std::string> find_branch(const std::string& commit, const std::string& branch) const;
  Result<std::uint64_t> count_changes() const;
  Result<std::uint64_t> count_commits(const PackRequest& request) const;

  std::string directory_;
  std::vector<std::string> environment_;
  Deadline deadline_;
};

}  // namespace yonder::ops
