#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outpost/machine.h"

namespace yonder::outpost {

// Which directory holds the run records of a user, as a run's start has written it down. It is kept
// where that directory is not: in `yonder-<uid>/places` below the directories that all users of a
// machine share. So a home that is not mounted for a moment is missed, and not replaced.
struct RememberedPlace {
  std::string path;     // of the state directory
  std::string id;       // what its file `id` said
  std::string boot_id;  // only of a directory that does not outlive a boot: which one it is of
  std::vector<std::string> notes;  // the files that say so
};

// What is remembered for this home. Without a home, all that is remembered of the user. Each path
// is there once; what a boot has removed since is left out.
std::vector<RememberedPlace> remembered_places(const Surroundings& around);

// Writes `around.state_dir` down, and gives it an id where it has none. Called before the first run
// of a link is started. What cannot be written stays unremembered: the run is worth more.
void remember_place(Surroundings& around);

// What the file `id` of a state directory says; empty when there is none.
std::string read_place_id(const std::string& state_dir);

// Whether the directory goes with the next boot.
bool is_volatile(const std::string& state_dir);

// Pure.
std::string encode_place(const RememberedPlace& place);
// Pure. Nothing for what encode_place() has not written.
std::optional<RememberedPlace> decode_place(std::string_view text);

}  // namespace yonder::outpost
