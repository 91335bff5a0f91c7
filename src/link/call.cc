#include <algorithm>
#include <utility>

#include "link/link.h"

namespace yonder::link {

Call::Call(std::shared_ptr<Link> link, wire::StreamId stream)
    : link_(std::move(link)), stream_(stream) {}

Call::Call(Call&& other) noexcept : link_(std::move(other.link_)), stream_(other.stream_) {}

Call::~Call() {
  if (link_) link_->forget(stream_);
}

Result<Event> Call::next(const Deadline& deadline, const CancelToken& cancel) {
  const auto slot = link_->slot(stream_);
  if (!slot) return Error{Errc::Internal, "the request has ended", ""};
  const auto wake = cancel.on_cancel([&] { slot->wake_all(); });
  if (!cancel.cancelled()) confirm_data();
  return slot->wait(
      deadline,
      [&](const Link::Slot& s) { return !s.events.empty() || s.failure || cancel.cancelled(); },
      [&](Link::Slot& s) -> Result<Event> {
        // What has arrived is handed out before the reason why nothing more will.
        if (!s.events.empty()) {
          Event first = std::move(s.events.front());
          s.events.pop_front();
          if (const auto* data = std::get_if<DataEvent>(&first)) s.handed += data->bytes.size();
          return first;
        }
        if (s.failure) return *s.failure;
        if (cancel.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
        return Error{Errc::Timeout, "no answer in time", ""};
      });
}

// A window is confirmed in pieces, so that confirmations do not outnumber the data.
void Call::confirm_data() {
  const auto slot = link_->slot(stream_);
  if (!slot) return;
  const std::uint64_t bytes = slot->change([](Link::Slot& s) -> std::uint64_t {
    s.unconfirmed += std::exchange(s.handed, 0);
    if (s.unconfirmed < s.confirm_step) return 0;
    s.window += s.unconfirmed;
    return std::exchange(s.unconfirmed, 0);
  });
  if (bytes == 0) return;
  std::string out;
  wire::append_frame(out, wire::Kind::Credit, stream_,
                     wire::encode_credit(static_cast<std::uint32_t>(bytes)));
  link_->send(out);
}

void Call::confirm_end(const std::string& run_id, bool owner) {
  std::string out;
  wire::append_message(out, wire::Kind::Taken, stream_,
                       wire::encode(wire::TakenNote{.run_id = run_id, .owner = owner}));
  link_->last_words_ = true;
  link_->send(out);
}

void Call::poke() {
  const auto slot = link_->slot(stream_);
  if (!slot) return;
  slot->change([](Link::Slot& s) {
    if (s.events.empty()) s.events.emplace_back(InputEvent{});
  });
}

std::uint64_t Call::input_credit() const {
  const auto slot = link_->slot(stream_);
  return slot ? slot->look([](const Link::Slot& s) { return s.input_credit; }) : 0;
}

std::uint64_t Call::input_room() const {
  const std::uint64_t credit = input_credit();
  return credit == 0 ? 0 : std::min<std::uint64_t>(credit, link_->out_.room());
}

bool Call::input_closed() const {
  const auto slot = link_->slot(stream_);
  return !slot || slot->look([](const Link::Slot& s) { return s.input_closed; });
}

Result<void> Call::send_input(std::uint64_t offset, std::string_view bytes) {
  const auto slot = link_->slot(stream_);
  if (!slot) return Error{Errc::LinkLost, "the request has ended", ""};
  slot->change([&](Link::Slot& s) {
    s.input_credit -= std::min<std::uint64_t>(s.input_credit, bytes.size());
  });
  const bool much = offset + bytes.size() >= wire::kMuch;
  if (much && offset < wire::kMuch) link_->out_.widen();
  link_->wake_unless(
      link_->out_.send_data(stream_, {.channel = wire::Channel::In, .offset = offset}, bytes));
  return {};
}

void Call::widen(std::uint32_t bytes) {
  const auto slot = link_->slot(stream_);
  if (!slot) return;
  slot->change([&](Link::Slot& s) { s.window += bytes; });
  std::string out;
  wire::append_frame(out, wire::Kind::Credit, stream_, wire::encode_credit(bytes));
  link_->send(out);
}

Result<void> Call::end_input() {
  std::string out;
  wire::append_frame(out, wire::Kind::End, stream_, "");
  link_->send(out);
  return {};
}

bool Call::stop(const Deadline& deadline) {
  const auto slot = link_->slot(stream_);
  if (!slot) return false;
  std::string out;
  wire::append_frame(out, wire::Kind::Cancel, stream_, "");
  link_->send(out);
  while (true) {
    const bool over = slot->look(
        [](const Link::Slot& s) { return s.answered && s.events.empty() && !s.failure; });
    if (over) return true;
    const auto event = next(deadline, {});
    if (event && std::holds_alternative<ReplyEvent>(*event)) return true;
    if (event) continue;
    return event.error().code != Errc::LinkLost && event.error().code != Errc::Timeout;
  }
}

}  // namespace yonder::link
