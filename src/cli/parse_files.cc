#include "cli/parse_files.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/grammar.h"
#include "cli/parse_values.h"
#include "cli/place_words.h"
#include "ops/file_arguments.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMost = 100000;
constexpr std::size_t kMostMatches = 10000;
constexpr std::size_t kMostContext = 50;
constexpr std::size_t kMostLines = 1000UL * 1000 * 1000;

struct Range {
  std::uint64_t first = 0;
  std::optional<std::uint64_t> second;
};

// "10", "10:" or "10:20".
Result<Range> parse_range(const char* option, const std::string& text) {
  const auto number = [&](std::string_view part) -> Result<std::uint64_t> {
    std::uint64_t value = 0;
    const char* const end = part.data() + part.size();
    const auto parsed = std::from_chars(part.data(), end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end) return value;
    return usage_error(concat(option, " takes A or A:B, not \"", printable(text), "\""));
  };
  const std::size_t colon = text.find(':');
  Range range;
  TRY_ASSIGN(range.first, number(std::string_view(text).substr(0, colon)));
  if (colon != std::string::npos && colon + 1 < text.size()) {
    TRY_ASSIGN(range.second, number(std::string_view(text).substr(colon + 1)));
  }
  return range;
}

Result<void> check_paths(const std::string& name, const Words& paths, std::size_t least,
                         std::size_t most) {
  if (paths.size() < least) {
    return usage_error(concat("`yonder ", name, "` needs ", least > 1 ? "more words" : "a path"),
                       concat("`yonder ", name, " --help` shows how"));
  }
  if (paths.size() > most) {
    return usage_error(concat("unexpected argument \"", printable(paths[most]), "\""),
                       concat("`yonder ", name, " --help` shows how"));
  }
  if (std::find(paths.begin(), paths.end(), "") == paths.end()) return {};
  return usage_error("a path is empty", "is the variable set? . is the sandbox's directory");
}

Result<std::size_t> count_or(const char* option, const std::string& text, std::size_t otherwise,
                             std::size_t most) {
  if (text.empty()) return otherwise;
  return parse_count(option, text, most);
}

Result<Command> to_ls(const RawOptions& raw, const Words& words) {
  TRY_ASSIGN(const FarWords far, far_words_after_name(raw.sandbox, words, 1));
  const Words& paths = far.words;
  TRY(check_paths("ls", paths, 0, 1));
  LsOptions options{.sandbox = far.sandbox, .recursive = raw.recursive, .json = raw.json};
  if (!paths.empty()) options.path = paths[0];
  if (!raw.depth.empty()) {
    TRY_ASSIGN(options.depth, parse_count("--depth", raw.depth, kMost));
    options.recursive = true;
  }
  TRY_ASSIGN(options.most, count_or("--max", raw.most, options.most, kMost));
  return Command(std::move(options));
}

Result<Command> to_cat(const RawOptions& raw, const Words& words) {
  TRY_ASSIGN(const FarWords far, far_words(raw.sandbox, words));
  const Words& paths = far.words;
  TRY(check_paths("cat", paths, 1, SIZE_MAX));
  CatOptions options{.sandbox = far.sandbox, .paths = paths, .json = raw.json};
  if ((raw.lines.empty() ? 0 : 1) + (raw.tail.empty() ? 0 : 1) + (raw.bytes.empty() ? 0 : 1) > 1) {
    return usage_error("--lines, --tail and --bytes exclude each other", "give one of them");
  }
  if (raw.json && paths.size() > 1) return usage_error("--json takes one file at a time");
  if (!raw.lines.empty()) {
    TRY_ASSIGN(const Range range, parse_range("--lines", raw.lines));
    if (range.first == 0 || range.second.value_or(range.first) < range.first) {
      return usage_error("--lines takes FIRST[:LAST], counted from 1");
    }
    options.first_line = range.first;
    if (range.second) options.lines = *range.second - range.first + 1;
    if (raw.lines.find(':') == std::string::npos) options.lines = 1;
  }
  if (!raw.tail.empty()) {
    TRY_ASSIGN(options.tail, parse_count("--tail", raw.tail, kMostLines));
  }
  if (!raw.bytes.empty()) {
    TRY_ASSIGN(const Range range, parse_range("--bytes", raw.bytes));
    options.offset = range.first;
    options.bytes = range.second;
  }
  return Command(std::move(options));
}

Result<Command> to_write(const RawOptions& raw, const Words& words) {
  TRY_ASSIGN(const FarWords far, far_words_after_name(raw.sandbox, words, 1));
  const Words& paths = far.words;
  TRY(check_paths("write", paths, 1, 1));
  WriteOptions options{.sandbox = far.sandbox,
                       .path = paths[0],
                       .from = raw.from,
                       .append = raw.append,
                       .parents = raw.parents,
                       .expected_hash = raw.expected_hash,
                       .json = raw.json};
  if (!raw.mode.empty()) {
    const auto mode = ops::parse_mode(raw.mode);
    if (!mode) return usage_error(concat("--mode: ", mode.error().message));
    options.mode = *mode;
  }
  return Command(std::move(options));
}

// The pattern is never read as a place.
Result<Command> to_grep(const RawOptions& raw, Words words) {
  std::string named = raw.sandbox;
  if (named.empty() && words.size() == 3 && may_be_name(words[0])) {
    named = words[0];
    words.erase(words.begin());
  }
  if (words.empty()) {
    return usage_error("`yonder grep` needs a pattern", "yonder grep PATTERN [PATH]");
  }
  if (words[0].empty()) {
    return usage_error("the pattern is empty", "is the variable set? . is found in every line");
  }
  TRY(check_paths("grep", words, 1, 2));
  TRY_ASSIGN(const FarWords far, far_words(named, Words(words.begin() + 1, words.end())));
  GrepOptions options{.sandbox = far.sandbox,
                      .pattern = words[0],
                      .include = raw.include,
                      .exclude = raw.exclude,
                      .ignore_case = raw.ignore_case,
                      .fixed = raw.fixed,
                      .no_gitignore = raw.no_gitignore,
                      .json = raw.json};
  if (!far.words.empty()) options.path = far.words[0];
  TRY_ASSIGN(options.context, count_or("--context", raw.context, 0, kMostContext));
  TRY_ASSIGN(options.most, count_or("--max", raw.most, options.most, kMostMatches));
  return Command(std::move(options));
}

// "20261116T081502-k3fa", or the beginning of such a name.
bool may_be_batch(const std::string& word) {
  constexpr std::string_view kForm = "ddddddddTdddddd-";
  for (std::size_t i = 0; i < std::min(word.size(), kForm.size()); ++i) {
    const bool digit = word[i] >= '0' && word[i] <= '9';
    if (kForm[i] == 'd' ? !digit : word[i] != kForm[i]) return false;
  }
  return !word.empty();
}

// What stands first may be NAME, NAME:BATCH or BATCH. The paths are those of the batch.
Result<Command> to_restore(const RawOptions& raw, Words words) {
  std::string named = raw.sandbox;
  TRY(check_paths("restore", words, 0, SIZE_MAX));
  const bool has_name = !words.empty() && split_place(words[0]).machine.empty() &&
                        !may_be_batch(words[0]) && may_be_name(words[0]);
  if (named.empty() && has_name) {
    named = words[0];
    words.erase(words.begin());
  }
  RestoreOptions options{.list = raw.list, .json = raw.json};
  const Words first(words.begin(), words.begin() + (words.empty() ? 0 : 1));
  TRY_ASSIGN(const FarWords far, far_words(named, first));
  options.sandbox = far.sandbox;
  if (!first.empty()) {
    if (far.words[0] != ".") options.batch = far.words[0];
    options.paths.assign(words.begin() + 1, words.end());
  }
  if (options.batch.empty() && !options.paths.empty()) {
    return usage_error("the batch is missing behind the name of the machine",
                       "yonder restore NAME:BATCH PATH...; `yonder restore NAME:` shows all");
  }
  if (options.list && !options.paths.empty()) {
    return usage_error("--list takes a batch, and no paths");
  }
  return Command(std::move(options));
}

Result<Command> to_trash(const RawOptions& raw, const std::optional<Words>& tail) {
  if (tail && !tail->empty()) {
    return usage_error(concat("unexpected argument \"", printable(tail->front()), "\""),
                       "`yonder trash --help` shows how");
  }
  if (raw.yes && !raw.empty) return usage_error("--yes goes only together with --empty");
  TrashOptions options{
      .sandbox = raw.sandbox, .empty = raw.empty, .yes = raw.yes, .json = raw.json};
  if (!raw.older_than.empty()) {
    TRY_ASSIGN(options.older_than, parse_time("--older-than", raw.older_than));
  }
  return Command(std::move(options));
}

Result<Command> to_edit(const RawOptions& raw, const Words& words) {
  TRY_ASSIGN(const FarWords far, far_words_after_name(raw.sandbox, words, 1));
  TRY(check_paths("edit", far.words, 1, 1));
  return Command(EditOptions{.sandbox = far.sandbox, .path = far.words[0]});
}

}  // namespace

bool is_file_command(const std::string& name) {
  constexpr std::array<std::string_view, 7> kNames{"ls",   "cat",     "write", "edit",
                                                   "grep", "restore", "trash"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<Command> to_file_command(const std::string& name, const RawOptions& raw,
                                const std::optional<Words>& tail) {
  Words paths = raw.paths;
  if (tail) paths.insert(paths.end(), tail->begin(), tail->end());
  if (name == "ls") return to_ls(raw, paths);
  if (name == "cat") return to_cat(raw, paths);
  if (name == "write") return to_write(raw, paths);
  if (name == "grep") return to_grep(raw, paths);
  if (name == "restore") return to_restore(raw, paths);
  if (name == "trash") return to_trash(raw, tail);
  return to_edit(raw, paths);
}

}  // namespace yonder::cli
