#pragma once

namespace yonder::lab {

// Takes out of the environment what a person's session, a hook or a CI may have put there: a locale
// that is not installed, another repository, terminals, agents, settings of this program. Programs
// that tests start would heed it. First thing in main().
void forget_the_session();

}  // namespace yonder::lab
