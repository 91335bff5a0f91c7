#pragma once

#include <string>
#include <string_view>

namespace yonder::outpost {

// 128-bit xxHash as 32 hex digits, as `xxh128sum` prints it.
std::string hash_of(std::string_view bytes);

// The path of the running program; empty where /proc does not tell.
std::string own_path();

// What `ps` shows of this process; cut to the room that its arguments have.
void show_as(const std::string& title);
// How long a title may be. Looked up once; who forks asks before, so that its children need not.
std::size_t room_for_title();

// Whether the running program is whole: its file has this hash.
bool is_whole(const std::string& expected_hash);

}  // namespace yonder::outpost
