#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace yonder::link {

// Makes the directory, or accepts one that is ours alone: no link, our own, 0700.
Result<void> make_private_directory(const std::string& path);

// Unix stream sockets. All close-on-exec; none raises SIGPIPE.
// The name appears when there is somebody behind it.
Result<Fd> listen_at(const std::string& path);
Result<Fd> accept_from(const Fd& listener);
Result<Fd> connect_to(const std::string& path);

// Whether it is certain that no process has the socket any more. Whoever has it does not notice.
bool is_bound_by_nobody(const std::string& path);

struct Peer {
  uid_t uid = 0;
  pid_t pid = 0;  // 0 where the system does not say
};
Result<Peer> peer_of(const Fd& connection);

Result<void> send_all(const Fd& connection, std::string_view bytes, const Deadline& deadline);
// Up to `size` bytes; fewer only at the end of the stream.
Result<std::string> receive_up_to(const Fd& connection, std::size_t size, const Deadline& deadline);
// Whether the other side has gone, or our own side was shut down, before the deadline.
bool wait_for_hang_up(const Fd& connection, const Deadline& deadline);

}  // namespace yonder::link
