#include "config/config_edit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <vector>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/address.h"
#include "config/config_toml.h"
#include "config/toml_table.h"

namespace yonder::config {
namespace {

constexpr const char* kFileName = "config.toml";

using TextLines = std::vector<std::string>;

Error by_hand(std::string_view what) {
  return Error{Errc::Config,
               concat("config.toml is written in a way that Yonder cannot change: ", what),
               "change it in an editor"};
}

bool is_blank(std::string_view line) {
  return trim(line).empty();
}

bool is_comment(std::string_view line) {
  return trim(line).starts_with('#');
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04X", static_cast<unsigned>(byte));
      out += code.data();
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string key_of_name(const std::string& name) {
  const auto is_bare = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  return std::all_of(name.begin(), name.end(), is_bare) ? name : quoted(name);
}

std::vector<std::string> names_in(const TomlSettings& settings) {
  std::vector<std::string> names;
  for (const auto& spec : settings.sandboxes) names.push_back(spec.name);
  return names;
}

// What was written must say what was meant, and leave the rest alone.
Result<std::string> verified(std::string text, const std::vector<std::string>& names,
                             const std::string& active) {
  const auto settings = parse_config_toml(text, kFileName, "/");
  if (!settings) return by_hand(settings.error().message);
  if (names_in(*settings) != names || settings->active != active) {
    return by_hand("the change would not have the meaning it should");
  }
  return text;
}

std::size_t line_of(const toml::node& node) {
  return node.source().begin.line;
}

// A comment at the head of the file stays its head.
std::size_t place_for_active(const TextLines& lines) {
  std::size_t i = 0;
  while (i < lines.size() && is_comment(lines[i])) ++i;
  return i > 0 && i < lines.size() && is_blank(lines[i]) ? i + 1 : 0;
}

// Replaces the string that begins at this place, which holds neither quotes nor escapes.
Result<void> replace_string(std::string& line, std::size_t at, const std::string& value) {
  const char quote = at < line.size() ? line[at] : '\0';
  const std::size_t end = line.find(quote, at + 1);
  if ((quote != '"' && quote != '\'') || end == std::string::npos || end == at + 1) {
    return by_hand("\"active\" is not a simple string");
  }
  line.replace(at, end + 1 - at, quoted(value));
  return {};
}

// The first line after the table of `begin`, which is the header of another one or the end.
std::size_t end_of_table(const toml::table& raw, std::size_t begin, std::size_t lines) {
  std::size_t end = lines + 1;
  const auto consider = [&](const toml::node& node) {
    if (line_of(node) > begin) end = std::min(end, line_of(node));
  };
  for (const auto& [key, value] : raw) {
    if (!value.is_table()) continue;
    consider(value);
    if (key.str() != "sandbox") continue;
    for (const auto& [name, table] : *value.as_table()) consider(table);
  }
  return end;
}

const toml::node* sandbox_in(const toml::table& raw, const std::string& name) {
  const toml::node* all = raw.get("sandbox");
  return all == nullptr || !all->is_table() ? nullptr : all->as_table()->get(name);
}

}  // namespace

Result<std::string> with_active(std::string_view text, const std::string& name) {
  TRY_ASSIGN(const TomlSettings settings, parse_config_toml(text, kFileName, "/"));
  if (settings.active == name) return std::string(text);
  TRY_ASSIGN(const toml::table raw, parse_toml(text, kFileName));
  TextLines lines = split(text, '\n');
  const toml::node* active = raw.get("active");
  if (active == nullptr) {
    const std::string line = concat("active = ", quoted(name));
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place_for_active(lines)), line);
  } else {
    TRY(replace_string(lines[line_of(*active) - 1], active->source().begin.column - 1, name));
  }
  return verified(join(lines, "\n"), names_in(settings), name);
}

Result<std::string> without_active(std::string_view text, const std::string& name) {
  TRY_ASSIGN(const TomlSettings settings, parse_config_toml(text, kFileName, "/"));
  if (settings.active != name) return std::string(text);
  TRY_ASSIGN(const toml::table raw, parse_toml(text, kFileName));
  TextLines lines = split(text, '\n');
  const std::size_t line = line_of(*raw.get("active"));
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line) - 1);
  return verified(join(lines, "\n"), names_in(settings), "");
}

Result<std::string> with_sandbox(std::string_view text, const SandboxSpec& spec) {
  TRY(check_name(spec.name, "the name"));
  // "a:b" before a path would be read as the path "b" of a machine "a".
  if (spec.name.find(':') != std::string::npos) {
    return Error{Errc::InvalidArgument, concat("the name \"", spec.name, "\" holds a colon"),
                 "choose one without: in NAME:PATH the colon ends the name"};
  }
  TRY(check_host(spec.host, "the host"));
  if (!spec.user.empty()) TRY(check_user(spec.user, "the user"));
  TRY_ASSIGN(const TomlSettings settings, parse_config_toml(text, kFileName, "/"));
  std::string out(text);
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  if (!out.empty() && !out.ends_with("\n\n")) out += '\n';
  out += concat("[sandbox.", key_of_name(spec.name), "]\nhost = ", quoted(spec.host), "\n");
  if (!spec.user.empty()) out += concat("user = ", quoted(spec.user), "\n");
  if (spec.port != 0) out += concat("port = ", spec.port, "\n");
  if (!spec.key_file.empty()) out += concat("key_file = ", quoted(spec.key_file), "\n");
  if (!spec.cwd.empty()) out += concat("cwd = ", quoted(spec.cwd), "\n");
  if (!spec.labels.empty()) {
    std::vector<std::string> labels;
    for (const auto& label : spec.labels) labels.push_back(quoted(label));
    out += concat("labels = [", join(labels, ", "), "]\n");
  }
  std::vector<std::string> names = names_in(settings);
  names.push_back(spec.name);
  return verified(std::move(out), names, settings.active);
}

Result<std::string> without_sandbox(std::string_view text, const std::string& name) {
  TRY_ASSIGN(const TomlSettings settings, parse_config_toml(text, kFileName, "/"));
  TRY_ASSIGN(const toml::table raw, parse_toml(text, kFileName));
  const toml::node* table = sandbox_in(raw, name);
  if (table == nullptr) {
    return Error{Errc::NotFound, concat("config.toml has no sandbox \"", printable(name), "\""),
                 ""};
  }
  TextLines lines = split(text, '\n');
  const std::size_t begin = line_of(*table);
  std::size_t end = end_of_table(raw, begin, lines.size());
  if (begin == 0 || !trim(lines[begin - 1]).starts_with('[')) {
    return by_hand(concat("\"", printable(name), "\" has no line [sandbox.", name, "]"));
  }
  // What stands before the next header is most often about that one.
  while (end > begin + 1 && (is_blank(lines[end - 2]) || is_comment(lines[end - 2]))) --end;
  const auto at = [&](std::size_t line) {
    return lines.begin() + static_cast<std::ptrdiff_t>(line) - 1;
  };
  const bool blank_before = begin == 1 || is_blank(lines[begin - 2]);
  if (blank_before && end < lines.size() && is_blank(lines[end - 1])) ++end;
  lines.erase(at(begin), at(end));
  std::vector<std::string> names = names_in(settings);
  std::erase(names, name);
  return verified(join(lines, "\n"), names, settings.active);
}

}  // namespace yonder::config
