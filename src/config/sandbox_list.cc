#include "config/sandbox_list.h"

#include <algorithm>
#include <set>

#include "base/clean_text.h"
#include "base/json.h"
#include "base/text.h"
#include "config/address.h"

namespace yonder::config {
namespace {

constexpr std::string_view kVariable = "REMOTE_SANDBOX_LIST";

Error config_error(std::string message, std::string hint = {}) {
  return Error{Errc::Config, std::move(message), std::move(hint)};
}

Error as_config(Error error) {
  error.code = Errc::Config;
  return error;
}

// One object of the array.
class Entry {
 public:
  Entry(const Json& object, std::size_t index)
      : object_(object), place_(concat(kVariable, "[", index, "]")) {}

  const std::string& place() const { return place_; }
  std::string place(std::string_view field) const { return concat(place_, ".", field); }

  Result<void> check_fields() const {
    if (!object_.is_object()) return config_error(place_ + " must be a JSON object");
    const std::vector<std::string> known{"name",     "host",     "user",          "port",
                                         "password", "key_file", "key_passphrase"};
    for (const auto& [field, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), field) != known.end()) continue;
      const std::string near = nearest(field, known);
      return config_error(concat(place_, " has an unknown field \"", printable(field), "\""),
                          near.empty() ? "the fields are " + join(known, ", ")
                                       : concat("did you mean \"", near, "\"?"));
    }
    return {};
  }

  // Empty when absent, null or empty.
  Result<std::string> text(const char* field) const {
    const auto found = object_.find(field);
    if (found == object_.end() || found->is_null()) return std::string();
    if (!found->is_string()) return config_error(place(field) + " must be a string");
    auto value = found->get<std::string>();
    if (value.find('\0') == std::string::npos) return value;
    return config_error(place(field) + " must not contain a NUL character");
  }

  // A number, or digits in a string.
  Result<int> port() const {
    const auto found = object_.find("port");
    if (found == object_.end() || found->is_null()) return 0;
    const auto port = parse_port(found->is_string()           ? found->get<std::string>()
                                 : found->is_number_integer() ? found->dump()
                                                              : std::string());
    if (port) return *port;
    return config_error(place("port") + " must be a number from 1 to 65535");
  }

 private:
  const Json& object_;
  std::string place_;
};

Result<void> read_address(const Entry& entry, const std::string& home, SandboxSpec& spec) {
  TRY_ASSIGN(spec.host, entry.text("host"));
  if (spec.host.empty()) return config_error(entry.place() + " lacks the required field \"host\"");
  if (auto checked = check_host(spec.host, entry.place("host")); !checked) {
    return as_config(std::move(checked).error());
  }
  TRY_ASSIGN(spec.user, entry.text("user"));
  if (!spec.user.empty()) {
    auto checked = check_user(spec.user, entry.place("user"));
    if (!checked) return as_config(std::move(checked).error());
  }
  TRY_ASSIGN(spec.port, entry.port());
  TRY_ASSIGN(const std::string key_file, entry.text("key_file"));
  if (key_file.empty()) return {};
  auto path = key_file_path(key_file, home, entry.place("key_file"));
  if (!path) return as_config(std::move(path).error());
  spec.key_file = *std::move(path);
  return {};
}

Result<SandboxSpec> read_entry(const Entry& entry, const std::string& home) {
  TRY(entry.check_fields());
  SandboxSpec spec;
  spec.origin = entry.place();
  spec.host_keys = HostKeyPolicy::AcceptNew;
  TRY(read_address(entry, home, spec));
  TRY_ASSIGN(spec.name, entry.text("name"));
  if (spec.name.empty()) spec.name = spec.host;
  if (auto checked = check_name(spec.name, entry.place("name")); !checked) {
    return as_config(std::move(checked).error());
  }
  TRY_ASSIGN(std::string password, entry.text("password"));
  spec.password = Secret(std::move(password));
  TRY_ASSIGN(std::string passphrase, entry.text("key_passphrase"));
  spec.key_passphrase = Secret(std::move(passphrase));
  return spec;
}

}  // namespace

Result<std::vector<SandboxSpec>> parse_sandbox_list(std::string_view text,
                                                    const std::string& home) {
  auto list = parse_json(text, kVariable);
  if (!list) return as_config(std::move(list).error());
  if (!list->is_array()) return config_error(concat(kVariable, " must be a JSON array"));
  if (list->empty()) {
    return config_error(concat(kVariable, " is an empty list"),
                        "unset it, or name at least one machine in it");
  }
  std::vector<SandboxSpec> specs;
  for (std::size_t i = 0; i < list->size(); ++i) {
    TRY_ASSIGN(SandboxSpec spec, read_entry(Entry((*list)[i], i), home));
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace yonder::config
