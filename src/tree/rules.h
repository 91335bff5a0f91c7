#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tree/pattern.h"

namespace yonder::tree {

// Rules come from files of strangers and over the wire, so there is an end to them.
inline constexpr std::size_t kMaxRules = 10'000;
inline constexpr std::size_t kMaxPatternBytes = 4096;
inline constexpr std::size_t kMaxRuleBytes = std::size_t{1} << 20U;  // all patterns and bases

// Sources of the rules that everybody has; see add_defaults.
inline constexpr std::string_view kBuiltIn = "built in";
inline constexpr std::string_view kBuiltInSecret = "built in: secret";

// Where a rule stands: "excludes", "exclude_file .yonderignore", "sub/.gitignore"; 0 is no line.
struct RuleOrigin {
  std::string source;
  int line = 0;
};

struct Rule {
  std::string text;  // as written, without the line end and trailing blanks
  RuleOrigin origin;
  Pattern pattern;
};

struct Verdict {
  bool excluded = false;
  // Who decided, also where it was to bring something back; nullptr: no rule matched. Lives as long
  // as the set or the scope it is from, until that changes.
  const Rule* rule = nullptr;
};

// From weak to strong: a rule of a higher level beats every rule of the lower ones.
enum class Level : std::uint8_t { Defaults, IgnoreFile, ExcludeFile, Excludes };
inline constexpr std::size_t kLevels = 4;

// The rules of one directory's file, or of one list, in the order they were written.
class RuleList {
 public:
  explicit RuleList(std::string_view base) : base_(base) {}

  const std::string& base() const { return base_; }
  const std::vector<Rule>& rules() const { return rules_; }
  std::size_t bytes() const { return bytes_; }

  Result<void> add(std::string_view line, RuleOrigin origin, Level level);
  Result<void> add_file(std::string_view content, const std::string& source, Level level);
  // Puts the rules of `stronger` behind these; the base stays.
  void append(RuleList stronger);
  // The last rule that matches; nullptr where none does, and for what is not below the base.
  const Rule* last_match(std::string_view path, bool is_directory) const;

 private:
  std::string base_;
  std::vector<Rule> rules_;
  std::size_t bytes_ = 0;
};

// The ignore files of one directory and of those above it, as a walk finds them. It never changes,
// so a walk keeps one per directory on its stack, and several threads may share it.
class Scope {
 public:
  using Ptr = std::shared_ptr<const Scope>;

  // `parent` is what the directory above has, or nullptr. A file without rules adds no scope.
  static Result<Ptr> open(Ptr parent, std::string_view base, std::string_view content,
                          const std::string& source_name);

  Scope(Ptr parent, RuleList list) : parent_(std::move(parent)), list_(std::move(list)) {}
  const Rule* last_match(std::string_view path, bool is_directory) const;

 private:
  Ptr parent_;
  RuleList list_;
};

// Which files a sync leaves out. The syntax and the order are git's: the last match wins, deeper
// ignore files beat those above them, and levels beat lower levels.
//
//   RuleSet rules;
//   add_defaults(rules);
//   TRY(rules.add("", "!.env", {"excludes", 1}));
//   Scope::Ptr scope;                                   // a walk opens one where it finds a file
//   if (rules.judge("src/main.o", false, scope.get()).excluded) ...
//
// A walk asks for every entry on its way down and does not enter an excluded directory, so that
// nothing below one can come back; that, too, is git's rule.
class RuleSet {
 public:
  // One pattern, relative to `base`: "" is the root, "sub/dir" the place of a nested ignore file.
  // Blank lines and comments are nothing. A pattern of the level Excludes that can never match is
  // an error, for somebody has just typed it; in files it is ignored, as in git.
  Result<void> add(std::string_view base, std::string_view pattern_line, RuleOrigin origin,
                   Level level = Level::Excludes);
  // The text of an ignore file, line by line. Nothing is added where one line is an error.
  Result<void> add_file(std::string_view base, std::string_view content,
                        const std::string& source_name, Level level = Level::IgnoreFile);

  // `path` is relative to the root, without a slash at either end. Looks at this entry alone, not
  // at the directories above it. The scope's files stand above those that the set itself has.
  Verdict judge(std::string_view path, bool is_directory, const Scope* scope = nullptr) const;
  // For a path out of nowhere: it is excluded when a directory above it is.
  Verdict judge_with_parents(std::string_view path, bool is_directory,
                             const Scope* scope = nullptr) const;

  std::size_t size() const { return size_; }
  // The lists of a level, from weak to strong.
  const std::vector<RuleList>& lists(Level level) const {
    return levels_[static_cast<std::size_t>(level)];
  }

  // "`/build` (sub/.gitignore:3)", safe to be shown.
  static std::string describe(const Rule& rule);

 private:
  Result<void> absorb(RuleList list, Level level);

  std::array<std::vector<RuleList>, kLevels> levels_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

// What hardly anybody wants to send, at every depth: the insides of git and of editors, what Python
// and npm can make again; and files of secrets, which should not leave by accident. The latter have
// the source kBuiltInSecret, so that a summary can say that `!.env` brings one back.
void add_defaults(RuleSet& rules);

}  // namespace yonder::tree
