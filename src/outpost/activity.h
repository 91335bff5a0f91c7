#pragma once

#include <poll.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "outpost/outbox.h"
#include "outpost/run_record.h"
#include "outpost/supervisor.h"
#include "outpost/tree_ender.h"
#include "wire/messages.h"

namespace yonder::outpost {

struct Watched {
  std::string path;
  bool contents = true;  // false: only what gets a new name in this directory
};

// One request in progress. Passive: the serve loop calls step() when something may have changed.
class Activity {
 public:
  virtual ~Activity() = default;
  // True when the last frame of the stream has been put into the outbox.
  virtual bool step(Outbox& outbox) = 0;
  // When step() must be called even if nothing seems to change.
  virtual Deadline due() const = 0;
  // Frames from the near side.
  virtual void on_credit(std::uint32_t /*bytes*/) {}
  virtual Result<void> on_data(const wire::DataView& /*data*/) { return {}; }
  virtual Result<void> on_end() { return {}; }
  // The near side has given the request up. True: there is something to be ended first, and the
  // last frame of the stream says when that is done. Otherwise the request is forgotten at once.
  virtual bool on_cancel() { return false; }
  // Files and directories whose changes concern it.
  virtual std::vector<Watched> watched() const = 0;
  // Descriptors that it waits for, added to the list.
  virtual void polled(std::vector<pollfd>& /*fds*/) const {}
};

// What of a run's output may be given back to the disk while it is followed.
struct GiveBack {
  bool confirmed = false;  // what the near side has: it is the one that started the run
  bool middle = false;     // what lies between the ends that are ever shown
};
// Of a run with a key all is kept that was sent: whoever uses the key again gets it, too.
GiveBack what_to_give_back(const wire::StartRequest& spec, bool owner);
GiveBack what_to_give_back(const RunRecord& record, bool owner);

// Sends a run's output as it grows, and what became of it at the end.
class FollowActivity : public Activity {
 public:
  struct Options {
    wire::StreamId stream = 0;
    wire::Follow follow;
    bool existed = false;
    bool announce = false;  // say that the run exists, before anything else about it
    bool stream_stdin = false;
    bool feeds_input = true;  // otherwise the input of this caller is refused
    bool owner = false;       // has started the run
    GiveBack give_back;
    std::uint64_t in_from = 0;
    std::string boot_id;
  };
  FollowActivity(RunRecord record, Options options);

  bool step(Outbox& outbox) override;
  Deadline due() const override;
  void on_credit(std::uint32_t bytes) override;
  Result<void> on_data(const wire::DataView& data) override;
  Result<void> on_end() override;
  std::vector<Watched> watched() const override;

 private:
  struct Output {
    wire::Channel channel;
    std::shared_ptr<const Fd> file;
    std::uint64_t origin = 0;  // where this run's part of the file begins
    std::uint64_t sent = 0;
    std::optional<std::uint64_t> last;  // once known: where to stop
    std::uint64_t confirmed = 0;        // up to here, by the near side
    wire::Gap gone;                     // as far as it was looked at
  };
  struct Piece {
    Output* output;
    std::uint64_t end;
    std::uint64_t bytes;  // before that: so many are not confirmed
  };
  bool hold();
  bool open_output(Output& output) const;
  std::size_t still_there(Output& output, std::size_t bytes) const;
  std::optional<std::uint64_t> send_from_file(Outbox& outbox, const Output& output,
                                              std::uint64_t wanted);
  std::optional<std::uint64_t> send_copy(Outbox& outbox, Output& output, std::uint64_t wanted);
  void note_sent(Output& output, std::uint64_t bytes);
  void give_back_output(Output& output);
  bool send_output(Outbox& outbox, Output& output);
  void conclude(Output& output) const;
  std::uint64_t next_stop(Output& output) const;
  void grant_input(Outbox& outbox);
  void announce(Outbox& outbox);
  void wake_supervisor();
  bool has_ended() const;
  bool has_begun_enough();
  bool awaits_its_program();
  bool supervisor_vanished();

  RunRecord record_;
  Options options_;
  Output out_;
  Output err_;
  Fd hold_;  // a shared lock on `out`
  bool held_ = false;
  std::uint64_t credit_;
  std::deque<Piece> unconfirmed_;
  Deadline wait_;
  bool concluding_ = false;
  Deadline announce_by_;
  Deadline next_look_;                  // at the supervisor
  std::optional<Deadline> likely_end_;  // until then its program is likely to turn out missing
  Fd input_;
  std::uint64_t input_granted_ = 0;  // since in_from
  bool input_closed_ = false;
  bool owes_wake_ = false;
  bool input_refused_ = false;  // the run was started without a streamed input
};

// InvalidArgument for what cannot be sent.
Result<StopOrder> check_stop(const wire::StopRequest& request);

// Ends a run and everything below it, and says what it saw.
class StopActivity : public Activity {
 public:
  StopActivity(RunRecord record, wire::StreamId stream, StopOrder order, std::string boot_id);
  bool step(Outbox& outbox) override;
  Deadline due() const override;
  std::vector<Watched> watched() const override { return {{record_.directory()}}; }

 private:
  bool tell_supervisor() const;
  void keep_from_beginning() const;

  RunRecord record_;
  wire::StreamId stream_;
  StopOrder order_;
  std::string boot_id_;
  Deadline give_up_;
  bool had_ended_;  // before this stop
  bool told_ = false;
  std::optional<TreeEnder> ender_;  // when there is no supervisor to do it
};

}  // namespace yonder::outpost
