#pragma once

#include <cstdint>
#include <string>

namespace yonder::chaos {

// A far side that greets as an outpost does and then sends frames that no outpost would send: true
// ones with bytes changed, cut short or repeated, impossible lengths, kinds and credits, replies to
// streams that were never opened. Everything it says comes from the seed.
//
// Returns the command line of such a machine. Its files are written below `directory`, which every
// user may read.
std::string make_liar(std::uint64_t seed, const std::string& directory);

}  // namespace yonder::chaos
