#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "model/sandbox_spec.h"

namespace yonder::config {

// Where settings come from. Read once by app/, so that nothing below it looks at the environment.
struct Sources {
  std::map<std::string, std::string> environment;
  std::string home;
};

// One thing that was looked at, for `doctor`: "~/.config/yonder/config.toml", "2 sandboxes".
struct SourceNote {
  std::string source;
  std::string found;
};

// What syncs may do here. See ops/sync_places.
struct SyncSettings {
  std::optional<std::vector<std::string>> allow;  // absolute; nothing: any place
  bool allow_secrets = false;
};

struct Catalog {
  std::vector<SandboxSpec> sandboxes;  // names are unique; in the order they were said
  std::string active;                  // always one of them
  SyncSettings sync;
  std::vector<SourceNote> sources;
  std::vector<std::string>
      warnings;  // such as a broken edit of the file, while the last good one counts
};

// Knows every sandbox that was configured, and notices when the files change. Thread: any.
class ConfigStore {
 public:
  explicit ConfigStore(Sources sources);
  ~ConfigStore();

  // Re-reads what has changed since the last call. A broken edit keeps the last good catalog and
  // adds a warning; with no good one ever, it is the error.
  Result<Catalog> catalog();

  // By name, or an ad hoc destination: user@host, user@host:port, ssh://[user@]host[:port]. An
  // unknown name is NotFound and says the nearest one; it never becomes another machine.
  Result<SandboxSpec> find(const std::string& name);

  // The config.toml that is (or would be) read.
  std::string file_path() const;

 private:
  struct State;
  std::unique_ptr<Guarded<State>> state_;
  Sources sources_;
};

}  // namespace yonder::config
