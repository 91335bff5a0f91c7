#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "tree/messages.h"

namespace yonder::tree {

// "~", "~/x", "/x", "x" (below `base`, which may itself be any of these; empty: home) → absolute.
// `~user` is refused: it would be taken for a name.
Result<std::string> absolute_path(const std::string& path, const std::string& base,
                                  const std::string& home);

// The directory that a sync is about, at either end. The user's own words lead to it, so links are
// followed on the way; below it none is. It is opened, and made, by the path that its state tells,
// in which no link is: whoever judges that path judges this directory.
class Root {
 public:
  // Looks; changes nothing.
  static Result<Root> find(const OpenTree& wanted, const std::string& home);

  const RootState& state() const { return state_; }
  bool exists() const { return static_cast<bool>(directory_); }
  // NotFound when it does not exist.
  Result<int> get() const;
  // Makes it where it is missing.
  Result<int> make();
  // What it gets then, less what the umask takes; its owner may do everything until it is finished.
  void set_mode(std::uint32_t mode) { mode_ = mode; }

 private:
  RootState state_;
  std::uint32_t mode_ = 0777;  // if it is made
  Fd directory_;
};

}  // namespace yonder::tree
