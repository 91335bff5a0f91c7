#include "config/toml_table.h"

#include <algorithm>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::config {
namespace {

// The library quotes what it did not understand, which may be half a password. Single characters
// are shown, for "expected '=', saw ':'"; names that were used twice are shown too.
std::string without_values(std::string_view description) {
  constexpr std::string_view kBoilerplate = "Error while parsing ";
  if (description.starts_with(kBoilerplate)) description.remove_prefix(kBoilerplate.size());
  if (description.find("cannot redefine") != std::string_view::npos) return printable(description);
  const std::size_t saw = description.find(", saw ");
  if (saw != std::string_view::npos) {
    constexpr std::string_view kLongestShown = ", saw '\\n'";
    const bool short_enough = description.size() - saw <= kLongestShown.size();
    return printable(short_enough ? description : description.substr(0, saw));
  }
  const std::size_t first = description.find('\'');
  const std::size_t last = description.rfind('\'');
  constexpr std::size_t kHarmless = 4;
  if (first == last || last - first < kHarmless) return printable(description);
  return printable(concat(description.substr(0, first), "it", description.substr(last + 1)));
}

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a fraction";
    case toml::node_type::boolean: return "true or false";
    default: return "a date or time";
  }
}

}  // namespace

Result<toml::table> parse_toml(std::string_view text, const std::string& shown_path) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    const bool twice = e.description().find("cannot redefine") != std::string_view::npos;
    return Error{
        Errc::Config,
        concat(shown_path, ":", e.source().begin.line, ": ", without_values(e.description())),
        twice ? "the same name is used twice: rename or remove one of the two"
              : "text stands in quotes, as in host = \"gpu1\""};
  }
}

std::string TomlTable::place() const {
  const auto line = table_.source().begin.line;
  return line == 0 ? shown_path_ : concat(shown_path_, ":", line);
}

std::string TomlTable::place(std::string_view key) const {
  const auto found = table_.find(key);
  if (found == table_.cend() || found->first.source().begin.line == 0) return place();
  return concat(shown_path_, ":", found->first.source().begin.line);
}

Error TomlTable::error(std::string_view key, std::string_view why, std::string hint) const {
  return Error{Errc::Config, concat(place(key), ": \"", printable(key), "\" ", why),
               std::move(hint)};
}

Error TomlTable::table_error(std::string_view why, std::string hint) const {
  return Error{Errc::Config, concat(place(), ": ", title_, " ", why), std::move(hint)};
}

Result<void> TomlTable::only(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : table_) {
    const std::string_view word = key.str();
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string near = nearest(word, known);
    return error(word, concat("is not a key of ", title_),
                 near.empty() ? "the keys are " + join(known, ", ")
                              : concat("did you mean \"", near, "\"?"));
  }
  return {};
}

Result<std::string> TomlTable::text(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::string();
  const auto* value = node->as_string();
  if (value == nullptr) {
    return error(key, concat("must be a string, not ", type_name(*node)),
                 concat("write ", printable(key), " = \"...\""));
  }
  if (value->get().empty()) return error(key, "must not be empty", "remove it, or give it a value");
  if (value->get().find('\0') != std::string::npos) {
    return error(key, "must not contain a NUL character");
  }
  return value->get();
}

Result<std::optional<std::int64_t>> TomlTable::whole_number(std::string_view key,
                                                            std::int64_t least,
                                                            std::int64_t most) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::optional<std::int64_t>();
  const auto* value = node->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    return error(key, concat("must be a whole number from ", least, " to ", most),
                 node->is_string() ? "numbers stand without quotes" : "");
  }
  return std::optional<std::int64_t>(value->get());
}

Result<bool> TomlTable::flag(std::string_view key, bool otherwise) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return otherwise;
  const auto* value = node->as_boolean();
  if (value == nullptr) {
    return error(key, concat("must be true or false, not ", type_name(*node)),
                 node->is_string() ? "they stand without quotes" : "");
  }
  return value->get();
}

Result<std::optional<std::vector<std::string>>> TomlTable::texts(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::optional<std::vector<std::string>>();
  const Error wrong = error(key, "must be a list of strings, none of them empty",
                            concat("write ", printable(key), " = [\"...\", \"...\"]"));
  if (!node->is_array()) return wrong;
  std::vector<std::string> texts;
  for (const auto& item : *node->as_array()) {
    const auto* value = item.as_string();
    if (value == nullptr || value->get().empty()) return wrong;
    if (value->get().find('\0') != std::string::npos) return wrong;
    texts.push_back(value->get());
  }
  return std::optional(std::move(texts));
}

Result<std::string> TomlTable::one_of(std::string_view key,
                                      const std::vector<std::string>& choices) const {
  TRY_ASSIGN(std::string word, text(key));
  if (word.empty()) return choices.front();
  if (std::find(choices.begin(), choices.end(), word) != choices.end()) return word;
  const std::string near = nearest(word, choices);
  return error(key, concat("must be one of ", join(choices, ", "), ", not ", printable(word)),
               near.empty() ? "" : concat("did you mean \"", near, "\"?"));
}

}  // namespace yonder::config
