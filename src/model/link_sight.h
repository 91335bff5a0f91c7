#pragma once

#include <string>

namespace yonder {

enum class LinkState {
  Connecting,  // for the first time
  Up,
  Silent,  // it stands, but the machine has not answered for longer than it should take
  Lost,
};

// The way to one machine, as it looks now.
struct LinkSight {
  std::string sandbox;
  LinkState state = LinkState::Up;
};

}  // namespace yonder
