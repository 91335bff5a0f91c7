#include "sandbox/ssh_agent.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/clock.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace yonder::sandbox {
namespace {

constexpr std::string_view kVariable = "SSH_AUTH_SOCK=";
constexpr auto kAgentTime = std::chrono::milliseconds(500);
constexpr auto kSystemdTime = std::chrono::seconds(1);
constexpr std::size_t kMostOutput = 256UL * 1024;

std::string value_in(const std::vector<std::string>& environment, std::string_view variable) {
  for (const auto& entry : environment) {
    if (entry.starts_with(variable)) return entry.substr(variable.size());
  }
  return "";
}

std::string runtime_directory_in(const std::vector<std::string>& environment, uid_t user) {
  const std::string said = value_in(environment, "XDG_RUNTIME_DIR=");
  return said.starts_with('/') ? said : concat("/run/user/", user);
}

bool is_socket_of(const std::string& path, uid_t user) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && info.st_uid == user;
}

bool is_ready(const Fd& fd, short events, const Deadline& deadline) {
  pollfd waiting{fd.get(), events, 0};
  return ::poll(&waiting, 1, deadline.poll_timeout()) == 1;
}

// Without waiting: an agent whose queue is full does not answer either.
Fd connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {};
  std::memcpy(static_cast<char*>(address.sun_path), path.data(), path.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return {};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets are addressed
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(fd.get(), to, sizeof address) == 0 ? std::move(fd) : Fd();
}

std::string systemds_agent(std::vector<std::string> environment, uid_t user) {
  const std::string directory = runtime_directory_in(environment, user);
  if (!path_exists(directory + "/systemd/private")) return "";  // no systemd of the user runs
  if (value_in(environment, "XDG_RUNTIME_DIR=").empty()) {
    environment.push_back("XDG_RUNTIME_DIR=" + directory);
  }
  const auto shown = run_captured(
      {.argv = {"systemctl", "--user", "show-environment"}, .environment = environment}, "",
      kMostOutput, Deadline::after(kSystemdTime));
  return shown && shown->status.success() ? agent_of_systemd(shown->out) : "";
}

// Takes an agent that answers; one with keys rather than one without.
bool take(SshAgentSeen& seen, const std::string& socket, const char* from, uid_t user) {
  const auto keys = ask_agent(socket, user);
  if (!keys || (!seen.socket.empty() && *keys == 0)) return false;
  seen.socket = socket;
  seen.from = from;
  seen.keys = keys;
  return *keys > 0;
}

SshAgentSeen find_agent(const std::vector<std::string>& environment, uid_t user) {
  SshAgentSeen seen;
  if (const std::string told = value_in(environment, kVariable); !told.empty()) {
    return {.socket = told, .from = "SSH_AUTH_SOCK", .keys = ask_agent(told, user)};
  }
  seen.looked = agent_places(environment, user);
  for (const auto& place : seen.looked) {
    if (take(seen, place, "its usual place", user)) return seen;
  }
  const std::string named = systemds_agent(environment, user);
  if (named.empty()) return seen;
  seen.looked.push_back(named);
  take(seen, named, "the user's systemd", user);
  return seen;
}

}  // namespace

std::vector<std::string> agent_places(const std::vector<std::string>& environment, uid_t user) {
  const std::string directory = runtime_directory_in(environment, user);
  std::vector<std::string> places;
  for (const char* name : {"ssh-agent.socket", "keyring/ssh", "gcr/ssh", "openssh_agent"}) {
    places.push_back(concat(directory, "/", name));
  }
  return places;
}

std::string agent_of_systemd(std::string_view shown) {
  for (const auto& line : split(shown, '\n')) {
    if (!line.starts_with(kVariable)) continue;
    // What systemctl has to quote is no path that an agent would have.
    const std::string value = line.substr(kVariable.size());
    return value.starts_with('/') ? value : "";
  }
  return "";
}

std::optional<std::size_t> ask_agent(const std::string& socket, uid_t user) {
  if (!is_socket_of(socket, user)) return std::nullopt;
  const Fd agent = connect_to(socket);
  if (!agent) return std::nullopt;
  const auto deadline = Deadline::after(kAgentTime);
  constexpr std::string_view kListKeys("\0\0\0\1\x0b", 5);  // SSH_AGENTC_REQUEST_IDENTITIES
  if (::send(agent.get(), kListKeys.data(), kListKeys.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(kListKeys.size())) {
    return std::nullopt;
  }
  std::array<unsigned char, 9> answer{};  // length, SSH_AGENT_IDENTITIES_ANSWER, count
  std::size_t have = 0;
  while (have < answer.size()) {
    if (!is_ready(agent, POLLIN, deadline)) return std::nullopt;
    const ssize_t n = ::recv(agent.get(), answer.data() + have, answer.size() - have, 0);
    if (n <= 0) return std::nullopt;
    have += static_cast<std::size_t>(n);
  }
  constexpr unsigned char kKeys = 12;
  if (answer[4] != kKeys) return std::nullopt;
  return (static_cast<std::size_t>(answer[5]) << 24U) |
         (static_cast<std::size_t>(answer[6]) << 16U) |
         (static_cast<std::size_t>(answer[7]) << 8U) | answer[8];
}

void SshEnvironment::look() const {
  std::call_once(looked_, [this] {
    agent_ = find_agent(plain_, ::geteuid());
    whole_ = plain_;
    if (agent_.socket.empty() || agent_.from == "SSH_AUTH_SOCK") return;
    std::erase_if(whole_, [](const std::string& entry) { return entry.starts_with(kVariable); });
    whole_.push_back(concat(kVariable, agent_.socket));
  });
}

const std::vector<std::string>& SshEnvironment::with_agent() const {
  look();
  return whole_;
}

const SshAgentSeen& SshEnvironment::agent() const {
  look();
  return agent_;
}

}  // namespace yonder::sandbox
