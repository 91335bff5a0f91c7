#include "e2e/fixture.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file.h"
#include "base/id.h"
#include "e2e/program.h"

namespace yonder::e2e {
namespace {

constexpr std::uint64_t kFileLimit = 64UL << 20;

// A call that returns at the end of its wait is a failure in its own right; ours is over before.
Json patiently(const Json& more) {
  Json arguments{{"wait_s", 3000}};
  arguments.update(more);
  return arguments;
}

}  // namespace

void EndToEnd::SetUp() {
  const auto directory = lab().new_directory("client");
  if (!directory) throw std::runtime_error(directory.error().message);
  auto key = lab::SshKey::generate(*directory + "/key");
  if (!key) throw std::runtime_error(key.error().message);
  key_ = *std::move(key);
  runtime_directory_ = *directory + "/run";
  const auto made = make_directory(runtime_directory_);
  if (!made) throw std::runtime_error(made.error().message);
  // What an earlier test in this process has set.
  for (const char* name : {"/.config/yonder", "/.ssh/config", "/.ssh/known_hosts"}) {
    std::filesystem::remove_all(lab().client_home() + name);
  }
}

std::vector<std::string> EndToEnd::environment(const std::vector<std::string>& more) const {
  auto environment = lab::Lab::get().environment();
  environment.push_back("XDG_RUNTIME_DIR=" + runtime_directory_);
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

std::unique_ptr<McpClient> EndToEnd::new_agent(const std::vector<std::string>& more_environment) {
  auto client = McpClient::start(environment(more_environment));
  if (!client) throw std::runtime_error(client.error().message);
  return *std::move(client);
}

McpClient& EndToEnd::agent() {
  if (!agent_) agent_ = new_agent();
  return *agent_;
}

lab::Sshd EndToEnd::start_sshd(const lab::SshdOptions& options) {
  auto sshd = lab::Sshd::start(lab(), options);
  if (!sshd) throw std::runtime_error(sshd.error().message);
  if (!sshd->authorize(key_.public_key)) throw std::runtime_error("cannot authorize the key");
  return *std::move(sshd);
}

std::unique_ptr<lab::FaultProxy> EndToEnd::start_proxy(std::uint16_t to) {
  auto proxy = lab::FaultProxy::start({.to = to});
  if (!proxy) throw std::runtime_error(proxy.error().message);
  return *std::move(proxy);
}

lab::Account EndToEnd::new_user(const std::string& shell) {
  auto user = lab().add_user("u" + random_letters(10), shell);
  if (!user) throw std::runtime_error(user.error().message);
  return *std::move(user);
}

lab::SshHost EndToEnd::host(const std::string& alias, const lab::SshServer& server,
                            const std::string& user) const {
  return {.alias = alias,
          .port = server.port(),
          .user = user,
          .identity_file = key_.path,
          .host_key = server.host_key()};
}

lab::SshHost EndToEnd::host(const std::string& alias, const lab::SshServer& server,
                            const lab::FaultProxy& proxy, const std::string& user) const {
  lab::SshHost host = this->host(alias, server, user);
  host.port = proxy.port();
  return host;
}

void EndToEnd::write_hosts(const std::vector<lab::SshHost>& hosts) {
  const auto written = lab::write_ssh_config(lab(), hosts);
  ASSERT_TRUE(written) << written.error().message;
}

void EndToEnd::write_config_toml(const std::string& text) {
  const std::string directory = lab().client_home() + "/.config/yonder";
  ASSERT_TRUE(make_directories(directory));
  ASSERT_TRUE(write_file_atomically(directory + "/config.toml", text, Durability::Process));
}

Json EndToEnd::bash(const std::string& command, const Json& more) {
  return content_of(agent().call("exec_bash", exec_arguments(command, patiently(more))));
}

Json EndToEnd::bash_error(const std::string& command, const Json& more) {
  return error_of(agent().call("exec_bash", exec_arguments(command, more)));
}

Json EndToEnd::result_of(int id, const Deadline& deadline) {
  return content_of(agent().wait(id, deadline));
}

std::string EndToEnd::new_marker() const {
  return "e2e-" + random_letters(12);
}

std::string EndToEnd::new_open_directory() {
  auto directory = lab().new_directory("open");
  if (!directory) throw std::runtime_error(directory.error().message);
  ::chmod(directory->c_str(), 0777);
  return *directory;
}

std::string until(const std::string& file) {
  return concat("while [ ! -e ", file, " ]; do sleep 0.02; done; ");
}

Json exec_arguments(const std::string& command, const Json& more) {
  Json arguments = Json::object();
  if (!command.empty()) arguments = Json{{"command", command}, {"sandbox_name", "local"}};
  arguments.update(more);
  return arguments;
}

Json content_of(const Reply& reply) {
  if (!reply.arrived) throw std::runtime_error("no reply in time");
  if (reply.is_error) throw std::runtime_error("the call failed: " + dump_json(reply.content));
  return reply.content;
}

Json error_of(const Reply& reply) {
  if (!reply.arrived) throw std::runtime_error("no reply in time");
  if (!reply.is_error) throw std::runtime_error("no error: " + dump_json(reply.content));
  return reply.content.at("error");
}

std::string file_text(const std::string& path) {
  auto text = read_file(path, kFileLimit);
  return text ? *std::move(text) : std::string();
}

std::uint64_t peak_memory(pid_t pid) {
  const std::string status = file_text(concat("/proc/", pid, "/status"));
  const std::size_t line = status.find("VmHWM:");
  if (line == std::string::npos) return 0;
  return std::strtoull(status.c_str() + line + 6, nullptr, 10) * 1024;
}

std::uint64_t enough_memory() {
  // A sanitizer's own bookkeeping takes more than the program.
  return program_is_sanitized() ? 2000UL << 20 : 40UL << 20;
}

std::vector<lab::Process> family_of(pid_t root) {
  const auto all = lab::living_processes();
  std::vector<lab::Process> family;
  std::vector<pid_t> parents{root};
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const auto& process : all) {
      if (process.parent != parents[i]) continue;
      family.push_back(process);
      parents.push_back(process.pid);
    }
  }
  return family;
}

}  // namespace yonder::e2e
