#pragma once

#include <cstdint>
#include <string>

#include "tree/rules.h"
#include "tree/scan.h"

namespace yonder::sync {

// What the far side lists is only its word: it was told the rules, but nobody sees it keep them.
struct Unasked {
  std::uint64_t entries = 0;
  std::string first;  // of their paths
};

// Takes out of a far list what the rules leave out, so that nothing is planned for it; the topmost
// of each becomes a skip. The rules are ours alone: an ignore file from over there, which could
// bring back anything, has no say here. Pure.
Unasked drop_unasked(tree::Listing& theirs, const tree::RuleSet& rules);

}  // namespace yonder::sync
