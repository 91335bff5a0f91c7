#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/json.h"
#include "base/patience_test.h"
#include "base/subprocess.h"
#include "base/thread.h"

namespace yonder::e2e {

// What a tool answered.
struct Reply {
  bool arrived = false;
  bool is_error = false;
  Json content;  // structuredContent, or {"error": ...}; null when nothing arrived
};

using testing::patience;

// An agent at the other end of a real `yonder mcp`. Any number of calls may be under way.
class McpClient {
 public:
  // Starts the program and opens a session. `environment` is exactly what the program gets.
  static Result<std::unique_ptr<McpClient>> start(std::vector<std::string> environment);
  McpClient(const McpClient&) = delete;
  McpClient& operator=(const McpClient&) = delete;
  // Closes the program's stdin, as an agent that goes away does, and ends it if that is not enough.
  ~McpClient();

  Reply call(std::string_view tool, const Json& arguments, const Deadline& deadline = patience());
  // Returns the id of the request.
  int call_async(std::string_view tool, const Json& arguments);
  // Likewise, and wants to hear how far it is.
  int call_with_progress(std::string_view tool, const Json& arguments);
  // What it has heard so far: the params of each notification.
  std::vector<Json> progress_of(int id) const;
  Reply wait(int id, const Deadline& deadline = patience());
  void cancel(int id);
  // Whether the server answers a ping, and so has read everything that was sent before.
  bool answers();
  bool has_reply(int id) const;

  pid_t pid() const { return process_.pid(); }
  // SIGKILL: a crash in the middle of whatever it does.
  void crash();
  // Closes the program's stdin. Says how it ended; nothing when it did not in time.
  std::optional<ExitStatus> close(const Deadline& deadline = patience());

  // What the program has said so far, byte for byte.
  std::string errors() const;
  std::string output() const;

 private:
  struct Heard {
    std::map<int, Json> replies;
    std::map<int, std::vector<Json>> progress;
    std::string output;
    std::string errors;
    bool ended = false;
  };

  McpClient(Subprocess process, Pipe stop);
  void send(const Json& message);
  int request(std::string_view method, const Json& params);
  std::optional<Json> reply_to(int id, const Deadline& deadline);
  void listen();
  void on_line(std::string_view line);

  Subprocess process_;
  Pipe stop_;
  int next_id_ = 1;
  Monitor<Heard> heard_;
  std::string unfinished_line_;  // the listener's
  Thread listener_;
};

}  // namespace yonder::e2e
