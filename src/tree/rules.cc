#include "tree/rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

// A blank at the end counts only behind a backslash. Tabs count always, as in git.
std::string_view without_trailing_blanks(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;
    end = std::min(i + 1, line.size());
  }
  return line.substr(0, end);
}

std::string_view pattern_of_line(std::string_view line) {
  if (line.starts_with('#')) return {};
  if (line.ends_with('\r')) line.remove_suffix(1);
  return without_trailing_blanks(line.substr(0, line.find('\0')));
}

// "./x" is how people name a file here; in git it would match nothing.
std::string without_dot_slash(std::string_view text) {
  const std::string_view mark = text.substr(0, text.starts_with('!') ? 1 : 0);
  std::string_view rest = text.substr(mark.size());
  while (rest.starts_with("./")) rest.remove_prefix(2);
  return concat(mark, rest);
}

std::string place_of(const RuleOrigin& origin) {
  return origin.line > 0 ? concat(origin.source, ":", origin.line) : origin.source;
}

Error bad_pattern(std::string_view problem, std::string_view text, const RuleOrigin& origin,
                  std::string hint) {
  constexpr std::size_t kShown = 80;
  return {Errc::InvalidArgument,
          concat(printable(place_of(origin)), ": the pattern `", printable(text.substr(0, kShown)),
                 text.size() > kShown ? "…" : "", "` ", problem),
          std::move(hint)};
}

Result<void> check_room(std::size_t rules, std::size_t bytes) {
  if (rules <= kMaxRules && bytes <= kMaxRuleBytes) return {};
  return Error{Errc::InvalidArgument,
               concat("the rules that say what to leave out are more than ", kMaxRules, " or ",
                      human_bytes(kMaxRuleBytes)),
               "name directories or endings instead of single files"};
}

std::string_view name_of_path(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

Result<void> RuleList::add(std::string_view line, RuleOrigin origin, Level level) {
  const std::string_view text = pattern_of_line(line);
  if (text.empty()) return {};
  if (text.size() > kMaxPatternBytes) {
    return bad_pattern(concat("is longer than ", kMaxPatternBytes, " bytes"), text, origin,
                       "shorten it with wildcards, or remove it");
  }
  Pattern pattern(level == Level::Excludes ? without_dot_slash(text) : std::string(text));
  if (!pattern.can_match()) {
    if (level != Level::Excludes) return {};
    return bad_pattern("can never match a file", text, origin,
                       "a literal `[` or `\\` needs a backslash before it; `*` stands for all");
  }
  TRY(check_room(rules_.size() + 1, bytes_ + text.size()));
  bytes_ += text.size();
  rules_.push_back({std::string(text), std::move(origin), std::move(pattern)});
  return {};
}

Result<void> RuleList::add_file(std::string_view content, const std::string& source, Level level) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  for (int line = 1; !content.empty(); ++line) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    TRY(add(content.substr(0, end), {source, line}, level));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return {};
}

void RuleList::append(RuleList stronger) {
  bytes_ += stronger.bytes_;
  rules_.insert(rules_.end(), std::make_move_iterator(stronger.rules_.begin()),
                std::make_move_iterator(stronger.rules_.end()));
}

const Rule* RuleList::last_match(std::string_view path, bool is_directory) const {
  if (!base_.empty()) {
    if (path.size() <= base_.size() || path[base_.size()] != '/' || !path.starts_with(base_)) {
      return nullptr;
    }
    path.remove_prefix(base_.size() + 1);
  }
  const std::string_view name = name_of_path(path);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->pattern.matches(path, name, is_directory)) return &*rule;
  }
  return nullptr;
}

Result<Scope::Ptr> Scope::open(Ptr parent, std::string_view base, std::string_view content,
                               const std::string& source_name) {
  RuleList list(base);
  TRY(list.add_file(content, source_name, Level::IgnoreFile));
  if (list.rules().empty()) return parent;
  return Ptr(std::make_shared<const Scope>(std::move(parent), std::move(list)));
}

const Rule* Scope::last_match(std::string_view path, bool is_directory) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent_.get()) {
    if (const Rule* rule = scope->list_.last_match(path, is_directory)) return rule;
  }
  return nullptr;
}

// One list for each base, the deeper ones behind the others.
Result<void> RuleSet::absorb(RuleList list, Level level) {
  if (list.rules().empty()) return {};
  auto& lists = levels_[static_cast<std::size_t>(level)];
  const auto same = std::find_if(lists.begin(), lists.end(), [&](const RuleList& other) {
    return other.base() == list.base();
  });
  const std::size_t size = size_ + list.rules().size();
  const std::size_t bytes = bytes_ + list.bytes() + (same == lists.end() ? list.base().size() : 0);
  TRY(check_room(size, bytes));
  size_ = size;
  bytes_ = bytes;
  if (same != lists.end()) {
    same->append(std::move(list));
    return {};
  }
  const auto deeper = std::find_if(lists.begin(), lists.end(), [&](const RuleList& other) {
    return other.base().size() > list.base().size();
  });
  lists.insert(deeper, std::move(list));
  return {};
}

Result<void> RuleSet::add(std::string_view base, std::string_view pattern_line, RuleOrigin origin,
                          Level level) {
  RuleList list(base);
  TRY(list.add(pattern_line, std::move(origin), level));
  return absorb(std::move(list), level);
}

Result<void> RuleSet::add_file(std::string_view base, std::string_view content,
                               const std::string& source_name, Level level) {
  RuleList list(base);
  TRY(list.add_file(content, source_name, level));
  return absorb(std::move(list), level);
}

Verdict RuleSet::judge(std::string_view path, bool is_directory, const Scope* scope) const {
  for (std::size_t level = kLevels; level-- > 0;) {
    const Rule* rule = nullptr;
    if (scope != nullptr && level == static_cast<std::size_t>(Level::IgnoreFile)) {
      rule = scope->last_match(path, is_directory);
    }
    const auto& lists = levels_[level];
    for (auto list = lists.rbegin(); rule == nullptr && list != lists.rend(); ++list) {
      rule = list->last_match(path, is_directory);
    }
    if (rule != nullptr) return {!rule->pattern.negated(), rule};
  }
  return {};
}

Verdict RuleSet::judge_with_parents(std::string_view path, bool is_directory,
                                    const Scope* scope) const {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    const Verdict above = judge(path.substr(0, slash), true, scope);
    if (above.excluded) return above;
  }
  return judge(path, is_directory, scope);
}

std::string RuleSet::describe(const Rule& rule) {
  return concat("`", printable(rule.text), "` (", printable(place_of(rule.origin)), ")");
}

}  // namespace yonder::tree
