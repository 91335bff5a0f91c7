#include "config/config_store.h"

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "config/catalog.h"
#include "config/config_env.h"
#include "config/config_toml.h"
#include "config/file_stamp.h"
#include "config/home_path.h"
#include "config/ssh_aliases.h"

namespace yonder::config {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1024} * 1024;

// One reading of everything, good or bad, and what it depended on.
struct Reading {
  Watched watched;
  Result<Catalog> result;
};

std::string variable(const Sources& sources, const char* name) {
  const auto found = sources.environment.find(name);
  return found == sources.environment.end() ? std::string() : found->second;
}

std::string config_path(const Sources& sources) {
  if (const auto path = variable(sources, "YONDER_CONFIG"); !path.empty()) {
    return expand_home(path, sources.home);
  }
  // A relative XDG directory is to be ignored, says its specification.
  if (const auto base = variable(sources, "XDG_CONFIG_HOME"); base.starts_with('/')) {
    return base + "/yonder/config.toml";
  }
  return sources.home.empty() ? std::string() : sources.home + "/.config/yonder/config.toml";
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return concat(count, " ", count == 1 ? one : many);
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

struct FilePart {
  TomlSettings settings;
  SourceNote note;
  std::vector<std::string> warnings;
};

Result<FilePart> read_config_file(const Sources& sources, Watched& watched) {
  const std::string path = config_path(sources);
  const std::string shown = show_path(path, sources.home);
  FilePart part;
  part.note.source = shown;
  const FileStamp stamp = watched.add_file(path);
  if (!stamp.exists) {
    // A file that was asked for by name must be there: without it, work would go elsewhere.
    if (!variable(sources, "YONDER_CONFIG").empty()) {
      return Error{Errc::Config, concat("YONDER_CONFIG names ", shown, ", which cannot be found"),
                   "create the file, or unset YONDER_CONFIG"};
    }
    part.note.found = "not there";
    return part;
  }
  // A pipe would make us wait for its writer.
  if (!stamp.regular) return Error{Errc::Config, shown + " is not a regular file", ""};
  auto text = read_file(path, kLargestFile);
  if (!text) return Error{Errc::Config, std::move(text).error().message, ""};
  TRY_ASSIGN(part.settings, parse_config_toml(*text, shown, sources.home));
  part.note.found = counted(part.settings.sandboxes.size(), "sandbox", "sandboxes");
  constexpr mode_t kOthersMayRead = 044;
  if (part.settings.holds_secret && (stamp.mode & kOthersMayRead) != 0) {
    part.warnings.push_back(
        concat(shown, " holds a password and others may read it; run: chmod 600 ", shown));
  }
  return part;
}

Result<Catalog> read_catalog(const Sources& sources, Watched& watched) {
  TRY_ASSIGN(FilePart file, read_config_file(sources, watched));
  TRY_ASSIGN(const auto environment, read_environment(sources.environment, sources.home));
  const SshAliases aliases = read_ssh_aliases(sources.home, watched);
  TRY_ASSIGN(Catalog catalog, build_catalog(file.settings, environment, aliases));
  catalog.sources.push_back(std::move(file.note));
  append(catalog.sources, environment.sources);
  catalog.sources.push_back(
      {"~/.ssh/config",
       aliases.found ? counted(aliases.sandboxes.size(), "alias", "aliases") : "not there"});
  append(catalog.warnings, file.warnings);
  append(catalog.warnings, aliases.warnings);
  return catalog;
}

Reading read_everything(const Sources& sources) {
  Watched watched;
  auto result = read_catalog(sources, watched);
  return {std::move(watched), std::move(result)};
}

}  // namespace

struct ConfigStore::State {
  std::shared_ptr<const Reading> latest;
  std::shared_ptr<const Catalog> good;
};

ConfigStore::ConfigStore(Sources sources)
    : state_(std::make_unique<Guarded<State>>()), sources_(std::move(sources)) {}

ConfigStore::~ConfigStore() = default;

Result<Catalog> ConfigStore::catalog() {
  // Files are looked at without the lock. When two threads read at once and the older reading is
  // kept, its stamps do not fit the files, so that the next call reads again.
  State now = state_->with([](const State& state) { return state; });
  if (!now.latest || has_changed(now.latest->watched)) {
    now.latest = std::make_shared<const Reading>(read_everything(sources_));
    if (now.latest->result) now.good = std::make_shared<const Catalog>(*now.latest->result);
    state_->with([&](State& state) { state = now; });
  }
  if (now.latest->result) return *now.good;
  const Error& error = now.latest->result.error();
  if (!now.good) return error;
  Catalog last_good = *now.good;
  last_good.warnings.push_back(
      concat("the settings are broken, and those from before still count: ", error.message,
             error.hint.empty() ? "" : concat(" (", error.hint, ")")));
  return last_good;
}

Result<SandboxSpec> ConfigStore::find(const std::string& name) {
  TRY_ASSIGN(const Catalog all, catalog());
  return find_in(all, name);
}

std::string ConfigStore::file_path() const {
  return config_path(sources_);
}

}  // namespace yonder::config
