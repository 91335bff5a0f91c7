#include "sync/compare.h"

namespace yonder::sync {
namespace {

using tree::Entry;
using tree::Type;

// Two changes within one tick of a file system's clock have the same time.
constexpr std::int64_t kFineTick = 20LL * 1000 * 1000;
constexpr std::int64_t kCoarseTick = 2LL * 1000 * 1000 * 1000;

bool is_coarse(std::int64_t ns) {
  return ns % 1000000 == 0;
}

bool may_have_changed_within_a_tick(const PlanInput& input, const Entry& source, bool coarse) {
  const auto known = input.base != nullptr ? input.base->scanned_ns(source.path) : std::nullopt;
  const std::int64_t looked = known.value_or(input.now_ns);
  return source.mtime_ns + (coarse ? kCoarseTick : kFineTick) >= looked;
}

Compared compare_files(const PlanInput& input, const PlanOptions& options, const Entry& source,
                       const Entry& target) {
  if (source.size != target.size) return Compared::Differs;
  const bool times = same_time(source.mtime_ns, target.mtime_ns);
  const Compared same =
      times && source.mode == target.mode ? Compared::Same : Compared::OnlyAttributes;
  if (source.hash && target.hash) {
    return *source.hash == *target.hash ? same : Compared::Differs;
  }
  if (const auto found = input.hashes.find(source.path); found != input.hashes.end()) {
    const auto& [here, there] = found->second;
    return here && there && *here == *there ? same : Compared::Differs;
  }
  if (!times) {
    const bool asks =
        is_newer_there(input, source, target) && options.on_conflict != OnConflict::TakeSource;
    return asks ? Compared::Unclear : Compared::Differs;
  }
  const bool coarse = source.mtime_ns != target.mtime_ns || is_coarse(source.mtime_ns);
  return may_have_changed_within_a_tick(input, source, coarse) ? Compared::Unclear : same;
}

}  // namespace

Compared compare(const PlanInput& input, const PlanOptions& options, const Entry& source,
                 const Entry& target) {
  if (source.type != target.type) return Compared::Differs;
  if (source.type == Type::Link) {
    return source.target == target.target ? Compared::Same : Compared::Differs;
  }
  return compare_files(input, options, source, target);
}

bool is_newer_there(const PlanInput& input, const Entry& source, const Entry& target) {
  return input.base == nullptr && target.mtime_ns > source.mtime_ns &&
         !same_time(source.mtime_ns, target.mtime_ns);
}

}  // namespace yonder::sync
