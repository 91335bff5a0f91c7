#include "link/link.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "base/clean_text.h"
#include "base/far_text.h"
#include "base/log.h"
#include "base/text.h"
#include "link/opening.h"

namespace yonder::link {
namespace {

// What to do next is ours to say; what the other side proposes is part of its words.
Error as_the_far_side_said(const Error& said) {
  const std::string words = said.hint.empty() ? said.message
                                              : concat(said.message.substr(0, kMostFarText), " (",
                                                       said.hint.substr(0, kMostFarText), ")");
  return {said.code, machine_said(words), ""};
}

constexpr std::size_t kMaxErrors = 4096;
// For the way there and back, on the slowest of lines.
constexpr auto kAnswerTime = std::chrono::seconds(3);
constexpr std::size_t kMostId = 64;
constexpr std::int64_t kLatestClock = std::int64_t{1}
                                      << 53U;  // milliseconds; far beyond any calendar

constexpr auto kLastWords = std::chrono::milliseconds(50);
constexpr auto kLastWordsStep = std::chrono::milliseconds(1);

// A window is counted in bytes, and an event is larger than a byte.
constexpr std::size_t kMostEvents = 65536;
constexpr std::size_t kSmallData = 4096;

// Small pieces that follow each other are put together while they wait.
bool joins_last(std::deque<Event>& events, const wire::DataView& data) {
  if (events.empty() || data.bytes.size() > kSmallData) return false;
  auto* last = std::get_if<DataEvent>(&events.back());
  if (last == nullptr || last->channel != data.header.channel ||
      last->bytes.size() > wire::kMaxPayload ||
      last->offset + last->bytes.size() != data.header.offset) {
    return false;
  }
  last->bytes += data.bytes;
  return true;
}

std::uint64_t window_of(const wire::AnyRequest& request) {
  if (const auto* start = std::get_if<wire::StartRequest>(&request)) {
    return wire::window_of(start->follow);
  }
  const auto* follow = std::get_if<wire::FollowRequest>(&request);
  return follow == nullptr ? std::uint64_t{wire::kInitialCredit} : wire::window_of(follow->follow);
}

bool is_about_runs(const wire::AnyRequest& request) {
  const auto* log = std::get_if<wire::ReadLogRequest>(&request);
  return std::holds_alternative<wire::StartRequest>(request) ||
         std::holds_alternative<wire::FollowRequest>(request) ||
         std::holds_alternative<wire::StopRequest>(request) ||
         std::holds_alternative<wire::ListRequest>(request) ||
         std::holds_alternative<wire::RemoveRequest>(request) ||
         (log != nullptr && log->path.empty());
}

Machine to_machine(const wire::Hello& hello) {
  // Everything in it is the far side's word, and is shown to people and models.
  return Machine{.build = printable(hello.build),
                 .boot_id = printable(hello.boot_id),
                 .hostname = printable(hello.hostname),
                 .system = printable(hello.system),
                 .home = hello.home,
                 .user_id = printable(hello.user_id),
                 .login_shell = printable(hello.login_shell),
                 .bash = printable(hello.bash),
                 .outpost_path = printable(hello.outpost_path),
                 .state_dir = printable(hello.state_dir),
                 .state_problem = printable(hello.state_problem),
                 .state_id = printable(hello.state_id.substr(0, kMostId)),
                 .state_volatile = hello.state_volatile,
                 .machine_id = printable(hello.machine_id.substr(0, kMostId)),
                 .clock_ms = hello.clock_ms,
                 .outpost_pid = hello.pid};
}

}  // namespace

Link::Link(Subprocess process, LinkSettings settings)
    : process_(std::move(process)),
      settings_(settings),
      out_(std::move(process_.input())),
      heard_(std::chrono::steady_clock::now()) {}

Result<std::shared_ptr<Link>> Link::open(const Setup& setup, const Deadline& deadline,
                                         const CancelToken& cancel) {
  TRY_ASSIGN(Opened opened, open_conversation(setup, deadline, cancel));
  // make_shared cannot reach the private constructor.
  std::shared_ptr<Link> link(new Link(std::move(opened.process), setup.settings));
  TRY_ASSIGN(link->wake_, make_pipe());
  TRY(set_nonblocking(link->wake_.read));
  TRY(set_nonblocking(link->wake_.write));
  link->machine_ = to_machine(opened.hello);
  // Whatever it says, it can be counted with.
  link->clock_ahead_ms_ =
      std::clamp(opened.hello.clock_ms, std::int64_t{0}, kLatestClock) - wall_clock_ms();
  link->noise_ = clean_text(opened.noise).text;
  link->deployed_ = opened.deployed;
  link->parser_.feed(opened.rest);
  // Before anybody else can say anything.
  link->ping_again();
  Link* self = link.get();
  link->reader_ = Thread("link " + setup.spec.name, [self] { self->read_loop(); });
  return link;
}

Link::~Link() {
  close();
}

// What was sent without waiting for an answer is to leave, though ssh gets its signal to end right
// behind it. This waits for ssh, and not for the other machine.
void Link::finish_sending() {
  if (!last_words_.exchange(false) || !alive()) return;
  const auto deadline = Deadline::after(kLastWords);
  while (!deadline.expired() && !out_.was_read()) std::this_thread::sleep_for(kLastWordsStep);
  std::this_thread::sleep_for(2 * kLastWordsStep);  // from its own buffer to the network
}

void Link::close() {
  finish_sending();
  stopping_ = true;
  [[maybe_unused]] const auto woken = ::write(wake_.write.get(), "w", 1);
  reader_.join();
}

bool Link::alive() const {
  return loss_.with([](const auto& loss) { return !loss.has_value(); });
}

bool Link::answers() const {
  const Instant heard = heard_;
  const bool unused = slots_.with([](const auto& slots) { return slots.empty(); });
  return unused || std::chrono::steady_clock::now() - heard < settings_.ping_every + kAnswerTime;
}

Error Link::loss() const {
  return loss_.with([](const auto& loss) {
    return loss ? *loss : Error{Errc::Internal, "the link is alive", ""};
  });
}

Link::SharedSlot Link::slot(wire::StreamId stream) const {
  return slots_.with([&](const auto& slots) -> SharedSlot {
    const auto found = slots.find(stream);
    return found == slots.end() ? nullptr : found->second;
  });
}

void Link::forget(wire::StreamId stream) {
  const auto slot = slots_.with([&](auto& slots) {
    const auto found = slots.extract(stream);
    return found ? found.mapped() : nullptr;
  });
  // What has been answered is over on the far side too: it need not hear of it.
  const bool over = !slot || slot->look([](const Slot& s) { return s.answered || s.failure; });
  if (over || !alive()) return;
  std::string out;
  wire::append_frame(out, wire::Kind::Cancel, stream, "");
  send(out);
}

Result<Call> Link::request(const wire::AnyRequest& request) {
  if (no_runs_ && is_about_runs(request)) return *no_runs_;
  const wire::StreamId stream = next_stream_++;
  auto slot = std::make_shared<Monitor<Slot>>();
  slot->change([&](Slot& s) {
    s.window = window_of(request);
    s.confirm_step = s.window / 4;
  });
  slots_.with([&](auto& slots) { slots.emplace(stream, slot); });
  Call call(shared_from_this(), stream);
  // Looked at after the slot is known: whoever loses the link from here on fails this slot too.
  if (!alive()) return loss();
  std::string out;
  wire::append_message(out, wire::Kind::Request, stream, wire::encode(request));
  send(out);
  return call;
}

Result<std::string> Link::ask(const wire::AnyRequest& request, const Deadline& deadline,
                              const CancelToken& cancel) {
  TRY_ASSIGN(Call call, this->request(request));
  while (true) {
    TRY_ASSIGN(Event event, call.next(deadline, cancel));
    if (auto* reply = std::get_if<ReplyEvent>(&event)) return std::move(reply->cbor);
  }
}

Result<Duration> Link::ping(const Deadline& deadline, const CancelToken& cancel) {
  const wire::StreamId stream = next_stream_++;
  auto slot = std::make_shared<Monitor<Slot>>();
  slots_.with([&](auto& slots) { slots.emplace(stream, slot); });
  Call call(shared_from_this(), stream);
  if (!alive()) return loss();
  const auto sent = std::chrono::steady_clock::now();
  std::string out;
  wire::append_frame(out, wire::Kind::Ping, stream, "");
  send(out);
  TRY(call.next(deadline, cancel));
  const Duration taken = std::chrono::steady_clock::now() - sent;
  note_round_trip(taken);
  return taken;
}

std::optional<Duration> Link::round_trip() const {
  const Duration shortest = round_trip_;
  return shortest == Duration::max() ? std::nullopt : std::optional(shortest);
}

void Link::note_round_trip(Duration taken) {
  Duration shortest = round_trip_;
  while (taken < shortest && !round_trip_.compare_exchange_weak(shortest, taken)) {
  }
}

void Link::ping_again() {
  pings_.push_back(std::chrono::steady_clock::now());
  std::string out;
  wire::append_frame(out, wire::Kind::Ping, 0, "");
  send(out);
}

// What the pipe did not take, the reader writes later.
void Link::wake_unless(bool all_sent) {
  if (all_sent) return;
  [[maybe_unused]] const auto woken = ::write(wake_.write.get(), "w", 1);
}

// Callers that found the pipe full look again.
void Link::tell_of_room() {
  if (!out_.drained()) return;
  const auto slots = slots_.with([](const auto& map) { return map; });
  for (const auto& [stream, slot] : slots) slot->change([](Slot& s) { note_input(s); });
}

void Link::lose(Error error) {
  const bool first = loss_.with([&](auto& loss) {
    if (loss) return false;
    loss = error;
    return true;
  });
  if (!first) return;
  const auto slots = slots_.with([](const auto& map) { return map; });
  for (const auto& [stream, slot] : slots) slot->change([&](Slot& s) { s.failure = error; });
}

void Link::drain_errors() {
  std::array<char, 4096> buffer{};
  const ssize_t n = ::read(process_.errors().get(), buffer.data(), buffer.size());
  if (n == 0) process_.errors().reset();
  if (n <= 0) return;
  errors_.with([&](std::string& text) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (text.size() > kMaxErrors) text.erase(0, text.size() - kMaxErrors);
  });
}

bool Link::read_some_frames() {
  const auto room = parser_.room();
  const ssize_t n = ::read(process_.output().get(), room.data(), room.size());
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  parser_.filled(static_cast<std::size_t>(n));
  const bool much = received_ >= wire::kMuch;
  received_ += static_cast<std::uint64_t>(n);
  if (!much && received_ >= wire::kMuch) widen_pipe(process_.output(), wire::kWidePipe);
  return take_frames();
}

bool Link::take_frames() {
  while (true) {
    const auto frame = parser_.next_view();
    const bool complete = frame && *frame;
    if (frame && !complete) return true;
    auto handled = complete ? on_frame(**frame) : Result<void>(frame.error());
    if (!handled) {
      // To whoever waits it is a lost link: what they asked for may be going on over there.
      lose(Error{Errc::LinkLost, std::move(handled).error().message, ""});
      return false;
    }
  }
}

// With the Parts that came before it.
std::string Link::take_whole(const wire::FrameView& frame) {
  auto part = parts_.extract(frame.stream);
  std::string whole = part ? std::move(part.mapped()) : std::string();
  whole += frame.payload;
  return whole;
}

// One is enough to make the caller look.
void Link::note_input(Slot& slot) {
  const bool noted = !slot.events.empty() && std::holds_alternative<InputEvent>(slot.events.back());
  if (!noted) slot.events.emplace_back(InputEvent{});
}

Result<void> Link::on_data(const SharedSlot& target, std::string_view payload) {
  TRY_ASSIGN(const wire::DataView data, wire::parse_data(payload));
  if (!target) return {};
  const bool fits = target->change([&](Slot& s) {
    if (data.bytes.size() > s.window) return false;
    s.window -= data.bytes.size();
    if (joins_last(s.events, data)) return true;
    if (s.events.size() >= kMostEvents) return false;
    s.events.emplace_back(
        DataEvent{data.header.channel, data.header.offset, std::string(data.bytes)});
    return true;
  });
  if (!fits) return Error{Errc::Protocol, "more data than it was allowed to send", ""};
  return {};
}

Result<void> Link::on_started(const SharedSlot& target, std::string_view cbor) {
  TRY_ASSIGN(const wire::StartedNote note, wire::decode_started(cbor));
  if (!target) return {};
  target->change([&](Slot& s) {
    const bool first = !s.answered && s.events.empty();
    if (first) s.events.emplace_back(StartedEvent{note.run_id, note.existed});
  });
  return {};
}

Result<void> Link::on_credit(const SharedSlot& target, std::string_view payload) {
  TRY_ASSIGN(const std::uint32_t bytes, wire::parse_credit(payload));
  if (!target) return {};
  target->change([&](Slot& s) {
    s.input_credit = std::min(s.input_credit + bytes, wire::kMostCredit);
    note_input(s);
  });
  return {};
}

// One piece of a reply that is longer than a frame; its request is still waited for.
Result<void> Link::on_part(const wire::FrameView& frame) {
  // Drop the pieces of requests that were abandoned meanwhile.
  if (!parts_.contains(frame.stream)) {
    std::erase_if(parts_, [&](const auto& part) { return !slot(part.first); });
  }
  auto& part = parts_[frame.stream];
  part += frame.payload;
  if (part.size() > wire::kMaxMessage) return Error{Errc::Protocol, "a reply too long", ""};
  return {};
}

Result<void> Link::on_frame(const wire::FrameView& frame) {
  const auto target = slot(frame.stream);
  const auto put = [&](Event event) {
    // A late answer whose asker is gone has nobody to go to.
    if (!target) return;
    target->change([&](Slot& s) {
      if (!std::exchange(s.answered, true)) s.events.push_back(std::move(event));
    });
  };
  switch (frame.kind) {
    case wire::Kind::Part: return target ? on_part(frame) : Result<void>{};
    case wire::Kind::Reply: put(ReplyEvent{take_whole(frame)}); return {};
    case wire::Kind::Error: {
      const Error error = as_the_far_side_said(wire::decode_error(take_whole(frame)));
      if (target) target->change([&](Slot& s) { s.failure = error; });
      return {};
    }
    case wire::Kind::Data: return on_data(target, frame.payload);
    case wire::Kind::Credit: return on_credit(target, frame.payload);
    case wire::Kind::End:
      if (target) {
        target->change([&](Slot& s) {
          s.input_closed = true;
          note_input(s);
        });
      }
      return {};
    case wire::Kind::Started: return on_started(target, take_whole(frame));
    case wire::Kind::Pong:
      if (frame.stream == 0 && !pings_.empty()) {
        note_round_trip(std::chrono::steady_clock::now() - pings_.front());
        pings_.pop_front();
      }
      put(ReplyEvent{});
      return {};
    default: return Error{Errc::Protocol, "a frame that only the near side sends", ""};
  }
}

void Link::read_loop() {
  auto heard = std::chrono::steady_clock::now();
  auto busy = heard;
  auto pinged = heard;
  bool open = take_frames();  // what came together with the greeting
  while (open && !stopping_) {
    const auto now = std::chrono::steady_clock::now();
    if (now - heard >= settings_.silence_limit) {
      lose(Error{Errc::LinkLost, "nothing was heard for too long", ""});
      break;
    }
    if (now - pinged >= settings_.ping_every) {
      ping_again();
      pinged = now;
    }
    if (out_.overflowed()) {
      lose(Error{Errc::LinkLost, "the machine does not take what it is sent", ""});
      break;
    }
    const bool idle = slots_.with([](const auto& slots) { return slots.empty(); });
    if (!idle) busy = now;
    if (now - busy >= settings_.idle_close) {
      lose(Error{Errc::LinkLost, "closed after a long idle time", ""});
      break;
    }
    const auto next = std::min({heard + settings_.silence_limit, pinged + settings_.ping_every,
                                busy + settings_.idle_close});
    const int unsent = out_.waiting();
    tell_of_room();
    std::array<pollfd, 4> fds{pollfd{process_.output().get(), POLLIN, 0},
                              pollfd{process_.errors().get(), POLLIN, 0},
                              pollfd{unsent, POLLOUT, 0}, pollfd{wake_.read.get(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(),
           Deadline::after(std::max(Duration::zero(), Duration(next - now))).poll_timeout());
    if ((fds[3].revents & POLLIN) != 0) {
      std::array<char, 64> ignored{};
      [[maybe_unused]] const auto n = ::read(wake_.read.get(), ignored.data(), ignored.size());
    }
    if ((fds[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) drain_errors();
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      heard = std::chrono::steady_clock::now();
      heard_ = heard;
      open = read_some_frames();
    }
  }
  // ssh says why it ended right before it ends.
  process_.wait(Deadline::after(std::chrono::milliseconds(stopping_ ? 0 : 200)));
  if (process_.errors()) drain_errors();
  const std::string said = errors_.with([](const std::string& text) {
    return trim(text).empty() ? std::string() : concat("; ssh said: ", quoted_far_text(text));
  });
  lose(Error{Errc::LinkLost, concat("the link was lost", said), ""});
  out_.close();
}

}  // namespace yonder::link
