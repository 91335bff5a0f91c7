#include "e2e/mcp_client.h"

#include <poll.h>
#include <signal.h>

#include <array>

#include "e2e/program.h"

namespace yonder::e2e {
namespace {

constexpr std::size_t kKeptOutput = 8UL * 1024 * 1024;

}  // namespace

McpClient::McpClient(Subprocess process, Pipe stop)
    : process_(std::move(process)),
      stop_(std::move(stop)),
      listener_("mcp client", [this] { listen(); }) {}

Result<std::unique_ptr<McpClient>> McpClient::start(std::vector<std::string> environment) {
  TRY_ASSIGN(Subprocess process, Subprocess::spawn({.argv = {yonder_program(), "mcp"},
                                                    .environment = std::move(environment)}));
  TRY_ASSIGN(Pipe stop, make_pipe());
  // make_unique cannot reach the private constructor.
  std::unique_ptr<McpClient> client(new McpClient(std::move(process), std::move(stop)));
  const int id =
      client->request("initialize", Json{{"protocolVersion", "2025-11-25"},
                                         {"capabilities", Json::object()},
                                         {"clientInfo", {{"name", "e2e"}, {"version", "1"}}}});
  const auto answer = client->reply_to(id, patience());
  if (!answer || !answer->contains("result")) {
    return Error{Errc::Internal, "no session: " + client->errors(), ""};
  }
  client->send(Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  return client;
}

McpClient::~McpClient() {
  close();
  crash();
  stop_.write.reset();
  listener_.join();
}

void McpClient::listen() {
  std::array<pollfd, 3> fds{pollfd{process_.output().get(), POLLIN, 0},
                            pollfd{process_.errors().get(), POLLIN, 0},
                            pollfd{stop_.read.get(), POLLIN, 0}};
  std::array<char, 65536> buffer{};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    ::poll(fds.data(), fds.size(), -1);
    for (std::size_t i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const auto n =
          read_some(i == 0 ? process_.output() : process_.errors(), buffer.data(), buffer.size());
      if (!n || *n == 0) {
        fds[i].fd = -1;
        continue;
      }
      const std::string_view bytes(buffer.data(), *n);
      heard_.change([&](Heard& heard) {
        std::string& kept = i == 0 ? heard.output : heard.errors;
        if (kept.size() < kKeptOutput) kept += bytes;
      });
      if (i != 0) continue;
      unfinished_line_ += bytes;
      std::size_t end = 0;
      while ((end = unfinished_line_.find('\n')) != std::string::npos) {
        on_line(std::string_view(unfinished_line_).substr(0, end));
        unfinished_line_.erase(0, end + 1);
      }
    }
    if (fds[2].revents != 0) break;
  }
  heard_.change([](Heard& heard) { heard.ended = true; });
}

void McpClient::on_line(std::string_view line) {
  auto message = parse_json(line, "a line of the server");
  if (!message || !message->is_object()) return;
  if (message->value("method", "") == "notifications/progress") {
    const Json& params = message->at("params");
    const int of = params.at("progressToken").get<int>();
    heard_.change([&](Heard& heard) { heard.progress[of].push_back(params); });
    return;
  }
  const auto id = message->find("id");
  if (id == message->end() || !id->is_number_integer()) return;
  heard_.change([&](Heard& heard) { heard.replies[id->get<int>()] = *message; });
}

void McpClient::send(const Json& message) {
  // A server that is gone shows by the reply that does not come.
  [[maybe_unused]] const auto sent =
      write_all(process_.input(), dump_json(message) + "\n", patience()).has_value();
}

int McpClient::request(std::string_view method, const Json& params) {
  const int id = next_id_++;
  send(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  return id;
}

std::optional<Json> McpClient::reply_to(int id, const Deadline& deadline) {
  return heard_.wait(
      deadline, [&](const Heard& heard) { return heard.ended || heard.replies.contains(id); },
      [&](const Heard& heard) -> std::optional<Json> {
        const auto found = heard.replies.find(id);
        if (found == heard.replies.end()) return std::nullopt;
        return found->second;
      });
}

int McpClient::call_async(std::string_view tool, const Json& arguments) {
  return request("tools/call", Json{{"name", tool}, {"arguments", arguments}});
}

int McpClient::call_with_progress(std::string_view tool, const Json& arguments) {
  return request(
      "tools/call",
      Json{{"name", tool}, {"arguments", arguments}, {"_meta", {{"progressToken", next_id_}}}});
}

std::vector<Json> McpClient::progress_of(int id) const {
  return heard_.look([&](const Heard& heard) {
    const auto found = heard.progress.find(id);
    return found == heard.progress.end() ? std::vector<Json>() : found->second;
  });
}

Reply McpClient::wait(int id, const Deadline& deadline) {
  const auto message = reply_to(id, deadline);
  if (!message) return {};
  if (message->contains("error")) {
    return {.arrived = true, .is_error = true, .content = Json{{"error", message->at("error")}}};
  }
  const Json& result = message->at("result");
  return {.arrived = true,
          .is_error = result.at("isError").get<bool>(),
          .content = result.at("structuredContent")};
}

Reply McpClient::call(std::string_view tool, const Json& arguments, const Deadline& deadline) {
  return wait(call_async(tool, arguments), deadline);
}

void McpClient::cancel(int id) {
  send(Json{
      {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}});
}

bool McpClient::answers() {
  return reply_to(request("ping", Json::object()), patience()).has_value();
}

bool McpClient::has_reply(int id) const {
  return heard_.look([&](const Heard& heard) { return heard.replies.contains(id); });
}

void McpClient::crash() {
  process_.signal(SIGKILL);
  process_.wait(patience());
}

std::optional<ExitStatus> McpClient::close(const Deadline& deadline) {
  process_.input().reset();
  return process_.wait(deadline);
}

std::string McpClient::errors() const {
  return heard_.look([](const Heard& heard) { return heard.errors; });
}

std::string McpClient::output() const {
  return heard_.look([](const Heard& heard) { return heard.output; });
}

}  // namespace yonder::e2e
