#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/toml_library.h"

namespace yonder::config {

// The only place that knows that the library can throw.
Result<toml::table> parse_toml(std::string_view text, const std::string& shown_path);

// One table of a settings file, with messages that say file, line and key.
class TomlTable {
 public:
  // `title` is how people know it, such as "[sandbox.gpu1]" or "the file".
  TomlTable(const toml::table& table, std::string shown_path, std::string title)
      : table_(table), shown_path_(std::move(shown_path)), title_(std::move(title)) {}

  // "file:line".
  std::string place() const;
  std::string place(std::string_view key) const;
  Error error(std::string_view key, std::string_view why, std::string hint = {}) const;
  // For what is wrong with the table as a whole.
  Error table_error(std::string_view why, std::string hint = {}) const;

  // Fails at the first key that is not among `known`, naming the nearest one.
  Result<void> only(const std::vector<std::string>& known) const;

  // Empty when absent; an empty string in the file is an error, because it says nothing.
  Result<std::string> text(std::string_view key) const;
  Result<std::optional<std::int64_t>> whole_number(std::string_view key, std::int64_t least,
                                                   std::int64_t most) const;
  Result<bool> flag(std::string_view key, bool otherwise) const;
  // Nothing when absent.
  Result<std::optional<std::vector<std::string>>> texts(std::string_view key) const;
  // The first choice when absent.
  Result<std::string> one_of(std::string_view key, const std::vector<std::string>& choices) const;

 private:
  const toml::table& table_;
  std::string shown_path_;
  std::string title_;
};

}  // namespace yonder::config
