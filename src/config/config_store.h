#pragma once

#include <functional>
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
  // The one that is meant when none is named; empty: then one must be named.
  std::string active;
  bool only_this_machine = false;  // `active` is this machine because no other one is known
  std::string why_none_active;     // where that is not simply so; for people
  SyncSettings sync;
  std::vector<SourceNote> sources;
  std::vector<std::string> warnings;
  std::string
      broken;  // what is wrong with the files, while the last good ones count; a warning too
};

// Knows every sandbox that was configured, and notices when the files change. Thread: any.
class ConfigStore {
 public:
  explicit ConfigStore(Sources sources);
  ~ConfigStore();

  // Re-reads what has changed since the last call. A broken edit keeps the last good catalog and
  // adds a warning; with no good one ever, it is the error. A config.toml that was read once and is
  // then empty, missing or unreadable is a broken edit, and where another machine was known, this
  // one is never `active` for want of others.
  Result<Catalog> catalog();

  // By name, or an ad hoc destination: user@host, user@host:port, ssh://[user@]host[:port]. An
  // unknown name is NotFound and says the nearest one; it never becomes another machine.
  Result<SandboxSpec> find(const std::string& name);

  // The config.toml that is (or would be) read.
  std::string file_path() const;

  // Puts what `change` makes of the text of config.toml (empty when there is none) into its place,
  // whole and only readable by this user. Nothing is written when the settings are broken, or would
  // be. Two processes that edit take turns.
  using TextChange = std::function<Result<std::string>(const std::string& text)>;
  struct Edited {
    bool changed = false;
    Catalog catalog;  // as it is now
  };
  Result<Edited> edit(const TextChange& change);

 private:
  struct State;
  std::unique_ptr<Guarded<State>> state_;
  Sources sources_;
};

}  // namespace yonder::config
