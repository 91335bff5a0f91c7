// The fakes that the tests of the server share, and their own test.
#include "mcp/test_client.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <array>
#include <stdexcept>

#include "base/patience_test.h"
#include "base/text.h"

namespace yonder::mcp {
namespace {

constexpr Duration kPatience = testing::kPatience;

using Call = std::function<Result<Json>(ops::CallContext&, const Json&)>;

Tool make_tool(std::string name, Call call) {
  return Tool{.operation = {.name = std::move(name),
                            .title = "A tool",
                            .toolset = "test",
                            .description = "For tests.",
                            .hints = {},
                            .input_schema = Json{{"type", "object"}},
                            .output_schema = Json{{"type", "object"}},
                            .call = {}},
              .call = std::move(call)};
}

Result<Json> talk(ops::CallContext& context, const Json&) {
  for (const auto* message : {"one", "two", "three"}) context.progress(message);
  return Json{{"said", 3}};
}

Result<Json> select(ops::CallContext& context, const Json& arguments) {
  const std::string before = context.session.selected();
  context.session.select(arguments.value("name", ""));
  return Json{{"before", before}};
}

}  // namespace

std::vector<Tool> FakeTools::tools() {
  return {
      make_tool("echo", [](auto&, const Json& arguments) { return arguments; }),
      make_tool("wait", [this](auto& context, const Json&) { return wait(context); }),
      make_tool("talk", talk),
      make_tool("fail",
                [](auto&, const Json&) {
                  return Error{Errc::NotFound, "no sandbox gpu9", "see list_sandboxes"};
                }),
      make_tool("throw",
                [](auto&, const Json&) -> Result<Json> { throw std::runtime_error("a bug"); }),
      make_tool("select", select),
  };
}

Result<Json> FakeTools::wait(ops::CallContext& context) {
  std::string given_up;  // guarded by state_, as it is only touched inside it
  // The first reason counts: a session that ends detaches what was cancelled before, too.
  const auto give_up = [&](const char* why) {
    state_.change([&](State&) {
      if (given_up.empty()) given_up = why;
    });
  };
  const auto on_cancel = context.cancel.on_cancel([&] { give_up("cancel"); });
  const auto on_detach = context.detach.on_cancel([&] { give_up("detach"); });
  state_.change([](State& state) { ++state.begun; });
  state_.wait(
      Deadline::after(kPatience),
      [&](const State& state) { return state.gate || !given_up.empty(); }, [](State&) {});
  return state_.change([&](State& state) {
    state.endings.push_back(given_up.empty() ? "gate" : given_up);
    return Json{{"ended_by", state.endings.back()}};
  });
}

void FakeTools::open_gate() {
  state_.change([](State& state) { state.gate = true; });
}

bool FakeTools::begun(int count) {
  return state_.wait(
      Deadline::after(kPatience), [&](const State& state) { return state.begun >= count; },
      [&](const State& state) { return state.begun >= count; });
}

std::vector<std::string> FakeTools::endings() const {
  return state_.look([](const State& state) { return state.endings; });
}

TestClient::TestClient(std::vector<Tool> tools)
    : to_server_(*make_pipe()),
      from_server_(*make_pipe()),
      tools_(std::move(tools)),
      info_{.version = "1.2.3", .instructions = "Be kind."} {
  ::signal(SIGPIPE, SIG_IGN);
  server_ = Thread("server", [this] {
    auto result = serve(info_, tools_, to_server_.read, from_server_.write, stop_.token());
    from_server_.write.reset();
    ended_.change([&](auto& ended) { ended = std::move(result); });
  });
}

TestClient::~TestClient() {
  stop_.cancel();
}

void TestClient::send_line(std::string_view line) {
  EXPECT_TRUE(write_all(to_server_.write, concat(line, "\n")));
}

void TestClient::request(const Json& id, std::string_view method, const Json& params) {
  send(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

void TestClient::call(const Json& id, std::string_view tool, const Json& arguments) {
  request(id, "tools/call", Json{{"name", tool}, {"arguments", arguments}});
}

void TestClient::cancel(const Json& id) {
  send(Json{
      {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}});
}

Json TestClient::receive() {
  const Deadline deadline = Deadline::after(kPatience);
  std::array<char, 4096> piece{};
  std::size_t newline = buffer_.find('\n');
  while (newline == std::string::npos) {
    pollfd waiting{from_server_.read.get(), POLLIN, 0};
    if (::poll(&waiting, 1, deadline.poll_timeout()) == 0) return nullptr;
    auto n = read_some(from_server_.read, piece.data(), piece.size());
    if (!n || *n == 0) return nullptr;
    const std::size_t searched = buffer_.size();
    buffer_.append(piece.data(), *n);
    newline = buffer_.find('\n', searched);
  }
  auto message = parse_json(std::string_view(buffer_).substr(0, newline), "server's line");
  EXPECT_TRUE(message) << buffer_;
  buffer_.erase(0, newline + 1);
  return message ? *message : Json(nullptr);
}

Json TestClient::result_of(const Json& id) {
  const Json message = receive();
  EXPECT_TRUE(message.is_object() && message.contains("result")) << message;
  if (!message.is_object()) return nullptr;
  EXPECT_EQ(message.value("id", Json()), id);
  return message.value("result", Json());
}

Json TestClient::error_of(const Json& id) {
  const Json message = receive();
  EXPECT_TRUE(message.is_object() && message.contains("error")) << message;
  if (!message.is_object()) return nullptr;
  EXPECT_EQ(message.value("id", Json("none")), id);
  return message.value("error", Json());
}

Json TestClient::initialize(std::string_view version) {
  request("init", "initialize",
          Json{{"protocolVersion", version},
               {"capabilities", Json::object()},
               {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
  Json result = result_of("init");
  send(Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  return result;
}

bool TestClient::is_quiet() {
  const std::string id = concat("quiet-", ++pings_);
  request(id, "ping");
  const Json message = receive();
  return message.is_object() && message.value("id", Json()) == Json(id);
}

std::optional<Result<void>> TestClient::wait_for_end() {
  return ended_.wait(
      Deadline::after(kPatience), [](const auto& ended) { return ended.has_value(); },
      [](const auto& ended) { return ended; });
}

namespace {

TEST(FakeTools, SayWhyAWaitEnded) {
  FakeTools fakes;
  TestClient client(fakes.tools());
  client.initialize();
  client.call(1, "wait");
  ASSERT_TRUE(fakes.begun(1));
  EXPECT_TRUE(fakes.endings().empty());
  fakes.open_gate();
  EXPECT_EQ(client.result_of(1)["structuredContent"]["ended_by"], "gate");
  EXPECT_EQ(fakes.endings(), std::vector<std::string>{"gate"});
}

}  // namespace
}  // namespace yonder::mcp
