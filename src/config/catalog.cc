#include "config/catalog.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/destination.h"

namespace yonder::config {
namespace {

constexpr std::string_view kLocal = "local";
constexpr std::string_view kSeeAll = "`yonder hosts` shows all";

const SandboxSpec* by_name(const std::vector<SandboxSpec>& specs, std::string_view name) {
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [&](const SandboxSpec& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<SandboxSpec>& specs) {
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  return names;
}

std::string see_all_or(const std::string& near) {
  if (near.empty()) return std::string(kSeeAll);
  return concat("did you mean \"", near, "\"? ", kSeeAll);
}

Result<void> add_settings(const std::vector<SandboxSpec>& specs, Catalog& catalog) {
  for (const auto& spec : specs) {
    if (const SandboxSpec* other = by_name(catalog.sandboxes, spec.name)) {
      return Error{Errc::Config,
                   concat("two sandboxes have the name \"", spec.name, "\": one is from ",
                          other->origin, ", one from ", spec.origin),
                   "rename or remove one of the two"};
    }
    catalog.sandboxes.push_back(spec);
  }
  return {};
}

void add_embedded(Catalog& catalog) {
  if (by_name(catalog.sandboxes, kLocal) != nullptr) return;
  SandboxSpec spec;
  spec.name = kLocal;
  spec.backend = Backend::Local;
  spec.origin = "built in";
  catalog.sandboxes.push_back(std::move(spec));
}

void add_aliases(const SshAliases& aliases, Catalog& catalog) {
  for (const auto& spec : aliases.sandboxes) {
    const SandboxSpec* other = by_name(catalog.sandboxes, spec.name);
    if (other == nullptr) {
      catalog.sandboxes.push_back(spec);
    } else if (other->backend == Backend::Local) {
      catalog.warnings.push_back(concat("\"", spec.name,
                                        "\" is a sandbox on this machine; the ssh alias from ",
                                        spec.origin, " is reached as ssh://", spec.name));
    }
  }
}

// A single setting is meant even where it is this machine; of several, this machine is not the one
// to take without a word.
std::string implied_by_settings(const TomlSettings& file, const EnvironmentSettings& environment) {
  if (!environment.sandboxes.empty()) return environment.sandboxes.front().name;
  if (file.sandboxes.empty()) return {};
  const SandboxSpec& first = file.sandboxes.front();
  return first.backend == Backend::Local && file.sandboxes.size() > 1 ? std::string() : first.name;
}

Result<void> choose_active(const TomlSettings& file, const EnvironmentSettings& environment,
                           Catalog& catalog) {
  if (!file.active.empty()) {
    catalog.active = file.active;
    if (by_name(catalog.sandboxes, file.active) != nullptr) return {};
    return Error{Errc::Config,
                 concat(file.active_origin, ": \"active\" names \"", printable(file.active),
                        "\", and there is no such sandbox"),
                 see_all_or(nearest(file.active, names_of(catalog.sandboxes)))};
  }
  catalog.active = implied_by_settings(file, environment);
  if (!catalog.active.empty()) return {};
  if (file.is_empty) {
    catalog.why_none_active = "config.toml is empty";
  } else if (catalog.sandboxes.size() == 1) {  // this machine
    catalog.active = catalog.sandboxes.front().name;
    catalog.only_this_machine = true;
  }
  return {};
}

// "root@gpu1" where gpu1 is a setting for another address: the name would quietly mean another
// machine.
Result<void> check_not_a_settings_name(const Catalog& catalog, const Destination& destination) {
  const SandboxSpec* other = by_name(catalog.sandboxes, destination.host);
  if (other == nullptr || other->host == destination.host) return {};
  return Error{Errc::InvalidArgument,
               concat("\"", destination.host, "\" is a sandbox from ", other->origin,
                      " with an address of its own"),
               concat("use \"", destination.host, "\" as it is, or ssh://",
                      destination_name(destination), " for the host of that name")};
}

}  // namespace

Result<Catalog> build_catalog(const TomlSettings& file, const EnvironmentSettings& environment,
                              const SshAliases& aliases) {
  Catalog catalog;
  catalog.warnings = environment.warnings;
  catalog.sync = file.sync;
  TRY(add_settings(file.sandboxes, catalog));
  TRY(add_settings(environment.sandboxes, catalog));
  add_embedded(catalog);
  add_aliases(aliases, catalog);
  TRY(choose_active(file, environment, catalog));
  return catalog;
}

Result<SandboxSpec> find_in(const Catalog& catalog, const std::string& name) {
  if (name == "auto") {
    return Error{
        Errc::InvalidArgument,
        "\"auto\" chooses a machine for work that is started; here one must be named",
        concat("give the name of a sandbox (a run_id alone finds its machine); ", kSeeAll)};
  }
  if (const SandboxSpec* spec = by_name(catalog.sandboxes, name)) return *spec;
  if (looks_like_destination(name)) {
    TRY(check_no_password(name, "the address"));
    TRY_ASSIGN(const Destination destination,
               parse_destination(name, concat("\"", printable(name), "\"")));
    SandboxSpec spec = spec_of(destination);
    auto unmistakable = check_not_a_settings_name(catalog, destination);
    if (!unmistakable && !name.starts_with("ssh://")) return std::move(unmistakable).error();
    // The name must lead here again, also where the shorter spelling is refused.
    if (!unmistakable && !spec.name.starts_with("ssh://")) spec.name.insert(0, "ssh://");
    return spec;
  }
  std::string hint = see_all_or(nearest(name, names_of(catalog.sandboxes)));
  hint += "; a machine without settings is reached as user@host or ssh://host";
  return Error{Errc::NotFound, concat("no sandbox is named \"", printable(name), "\""), hint};
}

Error name_one(const Catalog& catalog) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> names;
  for (const auto& spec : catalog.sandboxes) {
    if (spec.backend != Backend::Local) names.push_back(spec.name);
  }
  const std::size_t all = names.size();
  if (all > kMostShown) names.resize(kMostShown);
  std::string hint = concat("name one: ", join(names, ", "), names.empty() ? "" : ", ");
  if (all > kMostShown) hint += concat(all - kMostShown, " more (`yonder hosts`), ");
  hint += concat("or ", kLocal, " for this machine; `yonder use NAME` makes one the active one");
  return Error{
      Errc::InvalidArgument,
      concat("no sandbox was named and none is active",
             catalog.why_none_active.empty() ? "" : concat(" (", catalog.why_none_active, ")"),
             "; this machine is used only when it is named"),
      std::move(hint)};
}

}  // namespace yonder::config
