#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cancel.h"
#include "base/guarded.h"
#include "base/subprocess.h"
#include "base/thread.h"
#include "link/askpass_broker.h"
#include "link/outgoing.h"
#include "link/outpost_image.h"
#include "link/prefix.h"
#include "model/machine.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace yonder::link {

// What one request hears back. Data come as long as the near side takes them.
struct DataEvent {
  wire::Channel channel = wire::Channel::Out;
  std::uint64_t offset = 0;
  std::string bytes;
};
struct StartedEvent {  // the first answer to a start
  std::string run_id;
  bool existed = false;
};
struct ReplyEvent {
  std::string cbor;
};
struct InputEvent {};  // the far side takes more input, or none any more
using Event = std::variant<DataEvent, StartedEvent, ReplyEvent, InputEvent>;

struct LinkSettings {
  Duration ping_every = std::chrono::seconds(15);
  Duration silence_limit = std::chrono::seconds(27);  // nothing heard: half-open
  Duration idle_close = std::chrono::minutes(15);
  // A person may be asked while connecting, and people type slowly: how much longer it may take
  // once they were asked, or ssh has told them something to do.
  Duration typing_time{};
  // A deploy goes on as long as bytes move; so slow a line is a broken one.
  Duration deploy_stuck = std::chrono::seconds(30);
  Duration longest_deploy = std::chrono::minutes(10);
};

class Link;

// One request on its way. Destroying it makes the far side forget the request, not the work.
class Call {
 public:
  Call(std::shared_ptr<Link> link, wire::StreamId stream);
  Call(Call&& other) noexcept;
  Call& operator=(Call&&) = delete;
  ~Call();

  // The next thing that happens. Data that were handed out before are done with then: unless the
  // call is cancelled, the far side hears of it, and may forget them. Errors: what the far side
  // answered; LinkLost; Timeout at the deadline; Cancelled.
  Result<Event> next(const Deadline& deadline, const CancelToken& cancel);

  // Makes next() return an InputEvent: there is something to send. Thread: any.
  void poke();
  // How many bytes of input the far side has asked for.
  std::uint64_t input_credit() const;
  // How many of them may be sent now. Less while the pipe does not take what was sent before; then
  // an InputEvent tells when it has.
  std::uint64_t input_room() const;
  bool input_closed() const;
  Result<void> send_input(std::uint64_t offset, std::string_view bytes);
  Result<void> end_input();
  // After the reply: how the run ended is known here, and need not be asked again. Nothing waits
  // for it; when it is lost, the far side keeps more than it needs.
  void confirm_end(const std::string& run_id, bool owner);
  // The far side may send so many bytes more before it has to wait for us.
  void widen(std::uint32_t bytes);
  // Makes the far side give the request up, and waits until what works on it over there has ended.
  // False: that was not seen.
  bool stop(const Deadline& deadline);

 private:
  void confirm_data();

  std::shared_ptr<Link> link_;
  wire::StreamId stream_ = 0;
};

// A live pipe to one outpost. One thread reads it; any number of callers wait for their own
// answers.
class Link : public std::enable_shared_from_this<Link> {
 public:
  struct Setup {
    const SandboxSpec& spec;
    CommandPrefix prefix;
    AskpassBroker* broker = nullptr;
    const std::vector<OutpostImage>& images;
    LinkSettings settings;
    std::function<void(const std::string&)> progress;
    Deadline give_up = Deadline::never();  // the caller's own time; sending the program counts too
  };
  // Starts the prefix, brings the outpost up, and returns when it has answered. The deadline is for
  // reaching the machine; sending the program may take longer on a slow line, as long as it moves.
  static Result<std::shared_ptr<Link>> open(const Setup& setup, const Deadline& deadline,
                                            const CancelToken& cancel);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const Machine& machine() const { return machine_; }
  // Requests about runs end with this error from now on, before they are sent. Called before the
  // link is shared.
  void refuse_runs(Error why) { no_runs_ = std::move(why); }
  const std::optional<Error>& no_runs() const { return no_runs_; }
  // What start-up files printed before the outpost spoke.
  const std::string& noise() const { return noise_; }
  // How far the far side's clock is ahead of ours.
  std::int64_t clock_ahead_ms() const { return clock_ahead_ms_; }
  bool deployed() const { return deployed_; }
  bool alive() const;
  // False when a caller waits, the last ping should have been answered, and nothing was heard
  // since.
  bool answers() const;
  // Why it is not alive any more.
  Error loss() const;

  Result<Call> request(const wire::AnyRequest& request);
  // One round trip.
  Result<Duration> ping(const Deadline& deadline, const CancelToken& cancel);
  // The shortest that was seen so far; mostly known as soon as the link is up, and costs nothing.
  std::optional<Duration> round_trip() const;
  // For a request with one reply and no data.
  Result<std::string> ask(const wire::AnyRequest& request, const Deadline& deadline,
                          const CancelToken& cancel);
  void close();

 private:
  friend class Call;
  struct Slot {
    std::deque<Event> events;
    std::optional<Error> failure;
    std::uint64_t window = wire::kInitialCredit;  // how many more bytes of Data may come
    std::uint64_t handed = 0;                     // bytes that the caller has in hand
    std::uint64_t unconfirmed = 0;                // bytes taken since the last Credit
    std::uint64_t confirm_step = wire::kInitialCredit / 4;
    std::uint64_t input_credit = wire::kInitialCredit;
    bool input_closed = false;
    bool answered = false;  // there is one reply, and nothing after it
  };
  using SharedSlot = std::shared_ptr<Monitor<Slot>>;

  Link(Subprocess process, LinkSettings settings);
  void read_loop();
  bool read_some_frames();
  bool take_frames();
  std::string take_whole(const wire::FrameView& frame);
  static void note_input(Slot& slot);
  void drain_errors();
  Result<void> on_frame(const wire::FrameView& frame);
  void ping_again();
  void note_round_trip(Duration taken);
  static Result<void> on_data(const SharedSlot& target, std::string_view payload);
  static Result<void> on_started(const SharedSlot& target, std::string_view cbor);
  static Result<void> on_credit(const SharedSlot& target, std::string_view payload);
  Result<void> on_part(const wire::FrameView& frame);
  void lose(Error error);
  void send(std::string_view bytes) { wake_unless(out_.send({&bytes, 1})); }
  void wake_unless(bool all_sent);
  void tell_of_room();
  void finish_sending();
  SharedSlot slot(wire::StreamId stream) const;
  void forget(wire::StreamId stream);

  Subprocess process_;
  LinkSettings settings_;
  Machine machine_;
  std::optional<Error> no_runs_;
  std::string noise_;
  std::int64_t clock_ahead_ms_ = 0;
  bool deployed_ = false;
  Pipe wake_;
  Outgoing out_;
  Guarded<std::string> errors_;  // the last that the prefix printed to stderr
  Guarded<std::optional<Error>> loss_;
  Guarded<std::map<wire::StreamId, SharedSlot>> slots_;
  std::atomic<wire::StreamId> next_stream_{1};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> last_words_{false};  // something was sent that nothing answers
  std::atomic<Duration> round_trip_{Duration::max()};
  std::atomic<Instant> heard_{Instant{}};
  std::deque<Instant> pings_;                    // the reader's; not yet answered
  wire::FrameParser parser_;                     // the reader's
  std::uint64_t received_ = 0;                   // the reader's
  std::map<wire::StreamId, std::string> parts_;  // the reader's
  Thread reader_;                                // joined first
};

}  // namespace yonder::link
