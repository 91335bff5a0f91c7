#include "sync/next_record.h"

#include <string>
#include <utility>
#include <vector>

namespace yonder::sync {

NextRecord::NextRecord(std::optional<BaseRecord> before, std::int64_t scanned_ns)
    : new_(!before.has_value()) {
  if (before) before_ = *std::move(before);
  record_.set_scanned_ns(scanned_ns);
}

void NextRecord::settle(std::string_view path, const Known& known) {
  record_.take(before_, path);
  if (record_.note(path, known)) new_ = true;
}

AgreedMode NextRecord::mode_of(std::string_view path, tree::Type type) const {
  return (record_.find(path) != nullptr ? record_ : before_).mode_of(path, type);
}

const Known* NextRecord::find(std::string_view path) const {
  const Known* known = record_.find(path);
  return known != nullptr ? known : before_.find(path);
}

void NextRecord::carry(std::string_view path, const Known& known) {
  // What was sent since was read after that.
  const std::int64_t when = before_.scanned_ns(path).value_or(before_.scanned_ns());
  record_.take(before_, path);
  const Known* taken = record_.find(path);
  if (taken == nullptr || taken->seen != known.seen) new_ = record_.note(path, known) || new_;
  record_.read_earlier(path, when);
}

void NextRecord::carry_over(const tree::Entry& entry, std::int64_t step) {
  if (record_.find(entry.path) != nullptr) return;
  // A sync that was cut off may have put there what is there now.
  const Known* sent = before_.matching(entry.path, tree::seen_as(entry), step);
  const Known* then = before_.find(entry.path);
  if (sent == nullptr && then == nullptr) return;
  carry(entry.path, Known(sent != nullptr ? *sent : *then));
}

void NextRecord::carry_over_below(const Paths& hidden) {
  if (hidden.empty()) return;
  std::vector<std::string> paths;
  for (const auto& [path, known] : before_.entries()) {
    if (is_at_or_below(path, hidden)) paths.push_back(path);
  }
  for (const auto& [path, sent] : before_.sent()) {
    const bool known = record_.find(path) != nullptr;
    if (!known && is_at_or_below(path, hidden)) record_.note_sent(path, sent);
  }
  for (const auto& path : paths) carry(path, Known(*before_.find(path)));
}

void NextRecord::set_mounts(std::vector<std::string> mounts) {
  if (mounts != before_.mounts()) new_ = true;
  record_.set_mounts(std::move(mounts));
}

bool NextRecord::is_new() const {
  return new_ || before_.size() > 0 || before_.sent().size() != record_.sent().size();
}

}  // namespace yonder::sync
