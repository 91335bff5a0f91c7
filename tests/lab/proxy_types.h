#pragma once

#include <cstdint>

namespace yonder::lab {

enum class Direction { Up, Down };  // from the client to the target, and back
enum class CutWith { Reset, Fin };

// Where a CutRule starts to count.
enum class Since {
  Call,        // now, over all connections; all of them are cut
  Connection,  // the beginning of each connection, also of those to come; it alone is cut
};

struct CutRule {
  std::uint64_t bytes = 0;
  Direction direction = Direction::Down;
  Since since = Since::Call;
  CutWith with = CutWith::Reset;
  int times = 1;  // the rule is forgotten after so many cuts
};

struct ProxyStats {
  std::uint64_t connections = 0;  // accepted so far
  std::uint64_t open = 0;
  std::uint64_t up_bytes = 0;  // handed on so far
  std::uint64_t down_bytes = 0;
  std::uint64_t under_way = 0;  // read by the proxy, not handed on yet
  std::uint64_t cuts = 0;       // connections that the proxy cut
};

}  // namespace yonder::lab
