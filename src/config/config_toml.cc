#include "config/config_toml.h"

#include <algorithm>
#include <cctype>
#include <chrono>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/address.h"
#include "config/home_path.h"
#include "config/toml_table.h"

namespace yonder::config {
namespace {

const std::vector<std::string>& ssh_keys() {
  static const std::vector<std::string> keys{"backend",
                                             "host",
                                             "user",
                                             "port",
                                             "key_file",
                                             "password",
                                             "key_passphrase",
                                             "password_command",
                                             "cwd",
                                             "connect_timeout_s",
                                             "idle_close_s",
                                             "host_keys",
                                             "labels"};
  return keys;
}

const std::vector<std::string>& local_keys() {
  static const std::vector<std::string> keys{"backend", "cwd", "idle_close_s", "labels"};
  return keys;
}

// What check_*() says becomes a complaint about the file.
Result<void> at_key(const TomlTable& table, std::string_view key, Result<void> checked) {
  if (checked) return {};
  return Error{Errc::Config, concat(table.place(key), ": ", checked.error().message),
               checked.error().hint};
}

// Before the other keys: those of a container would be unknown here, which is not the point.
Result<Backend> backend_of(const TomlTable& table) {
  TRY_ASSIGN(const std::string name, table.one_of("backend", {"ssh", "local", "docker", "podman"}));
  if (name == "local") return Backend::Local;
  if (name == "ssh") return Backend::Ssh;
  return table.error("backend", concat("is \"", name, "\", which this version cannot do yet"),
                     "the backends of this version are ssh and local");
}

Result<void> check_keys(const TomlTable& table, const toml::table& raw, Backend backend) {
  if (raw.contains("active")) {
    return table.error("active", "stands inside a sandbox",
                       "move it to the top of the file, before the first [sandbox.NAME]");
  }
  TRY(table.only(ssh_keys()));
  if (backend == Backend::Ssh) return {};
  for (const auto& key : ssh_keys()) {
    const auto& allowed = local_keys();
    if (!raw.contains(key) || std::find(allowed.begin(), allowed.end(), key) != allowed.end()) {
      continue;
    }
    return table.error(key, "has no meaning for the backend \"local\"",
                       "remove it, or write backend = \"ssh\"");
  }
  return {};
}

Result<void> read_times(const TomlTable& table, SandboxSpec& spec) {
  constexpr std::int64_t kHour = 3600;
  constexpr std::int64_t kWeek = kHour * 24 * 7;
  TRY_ASSIGN(const auto connect, table.whole_number("connect_timeout_s", 1, kHour));
  if (connect) spec.connect_timeout = std::chrono::seconds(*connect);
  TRY_ASSIGN(const auto idle, table.whole_number("idle_close_s", 1, kWeek));
  if (idle) spec.idle_close = std::chrono::seconds(*idle);
  return {};
}

Result<void> read_address(const TomlTable& table, const std::string& home, SandboxSpec& spec) {
  TRY_ASSIGN(spec.host, table.text("host"));
  if (spec.host.empty()) {
    return table.table_error("lacks the key \"host\"",
                             "add host = \"...\": an alias from ~/.ssh/config, or a host name");
  }
  TRY(at_key(table, "host", check_host(spec.host, "\"host\"")));
  TRY_ASSIGN(spec.user, table.text("user"));
  if (!spec.user.empty()) TRY(at_key(table, "user", check_user(spec.user, "\"user\"")));
  TRY_ASSIGN(const auto port, table.whole_number("port", 1, 65535));
  spec.port = static_cast<int>(port.value_or(0));
  TRY_ASSIGN(const std::string key_file, table.text("key_file"));
  if (key_file.empty()) return {};
  auto path = key_file_path(key_file, home, "\"key_file\"");
  if (!path) return at_key(table, "key_file", std::move(path).error());
  spec.key_file = *std::move(path);
  return {};
}

Result<void> read_secrets(const TomlTable& table, SandboxSpec& spec) {
  TRY_ASSIGN(spec.password_command, table.text("password_command"));
  TRY_ASSIGN(std::string password, table.text("password"));
  spec.password = Secret(std::move(password));
  TRY_ASSIGN(std::string passphrase, table.text("key_passphrase"));
  spec.key_passphrase = Secret(std::move(passphrase));
  if (!spec.password.empty() && !spec.password_command.empty()) {
    return table.error("password", "and \"password_command\" are both given", "keep one of them");
  }
  return {};
}

// They are typed in commands and shown in tables.
Result<void> check_label(const TomlTable& table, const std::string& label) {
  constexpr std::size_t kLongest = 64;
  const auto is_good = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("._+-").find(c) != std::string_view::npos;
  };
  if (!label.empty() && label.size() <= kLongest && label.front() != '-' &&
      std::all_of(label.begin(), label.end(), is_good)) {
    return {};
  }
  return table.error("labels", concat("holds \"", printable(label), "\", which is no label"),
                     "labels are up to 64 of A-Z a-z 0-9 . _ + - and do not begin with -");
}

Result<void> read_labels(const TomlTable& table, SandboxSpec& spec) {
  TRY_ASSIGN(auto labels, table.texts("labels"));
  if (!labels) return {};
  for (const auto& label : *labels) {
    TRY(check_label(table, label));
    if (std::count(labels->begin(), labels->end(), label) > 1) {
      return table.error("labels", concat("holds \"", label, "\" twice"), "keep one of them");
    }
  }
  spec.labels = *std::move(labels);
  return {};
}

Result<SandboxSpec> read_sandbox(const std::string& name, const toml::table& raw,
                                 const std::string& shown_path, const std::string& home) {
  const TomlTable table(raw, shown_path, concat("[sandbox.", name, "]"));
  SandboxSpec spec;
  spec.name = name;
  spec.origin = table.place();
  TRY_ASSIGN(spec.backend, backend_of(table));
  TRY(check_keys(table, raw, spec.backend));
  TRY_ASSIGN(spec.cwd, table.text("cwd"));
  TRY(read_times(table, spec));
  TRY(read_labels(table, spec));
  if (spec.backend == Backend::Local) return spec;
  TRY(read_address(table, home, spec));
  TRY(read_secrets(table, spec));
  TRY_ASSIGN(const std::string host_keys, table.one_of("host_keys", {"user", "accept-new"}));
  spec.host_keys =
      host_keys == "accept-new" ? HostKeyPolicy::AcceptNew : HostKeyPolicy::UserSettings;
  return spec;
}

Result<SyncSettings> read_sync(const toml::table& raw, const std::string& shown_path,
                               const std::string& home) {
  const TomlTable table(raw, shown_path, "[sync]");
  TRY(table.only({"allow", "allow_secrets"}));
  SyncSettings sync;
  TRY_ASSIGN(sync.allow_secrets, table.flag("allow_secrets", false));
  TRY_ASSIGN(sync.allow, table.texts("allow"));
  if (!sync.allow) return sync;
  for (auto& path : *sync.allow) {
    path = expand_home(path, home);
    if (!path.starts_with('/')) {
      return table.error("allow", "must hold absolute paths", "begin each with / or ~/");
    }
  }
  return sync;
}

Result<void> check_top(const TomlTable& top, const toml::table& raw) {
  const std::vector<std::string> known{"active", "sandbox", "sync"};
  for (const auto& [key, value] : raw) {
    const std::string name(key.str());
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (is_known || !value.is_table() || !nearest(name, known).empty()) continue;
    return top.error(name, "is not a key of the file", concat("write [sandbox.", name, "]"));
  }
  TRY(top.only(known));
  const toml::node* sync = raw.get("sync");
  if (sync != nullptr && !sync->is_table()) {
    return top.error("sync", "must be a table", "write [sync] and its keys below");
  }
  const toml::node* sandboxes = raw.get("sandbox");
  if (sandboxes == nullptr || sandboxes->is_table()) return {};
  return top.error("sandbox", "must be tables with a name each", "write [sandbox.NAME]");
}

struct NamedTable {
  std::string name;
  const toml::table* table;
};

// The library sorts by name; people mean the order in which they wrote.
Result<std::vector<NamedTable>> tables_in_order(const TomlTable& parent, const toml::table& raw) {
  std::vector<NamedTable> tables;
  for (const auto& [key, value] : raw) {
    const std::string name(key.str());
    TRY(at_key(parent, name, check_name(name, "the name of a sandbox")));
    if (!value.is_table()) {
      return parent.error(name, "in [sandbox] is not a table",
                          concat("write [sandbox.", name, "] and its keys below"));
    }
    tables.push_back({name, value.as_table()});
  }
  std::stable_sort(tables.begin(), tables.end(), [](const NamedTable& a, const NamedTable& b) {
    return a.table->source().begin < b.table->source().begin;
  });
  return tables;
}

}  // namespace

Result<TomlSettings> parse_config_toml(std::string_view text, const std::string& shown_path,
                                       const std::string& home) {
  TRY_ASSIGN(const toml::table raw, parse_toml(text, shown_path));
  const TomlTable top(raw, shown_path, "the file");
  TRY(check_top(top, raw));
  TomlSettings settings;
  TRY_ASSIGN(settings.active, top.text("active"));
  settings.active_origin = top.place("active");
  if (const toml::node* sync = raw.get("sync")) {
    TRY_ASSIGN(settings.sync, read_sync(*sync->as_table(), shown_path, home));
  }
  const toml::node* sandboxes = raw.get("sandbox");
  if (sandboxes == nullptr) return settings;
  const TomlTable parent(*sandboxes->as_table(), shown_path, "[sandbox]");
  TRY_ASSIGN(const auto tables, tables_in_order(parent, *sandboxes->as_table()));
  for (const NamedTable& entry : tables) {
    TRY_ASSIGN(SandboxSpec spec, read_sandbox(entry.name, *entry.table, shown_path, home));
    settings.holds_secret |= !spec.password.empty() || !spec.key_passphrase.empty();
    settings.sandboxes.push_back(std::move(spec));
  }
  return settings;
}

}  // namespace yonder::config
