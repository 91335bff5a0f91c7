#pragma once

#include <string>

namespace yonder::ops {

// Pure: shell functions for a checkout over there that is being moved. What they keep in its git
// directory is described in docs/formats.md. They expect those that every script of git_sync begins
// with.

// Who moves it, or has moved it, from where to where.
std::string git_moving_functions();

// Takes back what a move has done, so that the next one begins where it began.
std::string git_undo_functions();

}  // namespace yonder::ops
