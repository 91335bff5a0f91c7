#include "sync/compare.h"

namespace yonder::sync {
namespace {

using tree::Entry;
using tree::Type;

// Two changes within one tick of a file system's clock have the same time.
constexpr std::int64_t kFineTick = 20LL * 1000 * 1000;
constexpr std::int64_t kCoarseTick = 2LL * 1000 * 1000 * 1000;

// To read it at both ends takes less than to send it, and perhaps only its time is new.
constexpr std::uint64_t kWorthReading = 1024UL * 1024;
// Of what is larger, the copy itself reads both and finds what is the same.
constexpr std::uint64_t kTooMuchToRead = 1024UL * 1024 * 1024;

bool is_coarse(std::int64_t ns) {
  return ns % 1000000 == 0;
}

}  // namespace

bool Comparison::may_have_changed_within_a_tick(const Entry& source, bool coarse) const {
  const auto known = input_.base != nullptr ? input_.base->scanned_ns(source.path) : std::nullopt;
  const std::int64_t looked = known.value_or(input_.now_ns);
  return source.mtime_ns + (coarse ? kCoarseTick : kFineTick) >= looked;
}

// By its exact time, which the record has and the target may not have.
bool Comparison::is_as_sent(const Entry& source) const {
  const tree::Seen* sent = input_.base != nullptr ? input_.base->find(source.path) : nullptr;
  return sent != nullptr && *sent == tree::seen_as(source);
}

Compared Comparison::of_files(const Entry& source, const Entry& target) const {
  if (source.size != target.size) return Compared::Differs;
  const bool times = steps_.same(source.mtime_ns, target.mtime_ns);
  const Compared same =
      times && source.mode == target.mode ? Compared::Same : Compared::OnlyAttributes;
  if (source.hash && target.hash) {
    return *source.hash == *target.hash ? same : Compared::Differs;
  }
  if (const auto found = input_.hashes.find(source.path); found != input_.hashes.end()) {
    const auto& [here, there] = found->second;
    return here && there && *here == *there ? same : Compared::Differs;
  }
  if (!times) {
    const bool asks =
        is_newer_there(source, target) && options_.on_conflict != OnConflict::TakeSource;
    const bool worth_it = source.size >= kWorthReading && source.size < kTooMuchToRead;
    return asks || worth_it ? Compared::Unclear : Compared::Differs;
  }
  const bool rounded = source.mtime_ns != target.mtime_ns;
  if (rounded && !is_as_sent(source)) return Compared::Unclear;
  const bool coarse = rounded || is_coarse(source.mtime_ns);
  return may_have_changed_within_a_tick(source, coarse) ? Compared::Unclear : same;
}

Compared Comparison::of(const Entry& source, const Entry& target) const {
  if (source.type != target.type) return Compared::Differs;
  if (source.type == Type::Link) {
    return source.target == target.target ? Compared::Same : Compared::Differs;
  }
  return of_files(source, target);
}

bool Comparison::is_newer_there(const Entry& source, const Entry& target) const {
  return input_.base == nullptr && target.mtime_ns > source.mtime_ns &&
         !steps_.same(source.mtime_ns, target.mtime_ns);
}

bool Comparison::changed_by_others(const Entry& target) const {
  return input_.base != nullptr &&
         !input_.base->knows(target.path, tree::seen_as(target), steps_.target);
}

}  // namespace yonder::sync
