#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "fuzz/target.h"

namespace yonder::fuzz {

// What was decoded, encoded and decoded again is the same.
template <class Decode, class Encode>
void same_again(std::string_view bytes, Decode&& decode, Encode&& encode) {
  const auto value = decode(bytes);
  if (!value) return;
  const std::string once = encode(*value);
  const auto again = decode(std::string_view(once));
  require(bool(again), "what was encoded here is decoded");
  require(encode(*again) == once, "what was encoded here is decoded as what it was");
}

}  // namespace yonder::fuzz
