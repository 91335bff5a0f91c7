#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/config_store.h"

namespace yonder::ops {

// Which places of this machine may be synced. An agent that was talked into it could otherwise
// send keys and tokens away with one call, or have a stranger's files put where ssh reads them.

struct OwnPlaces {
  std::string home;
  std::string state_directory;
  std::string config_file;
};

// Directories and files that usually hold secrets, links resolved.
std::vector<std::string> secret_places(const OwnPlaces& own);

// An absolute path with its links resolved, as far as it exists.
std::string real_path(const std::string& path);

// Pure. Refuses a path that is or lies in a secret place, or that `allow` does not name. Where
// secret places lie below it, gives the patterns that keep a sync out of them. All paths have
// their links resolved. `allow` is for agents only.
struct PlaceQuestion {
  std::string path;
  const std::vector<std::string>& secrets;
  const config::SyncSettings& settings;
  bool by_agent = true;
};
Result<std::vector<std::string>> judge_place(const PlaceQuestion& question);

}  // namespace yonder::ops
