#include "outpost/list_runs.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "outpost/overflow.h"
#include "outpost/packed_record.h"
#include "outpost/remove_run.h"

namespace yonder::outpost {
namespace {

constexpr auto kSlice = std::chrono::milliseconds(10);
constexpr std::uint64_t kMostRuns = 10000;
// A reply must fit into one message, whatever the records hold.
constexpr std::size_t kMostBytes = wire::kMaxMessage / 2;
constexpr std::size_t kOneRun = 1024;  // the names of the fields, and all that is short
// How many runs are looked through for a name that no link leads to.
constexpr std::size_t kSearched = 1000;
constexpr std::size_t kLongest = 4096;  // of one text of a label

void shorten(std::string& text) {
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
}

wire::RunFacts with_short_label(wire::RunFacts facts) {
  if (auto& label = facts.label) {
    for (auto* text : {&label->command, &label->description, &label->key, &label->cwd,
                       &label->session, &label->tmux_session, &label->log_file}) {
      shorten(*text);
    }
  }
  return facts;
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t created_ms(const wire::RunFacts& facts, const RunRecord& record) {
  if (facts.label && facts.label->created_ms > 0) return facts.label->created_ms;
  return stamp_of(record) / 1'000'000;
}

std::size_t text_bytes(const wire::RunFacts& facts) {
  std::size_t bytes = kOneRun + facts.problem.size();
  if (facts.moved) bytes += facts.moved->why.size() + facts.moved->directory.size();
  for (const auto& process : facts.members) bytes += process.command.size() + 32;
  if (facts.alive) {
    bytes += facts.alive->boot_id.size() + facts.alive->host.size() + facts.alive->pid_ns.size() +
             facts.alive->launcher.size() + facts.alive->cgroup.size();
  }
  if (facts.exit) {
    for (const auto& process : facts.exit->left_running) bytes += process.command.size() + 32;
  }
  if (const auto& label = facts.label) {
    bytes += label->command.size() + label->description.size() + label->key.size() +
             label->cwd.size() + label->session.size() + label->tmux_session.size() +
             label->log_file.size();
  }
  return bytes;
}

}  // namespace

Result<RunRecord> find_run(const Surroundings& around, const std::string& run_id) {
  TRY_ASSIGN(const RunId id, parse_run_id(run_id));
  if (!around.state_dir.empty()) TRY(unpack_run(RunRecord(around.state_dir, id)));
  auto record = find_record(around, id);
  if (!record) {
    return Error{Errc::NotFound,
                 concat("no record of run ", id.str(), " was found",
                        around.state_dir.empty() ? std::string(": there is no state directory here")
                                                 : concat(" in ", around.state_dir, "/runs")),
                 "this does not say that it has ended; records go some time after the end: is it "
                 "another sandbox, user or home directory?"};
  }
  return *std::move(record);
}

std::optional<RunRecord> find_by_tmux_name(const Surroundings& around, const std::string& name) {
  if (around.state_dir.empty() || name.empty()) return std::nullopt;
  for (auto& record : newest_runs(around.state_dir, kSearched)) {
    const auto shown_as = read_file(record.path("tmux"), kLongest);
    if (shown_as && trim(*shown_as) == name) return record;
  }
  return std::nullopt;
}

bool writes_log(const RunRecord& record) {
  if (record.is_background()) return true;
  struct stat info {};
  if (::lstat(record.path("out").c_str(), &info) == 0) return S_ISLNK(info.st_mode);
  const auto spec = record.read_spec();  // its starter died early, or somebody has removed files
  return spec && spec->background;
}

std::int64_t stamp_of(const RunRecord& record) {
  struct stat info {};
  if (::lstat(record.path("alive").c_str(), &info) == 0) return nanoseconds(info.st_mtim);
  if (::lstat(record.directory().c_str(), &info) == 0) return nanoseconds(info.st_mtim);
  return 0;
}

std::vector<RunRecord> newest_runs(const std::string& state_dir, std::size_t limit) {
  std::vector<std::pair<std::int64_t, RunRecord>> runs;
  for (const auto& name : names_in(state_dir + "/runs")) {
    const auto id = parse_run_id(name);
    if (!id) continue;
    RunRecord record(state_dir, *id);
    const std::int64_t stamp = stamp_of(record);
    runs.emplace_back(stamp, std::move(record));
  }
  const std::size_t count = std::min(limit, runs.size());
  std::partial_sort(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(count), runs.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<RunRecord> newest;
  for (std::size_t i = 0; i < count; ++i) newest.push_back(std::move(runs[i].second));
  return newest;
}

wire::RunFacts labelled_facts(const RunRecord& record, const std::string& boot_id,
                              ObserveOptions options) {
  options.label = true;
  auto facts = with_short_label(observe(record, boot_id, options));
  facts.existed = true;
  if (facts.label) return facts;
  if (facts.problem.empty()) {
    const auto spec = record.read_spec();
    if (!spec) facts.problem = spec.error().message;
  }
  return facts;
}

ListActivity::ListActivity(const Surroundings& around, wire::StreamId stream,
                           wire::ListRequest request)
    : boot_id_(around.boot_id), stream_(stream), request_(request) {
  request_.limit = std::min(request_.limit, kMostRuns);
  if (around.state_dir.empty()) return;
  for (const auto& name : names_in(around.state_dir + "/runs")) {
    if (const auto id = parse_run_id(name)) candidates_.push_back({{around.state_dir, *id}});
  }
  if (request_.background_only) return;
  for (auto& record : overflow_records(around)) candidates_.push_back({std::move(record)});
}

bool ListActivity::full() const {
  return found_.size() >= request_.limit || bytes_ >= kMostBytes;
}

void ListActivity::order(const Deadline& slice) {
  while (stamped_ < candidates_.size() && !slice.expired()) {
    auto& candidate = candidates_[stamped_++];
    candidate.stamp = stamp_of(candidate.record);
  }
  if (stamped_ < candidates_.size()) return;
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.stamp > b.stamp; });
}

void ListActivity::look(const Deadline& slice) {
  while (looked_at_ < candidates_.size() && !reply_.more && !slice.expired()) {
    look_at(candidates_[looked_at_++].record);
  }
}

void ListActivity::look_at(const RunRecord& record) {
  if (is_packed(record)) return look_at_packed(record);
  if (request_.background_only && !writes_log(record)) return;
  if (request_.unfinished_only) {
    const auto exit = record.read_exit();
    if (exit && *exit && has_surely_ended(record, boot_id_)) return;
  }
  const bool begun = record.exists() || path_exists(record.path("alive"));
  if (!begun) return;  // being made or removed at this moment
  if (full()) {
    reply_.more = true;
    return;
  }
  auto facts = labelled_facts(record, boot_id_);
  if (request_.unfinished_only && has_surely_ended(facts)) return;
  add(record, std::move(facts));
}

// Foreground runs that have ended are all that is ever packed.
void ListActivity::look_at_packed(const RunRecord& record) {
  if (request_.background_only || request_.unfinished_only) return;
  if (full()) {
    reply_.more = true;
    return;
  }
  if (auto facts = facts_of_packed(record, boot_id_)) {
    add(record, with_short_label(*std::move(facts)));
  }
}

void ListActivity::add(const RunRecord& record, wire::RunFacts facts) {
  bytes_ += text_bytes(facts);
  const std::int64_t created = created_ms(facts, record);
  found_.push_back({.created_ms = created, .facts = std::move(facts)});
}

bool ListActivity::step(Outbox& outbox) {
  const Deadline slice = Deadline::after(kSlice);
  if (stamped_ < candidates_.size()) order(slice);
  if (stamped_ == candidates_.size()) look(slice);
  if (stamped_ < candidates_.size()) return false;
  if (looked_at_ < candidates_.size() && !reply_.more) return false;
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Found& a, const Found& b) { return a.created_ms > b.created_ms; });
  for (auto& found : found_) reply_.runs.push_back(std::move(found.facts));
  outbox.message(wire::Kind::Reply, stream_, wire::encode(reply_));
  return true;
}

}  // namespace yonder::outpost
