#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "run/input_source.h"
#include "run/runs.h"

namespace yonder::run {

// One caller's wait for one run, however often the link is lost meanwhile.
class Following {
 public:
  Following(link::LinkPool& links, const SandboxSpec& sandbox, const WaitOptions& options,
            const Listener& listener);

  // `start` is nothing when the run exists already.
  Result<Outcome> run(const RunId& id, const std::optional<wire::StartRequest>& start);

 private:
  // What one attempt on one link came to.
  enum class Step { Done, Again };
  Result<Step> follow_once(const std::shared_ptr<link::Link>& link);
  Result<Step> take_events(link::Call& call);
  Result<Step> on_failure(const Error& error);
  Result<Step> on_nonsense(Error error);
  Result<Step> on_facts(const std::string& cbor);
  Result<void> on_started(const link::StartedEvent& started);
  void on_data(const link::DataEvent& data);
  void confirm_end(link::Call& call) const;
  void see();
  bool must_leave() const;
  Deadline reach_by() const;
  wire::AnyRequest next_request() const;
  Outcome unreachable(const Error& error);
  Outcome stop();
  void report_progress();

  link::LinkPool& links_;
  const SandboxSpec& sandbox_;
  const WaitOptions& options_;
  const Listener& listener_;
  std::atomic<bool> seen_{false};  // the run exists; also read by the thread that detaches
  CancelSource interrupt_;         // cancel, detach or abandon
  CancelToken::Registration on_cancel_;
  CancelToken::Registration on_detach_;
  CancelToken::Registration on_abandon_;
  Instant began_ = std::chrono::steady_clock::now();
  Deadline wait_;
  Deadline limit_ = Deadline::never();  // our own, should the far side's not fire
  std::optional<wire::StartRequest> start_;
  std::unique_ptr<InputSource> input_;
  Outcome outcome_;
  int asked_ = 0;      // how often the run was asked for; from the first time on it may exist
  bool told_ = false;  // the listener knows of the run
  bool ours_ = true;   // this call has started it, and may stop it
  std::string boot_id_;
  std::string host_;
  Duration asked_at_{};  // since boot
  std::uint64_t out_have_ = 0;
  std::uint64_t err_have_ = 0;
};

}  // namespace yonder::run
