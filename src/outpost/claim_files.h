#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace yonder::outpost {

// The files that claims are, in a directory into which anybody may put anything.

inline constexpr std::string_view kClaimPrefix = "claim.";

struct ClaimName {
  std::string text;
  std::uint64_t number = 0;
};
std::string claim_name(std::uint64_t number, const std::string& run_id);
// Of those that may be claims, in their order.
Result<std::vector<ClaimName>> claim_names(const Fd& place);
// All whose names begin so.
Result<std::vector<std::string>> claim_files(const Fd& place, std::string_view prefix);

Error too_many(const char* what, const std::map<uid_t, std::size_t>& by_owner);

// A lock to write: whoever may only read the file cannot take it, and a lock to read hinders
// nobody. It lasts as long as any copy of the descriptor.
Result<void> hold_claim(const Fd& file);
Result<bool> is_held_claim(const Fd& file);

}  // namespace yonder::outpost
