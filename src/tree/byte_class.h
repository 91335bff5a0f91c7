#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

namespace yonder::tree {

using ByteSet = std::bitset<256>;

// Reads a bracket expression such as `[!a-z[:digit:]]` at `at`, which is left behind its `]`. The
// set never holds '/': no class crosses a directory. Nothing comes back where git gives up: no `]`,
// or an unknown name between `[:` and `:]`. A pattern with such a class matches nothing.
std::optional<ByteSet> read_byte_class(std::string_view text, std::size_t& at);

}  // namespace yonder::tree
