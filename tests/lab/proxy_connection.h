#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "lab/proxy_types.h"

namespace yonder::lab {

// What is under way in one direction: bytes, the end of the stream, or a reset, each with the time
// at which it arrives.
class Flow {
 public:
  enum class Kind { Data, Fin, Reset };

  void push_data(Instant due, std::string_view bytes);
  // Nothing follows a Fin or a Reset; only a Reset may follow a Fin.
  void push_end(Instant due, Kind kind);

  bool empty() const { return queue_.empty(); }
  Instant next_due() const { return queue_.front().due; }
  Kind next_kind() const { return queue_.front().kind; }
  std::string_view next_bytes() const;
  void pop_bytes(std::size_t count);
  void pop_end();
  std::size_t queued() const { return queued_; }

  bool source_open = true;   // its sender has not ended
  bool discarding = false;   // what the sender still says is thrown away
  bool fin_passed = false;   // its receiver was told the end
  bool blocked = false;      // its receiver takes nothing at the moment
  std::uint64_t passed = 0;  // bytes handed to the receiver

 private:
  struct Item {
    Instant due;
    Kind kind = Kind::Data;
    std::string bytes = {};
  };
  void push(Item item);

  std::deque<Item> queue_;
  std::size_t offset_ = 0;  // of what is left in the first item
  std::size_t queued_ = 0;
  Instant last_due_ = Instant::min();
};

struct ProxyConnection {
  Fd client;
  Fd target;           // opened at connect_at
  Instant connect_at;  // when the client's handshake would be over
  Flow up;
  Flow down;
  std::optional<CutWith> cut;  // decided; done when the bytes that may pass have arrived
  Direction cut_after = Direction::Down;
  bool dead = false;

  Flow& flow(Direction direction) { return direction == Direction::Up ? up : down; }
  Fd& source(Direction direction) { return direction == Direction::Up ? client : target; }
  Fd& sink(Direction direction) { return direction == Direction::Up ? target : client; }
  bool finished() const {
    return dead || (up.fin_passed && down.fin_passed && !up.source_open && !down.source_open);
  }
};

inline constexpr std::array kDirections{Direction::Up, Direction::Down};
inline Direction opposite(Direction direction) {
  return direction == Direction::Up ? Direction::Down : Direction::Up;
}

// Closes with a reset instead of the orderly end.
void reset_socket(Fd& socket);
// Whether the receiver's kernel has confirmed everything that was written.
bool all_arrived(const Fd& socket);

}  // namespace yonder::lab
