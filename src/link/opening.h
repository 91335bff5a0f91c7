#pragma once

#include <memory>
#include <string>

#include "link/greeting.h"
#include "link/link.h"

namespace yonder::link {

// The conversation before the first frame: boot script out, greeting in, program out if asked for.
struct Opened {
  Subprocess process;
  wire::Hello hello;
  std::string noise;
  std::string rest;  // bytes that follow the Hello
  bool deployed = false;
};
Result<Opened> open_conversation(const Link::Setup& setup, const Deadline& deadline,
                                 const CancelToken& cancel);

}  // namespace yonder::link
