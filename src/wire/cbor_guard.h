#pragma once

#include <string_view>

#include "base/result.h"

namespace yonder::wire {

// Walks over foreign CBOR before the library's recursive reader sees it: everything in it must be
// whole, of definite length, untagged and nested no deeper than our own messages are. Without this
// a few kilobytes of nested arrays would overflow the stack.
Result<void> check_cbor_shape(std::string_view cbor);

}  // namespace yonder::wire
