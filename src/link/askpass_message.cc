#include "link/askpass_message.h"

#include <cstdint>

#include "base/text.h"
#include "link/askpass_socket.h"

namespace yonder::link {
namespace {

// Request: u32 length (big-endian), then token NUL hint NUL prompt.
// Reply: 'A' and the answer, up to the end of the stream. Anything else is a refusal.
constexpr std::size_t kMaxRequest = 16384;
constexpr std::size_t kMaxPrompt = 8192;
constexpr std::size_t kMaxAnswer = 16384;
constexpr std::size_t kLengthBytes = 4;
constexpr char kAnswer = 'A';

std::string length_prefix(std::size_t length) {
  std::string prefix;
  for (int shift = 24; shift >= 0; shift -= 8) {
    prefix += static_cast<char>((length >> static_cast<unsigned>(shift)) & 0xFFU);
  }
  return prefix;
}

std::size_t parse_length(std::string_view prefix) {
  std::size_t length = 0;
  for (const char byte : prefix) length = length << 8U | static_cast<unsigned char>(byte);
  return length;
}

Error broken(std::string_view why) {
  return {Errc::Protocol, concat("askpass request: ", why), ""};
}

}  // namespace

Result<void> send_request(const Fd& connection, const AskpassRequest& request,
                          const Deadline& deadline) {
  std::string prompt = request.prompt;
  if (prompt.size() > kMaxPrompt) prompt = prompt.substr(0, kMaxPrompt) + "\n[cut]";
  const std::string nul(1, '\0');
  const std::string payload = concat(request.token, nul, request.hint, nul, prompt);
  return send_all(connection, length_prefix(payload.size()) + payload, deadline);
}

Result<AskpassRequest> receive_request(const Fd& connection, const Deadline& deadline) {
  TRY_ASSIGN(const std::string prefix, receive_up_to(connection, kLengthBytes, deadline));
  if (prefix.size() != kLengthBytes) return broken("ended early");
  const std::size_t length = parse_length(prefix);
  if (length > kMaxRequest) return broken("too long");
  TRY_ASSIGN(const std::string payload, receive_up_to(connection, length, deadline));
  if (payload.size() != length) return broken("ended early");
  const auto fields = split(payload, '\0');
  if (fields.size() != 3) return broken("not three fields");
  return AskpassRequest{.token = fields[0], .hint = fields[1], .prompt = fields[2]};
}

Result<void> send_answer(const Fd& connection, const Secret& answer, const Deadline& deadline) {
  TRY(send_all(connection, std::string_view(&kAnswer, 1), deadline));
  return send_all(connection, answer.reveal(), deadline);
}

Result<Secret> receive_answer(const Fd& connection, const Deadline& deadline) {
  TRY_ASSIGN(const std::string kind, receive_up_to(connection, 1, deadline));
  if (kind != std::string_view(&kAnswer, 1)) {
    return Error{Errc::AuthNeeded, "askpass: refused", ""};
  }
  TRY_ASSIGN(std::string answer, receive_up_to(connection, kMaxAnswer, deadline));
  return Secret(std::move(answer));
}

}  // namespace yonder::link
