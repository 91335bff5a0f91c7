#include "e2e/yonder_cli.h"

#include <poll.h>

#include <array>
#include <stdexcept>

#include "e2e/mcp_client.h"
#include "e2e/program.h"

namespace yonder::e2e {
namespace {

constexpr std::size_t kMaxOutput = 64UL * 1024 * 1024;

SpawnOptions spawn_options(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment) {
  std::vector<std::string> argv{yonder_program()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return {.argv = std::move(argv), .environment = environment};
}

Subprocess spawn(const SpawnOptions& options) {
  auto process = Subprocess::spawn(options);
  if (!process) throw std::runtime_error(process.error().message);
  return *std::move(process);
}

// False at the end of the stream or of our patience.
bool read_into(const Fd& from, std::string& text, const Deadline& deadline) {
  pollfd ready{from.get(), POLLIN, 0};
  if (::poll(&ready, 1, deadline.poll_timeout()) <= 0) return false;
  std::array<char, 65536> buffer{};
  const auto n = read_some(from, buffer.data(), buffer.size());
  if (!n || *n == 0) return false;
  text.append(buffer.data(), *n);
  return true;
}

std::string take_line(const Fd& from, std::string& unread) {
  const Deadline deadline = patience();
  while (true) {
    const std::size_t end = unread.find('\n');
    if (end != std::string::npos) {
      std::string line = unread.substr(0, end);
      unread.erase(0, end + 1);
      return line;
    }
    if (!read_into(from, unread, deadline)) return std::exchange(unread, {});
  }
}

}  // namespace

Captured run_yonder(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, std::string_view input) {
  auto done = run_captured(spawn_options(arguments, environment), input, kMaxOutput, patience());
  if (!done) throw std::runtime_error(done.error().message);
  return *std::move(done);
}

RunningYonder::RunningYonder(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment)
    : process_(spawn(spawn_options(arguments, environment))) {}

std::string RunningYonder::next_line() {
  return take_line(process_.output(), unread_);
}

std::string RunningYonder::next_error_line() {
  return take_line(process_.errors(), unread_errors_);
}

Captured RunningYonder::finish() {
  process_.input().reset();
  const Deadline deadline = patience();
  Captured done{.status = {.code = -1},
                .out = std::exchange(unread_, {}),
                .err = std::exchange(unread_errors_, {})};
  while (read_into(process_.output(), done.out, deadline)) {
  }
  while (read_into(process_.errors(), done.err, deadline)) {
  }
  if (const auto status = process_.wait(deadline)) done.status = *status;
  return done;
}

}  // namespace yonder::e2e
