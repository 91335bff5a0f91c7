#pragma once

#include <cstdint>
#include <string>

namespace yonder::chaos {

// A far side that greets as an outpost does, or nearly so, and then sends frames that no outpost
// would send: answers to questions that were never asked, with words that a terminal would obey and
// numbers that cannot be, some of them with bytes changed, cut short or repeated; impossible
// lengths, kinds and credits; replies without an end and data without credit; the far end of a sync
// that wants to write elsewhere. Everything it says comes from the seed.
//
// Returns the command line of such a machine. Its files are written below `directory`, which every
// user may read.
std::string make_liar(std::uint64_t seed, const std::string& directory);

}  // namespace yonder::chaos
