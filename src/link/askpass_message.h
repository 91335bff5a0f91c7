#pragma once

#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/secret.h"

namespace yonder::link {

// What the helper process and the broker say to each other on the socket: one request, one reply.
// Both are the same program, so there is no version.

inline constexpr const char* kSocketVariable = "YONDER_ASKPASS_SOCKET";
inline constexpr const char* kTokenVariable = "YONDER_ASKPASS_TOKEN";

struct AskpassRequest {
  std::string token;
  std::string hint;    // ssh's SSH_ASKPASS_PROMPT
  std::string prompt;  // a very long one is cut, and marked so that no setting answers it
};
Result<void> send_request(const Fd& connection, const AskpassRequest& request,
                          const Deadline& deadline);
Result<AskpassRequest> receive_request(const Fd& connection, const Deadline& deadline);

Result<void> send_answer(const Fd& connection, const Secret& answer, const Deadline& deadline);
// An error when it was refused, or the broker has gone.
Result<Secret> receive_answer(const Fd& connection, const Deadline& deadline);

}  // namespace yonder::link
