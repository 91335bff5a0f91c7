#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "outpost/activity.h"
#include "outpost/line_filter.h"
#include "outpost/machine.h"
#include "outpost/read_log_file.h"
#include "outpost/read_log_scan.h"
#include "outpost/read_log_session.h"
#include "outpost/read_log_target.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Sends part of a log, and what is seen of its run.
//
// With `wait_ms` it first waits for the end of the run, or for something to send: bytes behind
// `from`; without `from`, bytes that come from now on; with a filter, a whole line of these in
// which it is found. What cannot be read is said at once.
class ReadLogActivity : public Activity {
 public:
  static Result<std::unique_ptr<Activity>> create(const Surroundings& around, wire::StreamId stream,
                                                  wire::ReadLogRequest request);

  bool step(Outbox& outbox) override;
  Deadline due() const override;
  std::vector<Watched> watched() const override;

 private:
  ReadLogActivity(const Surroundings& around, wire::StreamId stream, wire::ReadLogRequest request,
                  LogTarget target);

  bool run_is_over();
  std::uint64_t floor() const;
  void first_look();
  bool has_news() const;
  bool settled();
  bool watch_lines(bool reply_now);

  bool fill(wire::LogReply& reply);
  void fill_last_lines(wire::LogReply& reply);
  bool goes_on(wire::LogReply& reply) const;
  void fill_from(wire::LogReply& reply);
  bool fill_last_matches(wire::LogReply& reply);
  void fill_matches(wire::LogReply& reply);
  wire::LogReply reply_about_file() const;
  bool was_cut() const;
  bool was_taken_away() const;

  const std::string boot_id_;
  const wire::StreamId stream_;
  wire::ReadLogRequest request_;
  LogTarget target_;
  std::optional<LineFilter> filter_;
  std::optional<SessionQuestion> question_;
  LogFile file_;
  Deadline wait_;
  Deadline next_look_;              // at the run's processes
  std::optional<Deadline> settle_;  // there is something to be sent, and perhaps more in a moment
  bool looked_ = false;
  bool over_ = false;       // nothing will be added by the run
  std::uint64_t from_ = 0;  // what comes behind it is news
  std::optional<ForwardScan> forward_;
  std::optional<BackwardScan> backward_;
  std::optional<wire::RunFacts> facts_;
  ScanBudget budget_;
  bool busy_ = false;  // there is more to look through
};

}  // namespace yonder::outpost
