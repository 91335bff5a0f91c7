#include "base/clean_text.h"
#include "base/text.h"
#include "sync/plan.h"

namespace yonder::sync {
namespace {

constexpr std::uint64_t kFewRemovals = 20;
constexpr const char* kBelow = "name a directory below it";

Error refuse(const std::string& message, const std::string& hint) {
  return {Errc::InvalidArgument, concat("delete_extras is refused: ", message),
          concat(kNothingChanged, hint)};
}

// Whatever is to be removed.
Result<void> check_places(const DeleteGuard& guard) {
  if (guard.target_path == "/") return refuse("the target is the root directory", kBelow);
  if (!guard.target_holds.empty()) {
    return refuse(concat("the target (", printable(guard.target_path), ") is or holds ",
                         printable(guard.target_holds), ", a home directory or Yonder's own"),
                  kBelow);
  }
  if (!guard.source_exists) return refuse("the source does not exist", "check its path");
  if (guard.source_entries > 0) return {};
  if (guard.source_left_out > 0) {
    return refuse("the rules leave out everything that the source has",
                  "check the excludes, or give the sync without delete_extras");
  }
  return refuse("the source is empty", "is it the right directory, and is it mounted?");
}

std::string why_confirm(const DeleteGuard& guard) {
  std::string why;
  if (!guard.keeps_removed) why += " for good (trash is false)";
  if (!guard.has_record) why += ", and no earlier sync says where they come from";
  return why;
}

}  // namespace

bool needs_confirming(const Plan& plan, const DeleteGuard& guard) {
  const std::uint64_t count = plan.counts.removals();
  if (count == 0 || guard.single_file) return false;
  if (!guard.has_record || !guard.keeps_removed) return true;
  return count > kFewRemovals && count * 2 >= guard.target_entries;
}

Result<void> check_removals(const Plan& plan, const PlanOptions& options,
                            const DeleteGuard& guard) {
  if (!options.delete_extras || guard.single_file) return {};
  TRY(check_places(guard));
  const std::uint64_t count = plan.counts.removals();
  if (options.confirm_delete && *options.confirm_delete != count) {
    return refuse(concat("confirm_delete is ", *options.confirm_delete, ", but ", count,
                         " entries would be removed"),
                  "look at a dry run first");
  }
  if (needs_confirming(plan, guard) && !options.confirm_delete) {
    return refuse(concat(count, " of ", guard.target_entries, " entries of ",
                         printable(guard.target_path), " would be removed", why_confirm(guard)),
                  concat("if that is meant, give confirm_delete=", count));
  }
  return {};
}

}  // namespace yonder::sync
