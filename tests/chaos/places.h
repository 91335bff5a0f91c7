#pragma once

#include <string>

#include "chaos/stage.h"

namespace yonder::chaos {

// Trouble with the places where a user's files are: homes on servers that go away, and disks that
// fill. False when it could not be made.

// An unmounted home leaves an empty directory of root's.
enum class InItsPlace { Nothing, EmptyDirectory };
bool take_home_away(const std::string& home, InItsPlace instead);
bool bring_home_back(const std::string& home);

// To the last byte.
bool fill_up(const std::string& disk);
void clear_out(const std::string& disk);

// Before a disk is filled: what runs there, and what begins while it is full, may print in vain.
void logs_may_lack(Stage& stage, std::size_t machine);
// When it is empty again: what has not begun by now prints all it has to.
void logs_are_whole_again(Stage& stage, std::size_t machine);

}  // namespace yonder::chaos
