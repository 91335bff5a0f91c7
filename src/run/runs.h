#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "link/link_pool.h"
#include "model/run.h"
#include "model/sandbox_spec.h"
#include "wire/messages.h"

namespace yonder::run {

// Who waits for a run, and what they want to hear.
struct Listener {
  // Output in order, without a gap unless `skipped` bytes were left out before these. Thread: the
  // caller's; while it blocks, the far side waits.
  std::function<void(wire::Channel, std::uint64_t skipped, std::string_view bytes)> on_output =
      [](wire::Channel, std::uint64_t, std::string_view) {};
  // The run may exist from here on. Called once.
  std::function<void(const RunId&)> on_started = [](const RunId&) {};
  // The machine has said that it exists. Called once at most.
  std::function<void()> on_seen = [] {};
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  CancelToken cancel;  // stop the run, and return when it is seen to be gone
  // Leave the run alone, and return: at once, or when one that is to be started is known to exist.
  CancelToken detach;
  CancelToken abandon;  // return now, whether it exists or not
};

struct Bounds {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
};

struct WaitOptions {
  std::optional<Duration> wait;      // nothing: until the end
  std::optional<Bounds> bounds;      // nothing: every byte
  std::optional<std::string> input;  // the whole of stdin
  int input_fd = -1;                 // or a descriptor to stream from
  Duration keep = std::chrono::hours(1);
  bool until_begun = false;  // return as soon as the command's process exists
};

// What a background run has beyond a command.
struct BackgroundOptions {
  std::string session;
  std::string log_file;
  std::string description;
  std::string launcher;
  bool tmux = false;
  Duration keep = std::chrono::hours(7 * 24);
  // For the answer that it has begun, over lost links if need be.
  Duration wait = std::chrono::seconds(20);
};

struct Outcome {
  RunId id;
  RunStatus status;
  bool connection_error = false;
  bool attached = false;
  bool detached = false;
  bool asked_again = false;             // the link was lost meanwhile
  std::optional<wire::RunLabel> label;  // of a background run, once it was seen
  std::string launcher;
  std::uint64_t out_bytes = 0;
  std::uint64_t err_bytes = 0;
  wire::Gap out_gone;  // of them; not kept any more
  wire::Gap err_gone;
  std::vector<std::string> warnings;
};

// Starts runs, follows them over lost links, and stops them. Thread: any.
class Runs {
 public:
  explicit Runs(link::LinkPool& links) : links_(links) {}

  // Errors mean that nothing was started. Everything else is an outcome, `unknown` included.
  Result<Outcome> start(const SandboxSpec& sandbox, const RunRequest& request,
                        const WaitOptions& options, const Listener& listener);
  // Waits for a run that exists.
  Result<Outcome> attach(const SandboxSpec& sandbox, const RunId& id, const WaitOptions& options,
                         const Listener& listener);
  // Returns when it has begun. The caller chooses the id, and may note it down before.
  Result<Outcome> start_background(const SandboxSpec& sandbox, const RunId& id,
                                   const RunRequest& request, const BackgroundOptions& options,
                                   const Listener& listener);

  // These ask again when the link is lost in between, as long as their time allows.
  // `patient`: for as long as it takes to reach the machine.
  Result<wire::LogReply> read_log(const SandboxSpec& sandbox, wire::ReadLogRequest request,
                                  bool patient, const CancelToken& cancel);
  Result<wire::ListReply> list(const SandboxSpec& sandbox, const wire::ListRequest& request,
                               const Deadline& deadline, const CancelToken& cancel);
  // Ends the whole tree, and says what was seen afterwards.
  // After an error `lost` says whether the request may have arrived all the same.
  Result<wire::RunFacts> stop(const SandboxSpec& sandbox, const wire::StopRequest& request,
                              bool& lost, const CancelToken& cancel);
  Result<wire::RunFacts> remove(const SandboxSpec& sandbox, const RunId& id,
                                const CancelToken& cancel);

 private:
  struct Asked {
    std::string cbor;
    bool again = false;  // it was asked more than once
  };
  // `next` makes the request anew: what is left of a wait gets shorter.
  Result<Asked> ask(const SandboxSpec& sandbox, const std::function<wire::AnyRequest()>& next,
                    const link::AcquireOptions& options);

  link::LinkPool& links_;
};

}  // namespace yonder::run
