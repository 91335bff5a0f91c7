#include "chaos/seat.h"

#include <signal.h>

#include "base/text.h"
#include "lab/processes.h"

namespace yonder::chaos {

using e2e::McpClient;
using e2e::Reply;

Seat::Seat(std::vector<std::string> environment, std::size_t line, Tally& tally)
    : environment_(std::move(environment)), line_(line), tally_(tally) {}

void Seat::sit_down() {
  if (life_.with([](const Life& life) { return life.killed; })) close();
  if (client_) return;
  auto client = McpClient::start(environment_);
  if (!client) {
    tally_.wrong(Wrong::Answer, "yonder mcp did not start: " + client.error().message);
    return;
  }
  client_ = *std::move(client);
  life_.with([&](Life& life) { life = {.pid = client_->pid()}; });
}

int Seat::begin(const char* tool, const Json& arguments) {
  sit_down();
  return client_ ? client_->call_async(tool, arguments) : -1;
}

Reply Seat::finish(int id, const Deadline& deadline) {
  if (!client_ || id < 0) return {};
  Reply reply = client_->wait(id, deadline);
  if (reply.arrived || life_.with([](const Life& life) { return life.killed; })) return reply;
  const bool lives = lab::is_alive(client_->pid());
  tally_.wrong(Wrong::Answer,
               lives ? "no answer in time" : "yonder mcp ended by itself: " + client_->errors());
  close();
  return reply;
}

Reply Seat::call(const char* tool, const Json& arguments, const Deadline& deadline) {
  return finish(begin(tool, arguments), deadline);
}

bool Seat::kill() {
  // Its owner reaps it only after the number is taken away here, so it is nobody else's.
  return life_.with([](Life& life) {
    if (life.pid <= 0 || life.killed) return false;
    life.killed = true;
    return ::kill(life.pid, SIGKILL) == 0;
  });
}

pid_t Seat::pid() const {
  return life_.with([](const Life& life) { return life.pid; });
}

void Seat::close() {
  life_.with([](Life& life) { life = {}; });
  client_.reset();
}

}  // namespace yonder::chaos
