#include "sync/compare.h"

namespace yonder::sync {
namespace {

using tree::Entry;
using tree::Type;

// To read it at both ends takes less than to send it, and perhaps only its time is new.
constexpr std::uint64_t kWorthReading = 1024UL * 1024;
// Of what is larger, the copy itself reads both and finds what is the same.
constexpr std::uint64_t kTooMuchToRead = 1024UL * 1024 * 1024;
// What is larger is called a conflict without reading it.
constexpr std::uint64_t kTooMuchToSettle = 64 * kTooMuchToRead;

bool is_coarse(std::int64_t ns) {
  return ns % 1000000 == 0;
}

}  // namespace

bool Comparison::may_have_changed_within_a_tick(const Entry& source, bool coarse) const {
  const auto known = input_.base != nullptr ? input_.base->scanned_ns(source.path) : std::nullopt;
  const std::int64_t looked = known.value_or(input_.now_ns);
  return source.mtime_ns + (coarse ? kCoarseTick : kFineTick) >= looked;
}

// By their exact times, which the record has, and one of the ends may not have.
bool Comparison::is_as_settled(const Entry& source, const Entry& target) const {
  const Known* then = input_.base != nullptr ? input_.base->find(source.path) : nullptr;
  return then != nullptr && then->seen.type == source.type && then->seen.size == source.size &&
         then->source_ns == source.mtime_ns &&
         is_kept_as(then->seen.mtime_ns, target.mtime_ns, steps_.target);
}

Compared Comparison::of_same_contents(const Entry& source, const Entry& target) const {
  const ModeChange modes = of_file_modes(source, target);
  if (modes == ModeChange::Conflict) return Compared::ModesConflict;
  const bool right = !takes_source(modes) && steps_.same(source.mtime_ns, target.mtime_ns) &&
                     same_attributes(source, target);
  return right ? Compared::Same : Compared::OnlyAttributes;
}

// Unless the contents turn out to be the same.
bool Comparison::would_stop(const Entry& source, const Entry& target) const {
  return options_.on_conflict != OnConflict::TakeSource && source.size < kTooMuchToSettle &&
         (is_newer_there(source, target) || changed_by_others(target));
}

Compared Comparison::of_files(const Entry& source, const Entry& target) const {
  if (source.size != target.size) return Compared::Differs;
  const bool times = steps_.same(source.mtime_ns, target.mtime_ns);
  const Compared same = of_same_contents(source, target);
  if (source.hash && target.hash) {
    return *source.hash == *target.hash ? same : Compared::Differs;
  }
  if (const auto found = input_.hashes.find(source.path); found != input_.hashes.end()) {
    const auto& [here, there] = found->second;
    return here && there && *here == *there ? same : Compared::Differs;
  }
  if (!times) {
    const bool worth_it = source.size >= kWorthReading && source.size < kTooMuchToRead;
    return worth_it || would_stop(source, target) ? Compared::Unclear : Compared::Differs;
  }
  const bool rounded = source.mtime_ns != target.mtime_ns;
  if (rounded && !is_as_settled(source, target)) return Compared::Unclear;
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

ModeChange Comparison::of_modes(const BothModes& both) const {
  if (both.source == both.target) return ModeChange::None;
  const AgreedMode then =
      input_.base != nullptr ? input_.base->mode_of(both.path, both.type) : std::nullopt;
  if (!then) return both.ours ? ModeChange::TakeSource : ModeChange::KeepTarget;
  const bool changed_there =
      both.target != *then && !input_.base->may_have_given(both.path, both.target);
  if (!changed_there) return ModeChange::TakeSource;
  if (options_.on_conflict == OnConflict::TakeSource) return ModeChange::Overrule;
  return both.source == *then ? ModeChange::KeepTarget : ModeChange::Conflict;
}

bool Comparison::is_known(const Entry& target) const {
  return input_.base->knows(target.path, tree::seen_as(target), steps_.target);
}

bool Comparison::changed_by_others(const Entry& target) const {
  if (input_.base == nullptr || is_known(target)) return false;
  const auto found = input_.hashes.find(target.path);
  const Contents read = found != input_.hashes.end() ? found->second.target : target.hash;
  return !read || !input_.base->has_contents(target.path, tree::seen_as(target), *read);
}

bool Comparison::wants_contents(const Entry& target) const {
  return input_.base != nullptr && options_.on_conflict != OnConflict::TakeSource &&
         target.size < kTooMuchToSettle && !target.hash && !input_.hashes.contains(target.path) &&
         input_.base->may_be_touched(target.path, tree::seen_as(target)) && !is_known(target);
}

}  // namespace yonder::sync
