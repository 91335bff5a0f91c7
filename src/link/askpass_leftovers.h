#pragma once

#include <string>

namespace yonder::link {

// A new name for a broker's socket. It says under which boot of which machine it was made, because
// several machines may share the directory.
std::string new_socket_path(const std::string& directory);

// Removes the sockets of brokers that were killed. Only what is certain to be dead: made under this
// very boot, and bound by no process. Nobody who lives is disturbed.
void remove_leftovers(const std::string& directory);

}  // namespace yonder::link
