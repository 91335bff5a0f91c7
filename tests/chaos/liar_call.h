#pragma once

#include <string>

#include "base/json.h"
#include "chaos/dice.h"

namespace yonder::chaos {

// Something to ask the machine that lies for.
struct LiarCall {
  const char* tool = "";
  Json arguments;
};
// `loot`: a directory of this machine, for what is fetched.
LiarCall a_call_for_the_liar(Dice& dice, const std::string& run_id, const std::string& loot);

// Whether any text in an answer has characters that a terminal would obey, besides line ends and
// tabs.
bool holds_control_characters(const Json& answer);

// A file that the liar has brought to where it should not be; empty: none.
std::string trespasser_near(const std::string& loot);

}  // namespace yonder::chaos
