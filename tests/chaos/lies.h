#pragma once

#include <string>

#include "chaos/dice.h"

namespace yonder::chaos {

// What a lying machine says inside its frames. All of it comes from the dice.

std::string any_bytes(Dice& dice, std::size_t count);

// A message that an outpost could send, with words in it that no terminal and no model should get
// as they are; sometimes with a byte changed, or cut.
std::string a_false_message(Dice& dice);

// The far end of a sync that lists and sends files of its own choice, also such that would lie
// outside of the tree. Each of those is called kTrespasser.
inline constexpr const char* kTrespasser = "liar-was-here";
std::string a_false_tree(Dice& dice);

}  // namespace yonder::chaos
