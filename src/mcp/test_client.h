#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/guarded.h"
#include "base/json.h"
#include "base/thread.h"
#include "mcp/server.h"

namespace yonder::mcp {

// For tests: tools that do what the test says, and can be asked what happened to them.
//
//   echo     returns its arguments
//   wait     returns when the test opens the gate, or when it is given up; says which
//   talk     reports "one", "two" and "three" at once, then returns
//   fail     fails with not_found
//   throw    throws
//   select   remembers its argument "name" in the session and returns what was there before
class FakeTools {
 public:
  std::vector<Tool> tools();

  void open_gate();
  // Waits until `count` calls of `wait` have begun, in all.
  bool begun(int count);
  // Why calls of `wait` ended so far: "gate", "cancel", "detach".
  std::vector<std::string> endings() const;

 private:
  struct State {
    int begun = 0;
    bool gate = false;
    std::vector<std::string> endings;
  };
  Result<Json> wait(ops::CallContext& context);
  Monitor<State> state_;
};

// For tests: a client at the other end of serve(), which runs on a thread of its own.
class TestClient {
 public:
  explicit TestClient(std::vector<Tool> tools);
  ~TestClient();

  void send_line(std::string_view line);
  void send(const Json& message) { send_line(dump_json(message)); }
  void request(const Json& id, std::string_view method, const Json& params = Json::object());
  void call(const Json& id, std::string_view tool, const Json& arguments = Json::object());
  void cancel(const Json& id);

  // The next message; null when the server has closed its end or nothing came in time.
  Json receive();
  // The next message's result or error, after checking that it answers `id`.
  Json result_of(const Json& id);
  Json error_of(const Json& id);
  // Does the opening of a session; returns the result of initialize.
  Json initialize(std::string_view version = "2025-11-25");
  // Whether the server answers, and has had nothing else to say before that.
  bool is_quiet();

  void close_input() { to_server_.write.reset(); }
  void close_output() { from_server_.read.reset(); }
  void stop() { stop_.cancel(); }
  // Waits until serve() has returned; nothing when it does not in time.
  std::optional<Result<void>> wait_for_end();

 private:
  Pipe to_server_;
  Pipe from_server_;
  std::string buffer_;
  int pings_ = 0;
  CancelSource stop_;
  Monitor<std::optional<Result<void>>> ended_;
  std::vector<Tool> tools_;
  ServerInfo info_;
  Thread server_;
};

}  // namespace yonder::mcp
