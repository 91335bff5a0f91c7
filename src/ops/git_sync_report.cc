#include "ops/git_sync_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"

namespace yonder::ops {
namespace {

constexpr std::string_view kFirst = "yonder-git-sync 1";
constexpr std::size_t kShortId = 10;

// "key=value" records, and lists: a record with the list's name, its entries, an empty record.
struct Records {
  std::map<std::string, std::string, std::less<>> values;
  std::map<std::string, std::string, std::less<>> lists;  // each entry with its NUL

  const std::string& value(std::string_view key) const {
    static const std::string kNone;
    const auto found = values.find(key);
    return found == values.end() ? kNone : found->second;
  }
};

std::optional<std::string_view> next_record(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view record = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return record;
}

Error broken() {
  return {Errc::Protocol, "the far side's answer about its git repository is broken", ""};
}

Result<Records> read_records(std::string_view rest) {
  if (next_record(rest) != kFirst) return broken();
  Records records;
  while (const auto record = next_record(rest)) {
    if (*record == "done") return records;
    const std::size_t equals = record->find('=');
    if (equals != std::string_view::npos) {
      records.values[std::string(record->substr(0, equals))] = record->substr(equals + 1);
      continue;
    }
    if (record->empty()) continue;
    std::string& list = records.lists[std::string(*record)];
    while (true) {
      const auto entry = next_record(rest);
      if (!entry) return broken();
      if (entry->empty()) break;
      list += *entry;
      list += '\0';
    }
  }
  return broken();  // it was cut off
}

std::vector<std::string> entries_of(const std::string& list) {
  std::vector<std::string> entries;
  std::string_view rest = list;
  while (const auto entry = next_record(rest)) entries.emplace_back(*entry);
  return entries;
}

// "" or an id; whatever else it says becomes an error of the caller.
Result<std::string> id_or_none(const Records& records, std::string_view key) {
  const std::string& value = records.value(key);
  if (!value.empty() && !is_object_id(value)) return broken();
  return value;
}

// Pairs of lines, "commit <id>" and the subject, which may be empty. What two lists have is one.
Result<std::vector<FarCommit>> parse_history(const std::string& text) {
  std::vector<FarCommit> commits;
  std::set<std::string> seen;
  if (text.empty()) return commits;
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    constexpr std::string_view kCommit = "commit ";
    if (!lines[i].starts_with(kCommit)) return broken();
    FarCommit commit{.id = lines[i].substr(kCommit.size())};
    if (!is_object_id(commit.id)) return broken();
    if (i + 1 < lines.size()) commit.subject = lines[i + 1];
    if (seen.insert(commit.id).second) commits.push_back(std::move(commit));
  }
  return commits;
}

// Ids in lines; of several in one line the last: a tag's, and what it points to.
Result<void> add_ids(const std::string& text, std::vector<std::string>& ids) {
  for (const auto& line : split(text, '\n')) {
    const std::string_view words = trim(line);
    if (words.empty()) continue;
    const std::size_t blank = words.rfind(' ');
    const std::string_view id = blank == std::string_view::npos ? words : words.substr(blank + 1);
    if (!is_object_id(id)) return broken();
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.emplace_back(id);
  }
  return {};
}

// "XY path"
Result<std::vector<std::string>> paths_of(const std::string& changes) {
  constexpr std::size_t kStatus = 3;
  std::vector<std::string> paths = entries_of(changes);
  for (auto& path : paths) {
    if (path.size() <= kStatus) return broken();
    path.erase(0, kStatus);
  }
  return paths;
}

}  // namespace

bool is_object_id(std::string_view text) {
  constexpr std::size_t kSha1 = 40;
  constexpr std::size_t kSha256 = 64;
  return (text.size() == kSha1 || text.size() == kSha256) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string short_id(std::string_view id) {
  return std::string(id.substr(0, kShortId));
}

Result<FarRepository> parse_far_repository(std::string_view output) {
  TRY_ASSIGN(const Records records, read_records(output));
  FarRepository far{.state = records.value("state"),
                    .path = records.value("path"),
                    .version = records.value("version"),
                    .why = records.value("why"),
                    .inside = records.value("inside"),
                    .bare = records.value("bare") == "true",
                    // An old git does not know the question, and no other format.
                    .format = records.value("format") == "sha256" ? "sha256" : "sha1",
                    .ref = records.value("ref"),
                    .busy = records.value("busy"),
                    .moving = records.value("moving"),
                    .moving_host = records.value("moving_host"),
                    .elsewhere = records.value("elsewhere"),
                    .has_commit = records.value("has") == "yes"};
  if (far.state.empty() || !far.path.starts_with('/')) return broken();
  TRY_ASSIGN(far.head, id_or_none(records, "head"));
  TRY_ASSIGN(far.tip, id_or_none(records, "tip"));
  TRY_ASSIGN(far.moving_head, id_or_none(records, "moving_head"));
  TRY_ASSIGN(far.moving_commit, id_or_none(records, "moving_commit"));
  TRY_ASSIGN(far.history, parse_history(records.value("history")));
  TRY(add_ids(records.value("more"), far.known));
  TRY(add_ids(records.value("refs"), far.known));
  TRY(add_ids(records.value("shallow"), far.shallow));
  const auto changes = records.lists.find("changes");
  if (changes == records.lists.end()) return far;
  far.changes = changes->second;
  TRY_ASSIGN(far.dirty, paths_of(far.changes));
  return far;
}

Result<FarOutcome> parse_far_outcome(std::string_view output) {
  TRY_ASSIGN(const Records records, read_records(output));
  FarOutcome outcome{.outcome = records.value("outcome"),
                     .step = records.value("step"),
                     .ref = records.value("ref"),
                     .code = records.value("code")};
  if (outcome.outcome.empty()) return broken();
  TRY_ASSIGN(outcome.head, id_or_none(records, "head"));
  TRY_ASSIGN(outcome.tip, id_or_none(records, "tip"));
  TRY_ASSIGN(outcome.stash, id_or_none(records, "stash"));
  const auto blocking = records.lists.find("in_the_way");
  if (blocking == records.lists.end()) return outcome;
  std::set<std::string> seen;
  for (auto& path : entries_of(blocking->second)) {
    if (seen.insert(path).second) outcome.in_the_way.push_back(std::move(path));
  }
  return outcome;
}

}  // namespace yonder::ops
