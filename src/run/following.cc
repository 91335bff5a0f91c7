#include "run/following.h"

#include "base/far_text.h"
#include "base/text.h"
#include "run/judge.h"

namespace yonder::run {
namespace {

// The far side answers at the wait's end; this is for the way back, and for a link that is stuck.
constexpr auto kWaySlack = std::chrono::milliseconds(1500);
// For sending the outpost, the first time. Unreachable machines are given up before.
constexpr auto kDeploySlack = std::chrono::seconds(25);
constexpr auto kProgressEvery = std::chrono::seconds(5);
// Beyond limit and grace over there: then the supervisor did not do it.
constexpr auto kLimitSlack = std::chrono::seconds(10);
constexpr auto kStopSlack = std::chrono::seconds(10);
// A record is kept for an hour after the end; a little less is certain.
constexpr auto kSurelyKept = std::chrono::minutes(50);

bool is_about_the_link(Errc code) {
  return code == Errc::LinkLost || code == Errc::Unreachable || code == Errc::Timeout ||
         code == Errc::AuthNeeded || code == Errc::HostKey || code == Errc::Cancelled;
}

}  // namespace

Following::Following(link::LinkPool& links, const SandboxSpec& sandbox, const WaitOptions& options,
                     const Listener& listener)
    : links_(links),
      sandbox_(sandbox),
      options_(options),
      listener_(listener),
      on_cancel_(listener.cancel.on_cancel([this] { interrupt_.cancel(); })),
      on_detach_(listener.detach.on_cancel([this] {
        if (seen_) interrupt_.cancel();
      })),
      on_abandon_(listener.abandon.on_cancel([this] { interrupt_.cancel(); })),
      wait_(options.wait ? Deadline::after(*options.wait) : Deadline::never()) {
  if (options.input_fd >= 0) input_ = std::make_unique<InputSource>(options.input_fd);
}

Result<Outcome> Following::run(const RunId& id, const std::optional<wire::StartRequest>& start) {
  outcome_.id = id;
  start_ = start;
  if (!start) see();
  ours_ = start.has_value();
  while (true) {
    if (must_leave()) {
      outcome_.detached = true;
      return outcome_;
    }
    if (listener_.cancel.cancelled()) {
      if (asked_ == 0) return Error{Errc::Cancelled, "cancelled before anything was started", ""};
      return stop();
    }
    auto link = links_.acquire(sandbox_, {.deadline = reach_by(),
                                          .cancel = interrupt_.token(),
                                          .keep_trying = asked_ > 0,
                                          .progress = listener_.progress});
    if (!link) {
      if (link.error().code == Errc::Cancelled) continue;
      if (asked_ == 0 && start_) return std::move(link).error();
      return unreachable(link.error());
    }
    TRY_ASSIGN(const Step step, follow_once(*link));
    if (step == Step::Done) return outcome_;
  }
}

void Following::see() {
  seen_ = true;
  if (listener_.detach.cancelled()) interrupt_.cancel();  // it has waited for this
}

// A caller that goes away right after asking for a start still gets it: only then is the run left
// alone. A caller that only waits for a run it did not start gives up waiting, not the run.
bool Following::must_leave() const {
  const bool cancelled = listener_.cancel.cancelled();
  if (listener_.abandon.cancelled() || (!ours_ && cancelled)) return true;
  return listener_.detach.cancelled() && (seen_ || cancelled);
}

// A call that has no time to wait still has the time to reach the machine, and to put the outpost
// there: its command is started, and the caller gets the handle.
Deadline Following::reach_by() const {
  if (asked_ > 0) return Deadline::earlier(wait_, limit_);
  const Duration needed = sandbox_.connect_timeout + kDeploySlack;
  return wait_.remaining() > needed ? wait_ : Deadline::after(needed);
}

wire::AnyRequest Following::next_request() const {
  wire::Follow follow{.out_from = out_have_, .err_from = err_have_};
  if (options_.bounds) {
    follow.head = options_.bounds->head;
    follow.tail = options_.bounds->tail;
  }
  if (!wait_.is_never()) follow.wait_ms = to_milliseconds(wait_.remaining());
  follow.until_begun = options_.until_begun;
  const std::uint64_t in_from = input_ ? input_->resume_from() : 0;
  if (seen_) {
    return wire::FollowRequest{.run_id = outcome_.id.str(),
                               .owner = ours_,
                               .stream_stdin = input_ != nullptr && ours_,
                               .in_from = in_from,
                               .follow = follow};
  }
  wire::StartRequest start = *start_;
  start.follow = follow;
  start.in_from = in_from;
  return start;
}

Result<Following::Step> Following::follow_once(const std::shared_ptr<link::Link>& link) {
  if (asked_ == 0) {
    boot_id_ = link->machine().boot_id;
    host_ = link->machine().hostname;
    asked_at_ = time_since_boot();
  }
  // The request may have arrived, and its record may be gone by now: the machine has booted since,
  // it is another one, or the record was kept long enough. It must not be started a second time.
  if (asked_ > 0 && (boot_id_ != link->machine().boot_id || host_ != link->machine().hostname ||
                     time_since_boot() - asked_at_ > kSurelyKept)) {
    see();
  }
  // Told before the request leaves: whoever notes it down must not miss a run that exists.
  if (start_ && !told_) {
    told_ = true;
    listener_.on_started(outcome_.id);
  }
  auto call = link->request(next_request());
  if (!call && call.error().code == Errc::LinkLost) return Step::Again;
  if (!call) {  // it was not sent; one before it may have been
    if (asked_ == 0) return std::move(call).error();
    outcome_ = unreachable(call.error());
    return Step::Done;
  }
  if (++asked_ == 1 && start_) {
    // Of a run that waits for GPUs nobody here knows when its time begins.
    if (start_->timeout_ms && !start_->gpu_queue) {
      limit_ = Deadline::after(std::chrono::milliseconds(*start_->timeout_ms + start_->grace_ms) +
                               kLimitSlack);
    }
  }
  if (input_) input_->attach([&call] { call->poke(); });
  if (input_ && seen_) input_->start_reading();
  auto step = take_events(*call);
  if (input_) input_->detach();
  return step;
}

Result<Following::Step> Following::take_events(link::Call& call) {
  const auto answer_by = wait_.is_never() ? wait_ : Deadline::after(wait_.remaining() + kWaySlack);
  auto next_progress = Deadline::after(kProgressEvery);
  while (true) {
    const auto deadline = Deadline::earlier(Deadline::earlier(answer_by, limit_), next_progress);
    auto event = call.next(deadline, interrupt_.token());
    if (!event) {
      if (event.error().code != Errc::Timeout) return on_failure(event.error());
      if (limit_.expired()) {
        outcome_ = stop();
        if (outcome_.status.state == RunState::Stopped) outcome_.status.state = RunState::TimedOut;
        return Step::Done;
      }
      if (answer_by.expired()) {
        outcome_ = unreachable(Error{Errc::Unreachable, "the link does not answer", ""});
        return Step::Done;
      }
      report_progress();
      next_progress = Deadline::after(kProgressEvery);
      continue;
    }
    if (const auto* data = std::get_if<link::DataEvent>(&*event)) on_data(*data);
    if (const auto* started = std::get_if<link::StartedEvent>(&*event)) {
      if (auto taken = on_started(*started); !taken) return on_nonsense(std::move(taken).error());
    }
    if (const auto* reply = std::get_if<link::ReplyEvent>(&*event)) {
      auto step = on_facts(reply->cbor);
      if (step) confirm_end(call);
      return step;
    }
    if (!input_) continue;
    if (seen_) input_->start_reading();
    if (const auto pumped = input_->pump(call); !pumped) return on_failure(pumped.error());
  }
}

void Following::on_data(const link::DataEvent& data) {
  see();
  auto& have = data.channel == wire::Channel::Out ? out_have_ : err_have_;
  const std::uint64_t end = data.offset + data.bytes.size();
  if (end <= have) return;
  const std::uint64_t skipped = data.offset > have ? data.offset - have : 0;
  const std::uint64_t known = have > data.offset ? have - data.offset : 0;
  listener_.on_output(data.channel, skipped,
                      std::string_view(data.bytes).substr(static_cast<std::size_t>(known)));
  have = end;
}

// A key may have led to a run of somebody else: then it is only waited for.
Result<void> Following::on_started(const link::StartedEvent& started) {
  TRY_ASSIGN(const RunId id, parse_run_id(started.run_id));
  if (!seen_) listener_.on_seen();
  see();
  if (id == outcome_.id && !(started.existed && asked_ == 1)) return {};
  ours_ = false;
  limit_ = Deadline::never();
  outcome_.attached = true;
  outcome_.id = id;
  return {};
}

Result<Following::Step> Following::on_facts(const std::string& cbor) {
  const auto facts = wire::decode_facts(cbor);
  if (!facts) return on_nonsense(facts.error());
  outcome_.attached = outcome_.attached || !start_;
  outcome_.status = judge(*facts);
  outcome_.out_bytes = facts->out_bytes;
  outcome_.err_bytes = facts->err_bytes;
  outcome_.out_gone = facts->out_gone;
  outcome_.err_gone = facts->err_gone;
  outcome_.label = facts->label;
  outcome_.asked_again = asked_ > 1;
  if (facts->alive) outcome_.launcher = facts->alive->launcher;
  return Step::Done;
}

// With it the far side keeps less of a run that is over. Not when the caller has turned away: then
// the last of the output may not have reached it.
void Following::confirm_end(link::Call& call) const {
  const bool left =
      listener_.cancel.cancelled() || listener_.detach.cancelled() || listener_.abandon.cancelled();
  const RunState state = outcome_.status.state;
  if (left || options_.until_begun || !has_ended(state) || state == RunState::Refused) return;
  call.confirm_end(outcome_.id.str(), ours_);
}

// An answer that cannot be read says one thing: the request has arrived.
Result<Following::Step> Following::on_nonsense(Error error) {
  if (!start_) {
    error.message =
        concat("the answer about run ", outcome_.id.str(), " cannot be read: ", error.message);
    return error;
  }
  error.message = concat("the answer cannot be read: ", error.message);
  outcome_ = unreachable(error);
  return Step::Done;
}

Result<Following::Step> Following::on_failure(const Error& error) {
  // The loop decides what an interruption means, and whether there is time to re-attach.
  if (error.code == Errc::Cancelled || error.code == Errc::LinkLost) return Step::Again;
  if (error.code == Errc::NotFound && start_) {
    outcome_.status = unseen();
    outcome_.status.proof = concat("there is no record of it any more on ", far_name(host_));
    return Step::Done;
  }
  // An error says that nothing was started. That is only known of the first answer to the first
  // request; after it, the run may exist.
  if (asked_ <= 1 && !(seen_ && start_)) return error;
  outcome_ = unreachable(error);
  return Step::Done;
}

Outcome Following::unreachable(const Error& error) {
  Outcome outcome = outcome_;
  outcome.status = unseen();
  // What the machine itself complains of, it has said over a link that works.
  outcome.connection_error = is_about_the_link(error.code);
  if (!outcome.connection_error) outcome.status.proof = error.message;
  outcome.out_bytes = out_have_;
  outcome.err_bytes = err_have_;
  outcome.warnings.push_back(error.message);
  return outcome;
}

// The same door for a cancelled call and for a limit that the far side did not keep.
Outcome Following::stop() {
  const Duration grace = std::chrono::milliseconds(start_->grace_ms);  // only ours are stopped
  const auto deadline = Deadline::after(grace + kStopSlack);
  Error last{Errc::Unreachable, "the link does not answer", ""};
  while (!deadline.expired() && !listener_.detach.cancelled()) {
    auto link = links_.acquire(
        sandbox_, {.deadline = deadline, .cancel = listener_.detach, .keep_trying = true});
    if (!link) {
      last = link.error();
      break;
    }
    auto reply = (*link)->ask(wire::StopRequest{.run_id = outcome_.id.str(),
                                                .key = seen_ ? "" : start_->key,
                                                .grace_ms = to_milliseconds(grace),
                                                .prevent = true},
                              deadline, listener_.detach);
    if (!reply && reply.error().code == Errc::LinkLost) continue;
    if (!reply) {
      last = reply.error();
      break;
    }
    auto facts = wire::decode_facts(*reply);
    if (!facts) {
      last = facts.error();
      break;
    }
    outcome_.status = judge(*facts);
    outcome_.out_bytes = facts->out_bytes;
    outcome_.err_bytes = facts->err_bytes;
    return outcome_;
  }
  outcome_.detached = listener_.detach.cancelled();
  auto outcome = unreachable(last);
  outcome.warnings.emplace_back("it could not be confirmed that the command has stopped");
  return outcome;
}

void Following::report_progress() {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began_)
          .count();
  listener_.progress(concat("running on ", sandbox_.name, " for ", seconds, " s, ",
                            human_bytes(out_have_ + err_have_), " of output so far"));
}

}  // namespace yonder::run
