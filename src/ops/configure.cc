#include "ops/configure.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/catalog.h"
#include "config/config_edit.h"
#include "config/config_store.h"
#include "config/destination.h"
#include "ops/machines.h"

namespace yonder::ops {
namespace {

// An empty file would be taken for one that an accident has emptied.
constexpr const char* kNothingLeft = "# `yonder add NAME HOST` adds a sandbox.\n";

Result<Configured> edit(Engine& engine, const std::string& sandbox,
                        const config::ConfigStore::TextChange& change) {
  TRY_ASSIGN(const auto edited, engine.config.edit(change));
  return Configured{.sandbox = sandbox,
                    .file = engine.config.file_path(),
                    .active = edited.catalog.active,
                    .changed = edited.changed};
}

const SandboxSpec* named(const config::Catalog& catalog, const std::string& name) {
  const auto found = std::find_if(catalog.sandboxes.begin(), catalog.sandboxes.end(),
                                  [&](const SandboxSpec& spec) { return spec.name == name; });
  return found == catalog.sandboxes.end() ? nullptr : &*found;
}

// "me@10.0.0.7:22" is a user, a host and a port.
Result<void> take_address(SandboxSpec& spec) {
  if (!config::looks_like_destination(spec.host)) return {};
  TRY_ASSIGN(const auto address, config::parse_destination(spec.host, "the host"));
  if (!address.user.empty() && !spec.user.empty() && address.user != spec.user) {
    return Error{Errc::InvalidArgument, "the host and --user name different users", ""};
  }
  if (address.port != 0 && spec.port != 0 && address.port != spec.port) {
    return Error{Errc::InvalidArgument, "the host and --port name different ports", ""};
  }
  spec.host = address.host;
  if (!address.user.empty()) spec.user = address.user;
  if (address.port != 0) spec.port = address.port;
  return {};
}

}  // namespace

Result<Configured> use_sandbox(Engine& engine, const std::string& name) {
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  TRY(config::find_in(catalog, name));
  if (named(catalog, name) == nullptr) {
    return Error{Errc::InvalidArgument, concat(printable(name), " is an address, not a sandbox"),
                 "give it a name first: yonder add NAME HOST"};
  }
  return edit(engine, name,
              [&](const std::string& text) { return config::with_active(text, name); });
}

Result<Configured> add_sandbox(Engine& engine, SandboxSpec spec) {
  TRY(take_address(spec));
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  const SandboxSpec* other = named(catalog, spec.name);
  const bool gives_way = other != nullptr && is_alias(*other);
  if (other != nullptr && !gives_way) {
    return Error{Errc::Conflict,
                 concat("there is a sandbox \"", spec.name, "\" already, from ", other->origin),
                 "choose another name, or change that one"};
  }
  return edit(engine, spec.name,
              [&](const std::string& text) { return config::with_sandbox(text, spec); });
}

Result<Configured> remove_sandbox(Engine& engine, const std::string& name) {
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  return edit(engine, name, [&](const std::string& text) -> Result<std::string> {
    auto without = config::without_sandbox(text, name);
    if (!without) {
      const SandboxSpec* other = named(catalog, name);
      if (without.error().code == Errc::NotFound && other != nullptr) {
        return Error{Errc::InvalidArgument,
                     concat("\"", name, "\" is not from config.toml, but from ", other->origin),
                     "change it there"};
      }
      return without;
    }
    TRY_ASSIGN(const std::string rest, config::without_active(*without, name));
    return trim(rest).empty() ? std::string(kNothingLeft) : rest;
  });
}

Json to_json(const Configured& configured) {
  return Json{{"sandbox", configured.sandbox},
              {"active_sandbox", configured.active.empty() ? Json() : Json(configured.active)},
              {"file", configured.file},
              {"changed", configured.changed}};
}

}  // namespace yonder::ops
