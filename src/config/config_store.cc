#include "config/config_store.h"

#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "config/catalog.h"
#include "config/config_env.h"
#include "config/config_toml.h"
#include "config/file_stamp.h"
#include "config/file_turn.h"
#include "config/home_path.h"
#include "config/ssh_aliases.h"
#include "config/trusted_file.h"

namespace yonder::config {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1024} * 1024;

// One reading of everything, good or bad, and what it depended on.
struct Reading {
  Watched watched;
  Result<Catalog> result;
  bool has_file = false;  // a config.toml that is not empty was among it
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
  bool has_file = false;
};

// A file that was asked for by name must be there: without it, work would go elsewhere. So it would
// if one counted that is gone while an editor, or a full disk, is about to replace it.
Result<void> check_may_be_missing(const Sources& sources, const std::string& shown, bool had_file) {
  if (!variable(sources, "YONDER_CONFIG").empty()) {
    return Error{Errc::Config, concat("YONDER_CONFIG names ", shown, ", which cannot be found"),
                 "create the file, or unset YONDER_CONFIG"};
  }
  if (!had_file) return {};
  return Error{Errc::Config, shown + " is gone", "put it back, or start again without it"};
}

Result<void> check_secrets(const TomlSettings& settings, const TrustedPath& file, mode_t mode) {
  constexpr mode_t kOthersMayRead = 044;
  if (!settings.holds_secret || (mode & kOthersMayRead) == 0) return {};
  return Error{
      Errc::Config,
      concat(file.shown, " holds a password and other users may read it, so it is not used"),
      concat("change the password if others have read it, and run: ",
             ShellText("chmod 600").arg(file.path).str())};
}

Result<FilePart> read_config_file(const Sources& sources, bool had_file, Watched& watched) {
  const TrustedPath file{.path = config_path(sources),
                         .shown = show_path(config_path(sources), sources.home),
                         .home = sources.home};
  FilePart part;
  part.note.source = file.shown;
  if (!watched.add_file(file.path).exists) {
    TRY(check_may_be_missing(sources, file.shown, had_file));
    part.note.found = "not there";
    return part;
  }
  TRY_ASSIGN(const TrustedText read, read_trusted_file(file, kLargestFile, watched));
  TRY_ASSIGN(part.settings, parse_config_toml(read.text, file.shown, sources.home));
  TRY(check_secrets(part.settings, file, read.mode));
  part.settings.is_empty = trim(read.text).empty();
  part.has_file = !part.settings.is_empty;
  if (part.settings.is_empty && had_file) {
    return Error{Errc::Config, file.shown + " is empty", "put back what it said"};
  }
  part.note.found = part.settings.is_empty
                        ? "empty"
                        : counted(part.settings.sandboxes.size(), "sandbox", "sandboxes");
  if (part.settings.is_empty) part.warnings.push_back(file.shown + " is empty");
  return part;
}

Result<Catalog> read_catalog(const Sources& sources, FilePart file, Watched& watched) {
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

Reading read_everything(const Sources& sources, bool had_file) {
  Watched watched;
  auto file = read_config_file(sources, had_file, watched);
  if (!file) return {std::move(watched), std::move(file).error()};
  const bool has_file = file->has_file;
  auto result = read_catalog(sources, *std::move(file), watched);
  return {std::move(watched), std::move(result), has_file};
}

// A caller that was given another machine before must not end up on this one.
void keep_off_this_machine(const Catalog* before, Catalog& catalog) {
  if (before == nullptr || before->only_this_machine || !catalog.only_this_machine) return;
  catalog.active.clear();
  catalog.only_this_machine = false;
  catalog.why_none_active = "the machines that were known before are gone from the settings";
}

}  // namespace

struct ConfigStore::State {
  std::shared_ptr<const Reading> latest;
  std::shared_ptr<const Catalog> good;
  bool had_file = false;  // the good one is of a config.toml, too
};

ConfigStore::ConfigStore(Sources sources)
    : state_(std::make_unique<Guarded<State>>()), sources_(std::move(sources)) {}

ConfigStore::~ConfigStore() = default;

Result<Catalog> ConfigStore::catalog() {
  // Files are looked at without the lock. When two threads read at once and the older reading is
  // kept, its stamps do not fit the files, so that the next call reads again.
  State now = state_->with([](const State& state) { return state; });
  if (!now.latest || has_changed(now.latest->watched)) {
    now.latest = std::make_shared<const Reading>(read_everything(sources_, now.had_file));
    if (now.latest->result) {
      Catalog fresh = *now.latest->result;
      keep_off_this_machine(now.good.get(), fresh);
      now.good = std::make_shared<const Catalog>(std::move(fresh));
      now.had_file = now.latest->has_file;
    }
    state_->with([&](State& state) { state = now; });
  }
  if (now.latest->result) return *now.good;
  const Error& error = now.latest->result.error();
  if (!now.good) return error;
  Catalog last_good = *now.good;
  last_good.broken =
      concat("the settings are broken, and those from before still count: ", error.message,
             error.hint.empty() ? "" : concat(" (", error.hint, ")"));
  last_good.warnings.push_back(last_good.broken);
  return last_good;
}

Result<SandboxSpec> ConfigStore::find(const std::string& name) {
  TRY_ASSIGN(const Catalog all, catalog());
  return find_in(all, name);
}

std::string ConfigStore::file_path() const {
  return config_path(sources_);
}

Result<ConfigStore::Edited> ConfigStore::edit(const TextChange& change) {
  const std::string path = config_path(sources_);
  const std::string shown = show_path(path, sources_.home);
  if (path.empty()) return Error{Errc::Config, "HOME is not set", "set HOME or YONDER_CONFIG"};
  TRY_ASSIGN(const FileTurn turn, FileTurn::take(path));
  Watched watched;
  std::string before;
  if (watched.add_file(turn.path()).exists) {
    const TrustedPath file{.path = turn.path(), .shown = shown, .home = sources_.home};
    TRY_ASSIGN(TrustedText read, read_trusted_file(file, kLargestFile, watched));
    TRY(parse_config_toml(read.text, shown, sources_.home));
    before = std::move(read.text);
  }
  TRY_ASSIGN(const std::string after, change(before));
  FilePart part;
  TRY_ASSIGN(part.settings, parse_config_toml(after, shown, sources_.home));
  Watched ignored;
  TRY_ASSIGN(Catalog planned, read_catalog(sources_, std::move(part), ignored));
  if (after == before) return Edited{.changed = false, .catalog = std::move(planned)};
  if (const FileStamp then = watched.files.front(); !is_same(then, stamp_of(then.path))) {
    return Error{Errc::Conflict, shown + " was changed by another program just now", "try again"};
  }
  TRY(write_file_atomically(turn.path(), after, Durability::Power));
  return Edited{.changed = true, .catalog = std::move(planned)};
}

}  // namespace yonder::config
