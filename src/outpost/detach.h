#pragma once

#include <initializer_list>

namespace yonder::outpost {

// What a fork of the outpost does that outlives its link: a session of its own, no standard
// streams, plain SIGCHLD, and no descriptor but these.
void leave_the_link(std::initializer_list<int> kept);

}  // namespace yonder::outpost
