#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tree/rules.h"

namespace yonder::tree {

// Rules on their way to the far side: "YR1\n", then one record after the other: the level (one
// byte), the line (four bytes, little endian), and base, pattern and source, each behind its length
// (four bytes). The end of the bytes is the end of the rules.
std::string pack_rules(const RuleSet& rules);

// Believes nothing: lengths, counts and levels are checked before anything is kept.
Result<RuleSet> unpack_rules(std::string_view bytes);

}  // namespace yonder::tree
