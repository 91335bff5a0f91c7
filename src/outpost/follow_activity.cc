#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/text.h"
#include "outpost/activity.h"
#include "outpost/command.h"
#include "outpost/missing_program.h"
#include "outpost/processes.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

// Changes are told by inotify; this is for file systems where it stays silent.
constexpr auto kLookAgain = std::chrono::milliseconds(500);
constexpr auto kTryToHold = std::chrono::milliseconds(2);
constexpr auto kAnnounceAfter = std::chrono::milliseconds(30);
// For a shell to find that a program does not exist.
constexpr Duration kLikelyEnd = std::chrono::seconds(2);

Result<void> write_at(const Fd& file, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("keeping the input");
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return {};
}

}  // namespace

FollowActivity::FollowActivity(RunRecord record, Options options)
    : record_(std::move(record)),
      options_(std::move(options)),
      out_{.channel = wire::Channel::Out, .sent = options_.follow.out_from},
      err_{.channel = wire::Channel::Err, .sent = options_.follow.err_from},
      credit_(wire::window_of(options_.follow)),
      wait_(options_.follow.wait_ms
                ? Deadline::after(std::chrono::milliseconds(*options_.follow.wait_ms))
                : Deadline::never()),
      // Input is not read over there before this is heard.
      announce_by_(Deadline::after(options_.stream_stdin ? Duration::zero() : kAnnounceAfter)),
      next_look_(Deadline::after(Duration::zero())),
      input_granted_(wire::kInitialCredit),
      input_refused_(!options_.feeds_input) {}

// Not everything in the directory: every change wakes the link's process, just when the run is to
// begin or to end. How much of its input was taken is written into the directory too.
std::vector<Watched> FollowActivity::watched() const {
  const bool complete = path_exists(record_.path("out")) && path_exists(record_.path("err"));
  return {{.path = record_.directory(), .contents = options_.stream_stdin || !complete},
          {record_.path("out")},
          {record_.path("err")}};
}

// With the first thing that is to be said, or by itself after a moment: a short command needs one
// message, not two.
void FollowActivity::announce(Outbox& outbox) {
  if (!options_.announce) return;
  options_.announce = false;
  outbox.message(wire::Kind::Started, options_.stream,
                 wire::encode(wire::StartedNote{record_.id(), options_.existed}));
}

Deadline FollowActivity::due() const {
  if (!held_) return Deadline::after(kTryToHold);
  const Deadline wait = likely_end_ ? Deadline::earlier(wait_, *likely_end_) : wait_;
  if (options_.announce) return Deadline::earlier(wait, announce_by_);
  return Deadline::earlier(wait, Deadline::after(kLookAgain));
}

bool FollowActivity::step(Outbox& outbox) {
  if (!hold()) return false;
  if (announce_by_.expired()) announce(outbox);
  if (owes_wake_) wake_supervisor();
  if (options_.stream_stdin) grant_input(outbox);
  if (!concluding_ &&
      (has_ended() || wait_.expired() || has_begun_enough() || supervisor_vanished())) {
    concluding_ = true;
    conclude(out_);
    conclude(err_);
  }
  const bool out_done = send_output(outbox, out_);
  const bool err_done = send_output(outbox, err_);
  give_back_output(out_);
  give_back_output(err_);
  if (!concluding_ || !out_done || !err_done) return false;
  announce(outbox);
  auto facts = observe(record_, options_.boot_id, {.after_end = false});
  facts.existed = options_.existed;
  facts.out_bytes = std::max(out_.sent, *out_.last);
  facts.err_bytes = std::max(err_.sent, *err_.last);
  outbox.message(wire::Kind::Reply, options_.stream, wire::encode(facts));
  return true;
}

bool FollowActivity::has_ended() const {
  return has_surely_ended(record_, options_.boot_id);
}

bool FollowActivity::has_begun_enough() {
  if (!options_.follow.until_begun) return false;
  // One that waits for its GPUs has begun to wait: that may take days.
  if (path_exists(record_.path("waiting"))) return true;
  return path_exists(record_.path("alive")) && !awaits_its_program();
}

// A run whose program seems to be missing is worth a moment: who has started it is told so. All
// others have begun as soon as their process exists.
bool FollowActivity::awaits_its_program() {
  if (!likely_end_) {
    const auto spec = record_.read_spec();
    const bool may_lack = spec && may_lack_its_program(*spec, current_environment());
    likely_end_ = Deadline::after(may_lack ? kLikelyEnd : Duration::zero());
  }
  return !likely_end_->expired();
}

// A supervisor that was killed writes no end, and the directory stays as it is for ever.
bool FollowActivity::supervisor_vanished() {
  if (!next_look_.expired()) return false;
  next_look_ = Deadline::after(kLookAgain);
  const auto alive = record_.read_alive();
  if (!alive) return false;  // it could not be read: that proves nothing
  if (!*alive) return !record_.locked() && !record_.has_ended();
  if (!is_visible(**alive, options_.boot_id)) return !record_.locked();
  // A command whose supervisor was killed lives on, and can still be waited for.
  return !lives((*alive)->supervisor) && !lives((*alive)->command) && !record_.locked();
}

// The near side may send as much as the command has taken, and one window more.
void FollowActivity::grant_input(Outbox& outbox) {
  if (input_closed_) return;
  const std::uint64_t position = read_input_position(record_);
  if (position == kInputClosed || input_refused_ || has_ended()) {
    input_closed_ = true;
    announce(outbox);
    outbox.frame(wire::Kind::End, options_.stream, "");
    return;
  }
  const std::uint64_t taken = position - std::min(position, options_.in_from);
  const std::uint64_t allowed = taken + wire::kInitialCredit;
  if (allowed <= input_granted_) return;
  const auto more = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(allowed - input_granted_, wire::kInitialCredit));
  input_granted_ += more;
  announce(outbox);
  outbox.frame(wire::Kind::Credit, options_.stream, wire::encode_credit(more));
}

Result<void> FollowActivity::on_data(const wire::DataView& data) {
  if (data.header.channel != wire::Channel::In) {
    return Error{Errc::Protocol, "data for a channel that takes none", ""};
  }
  if (!options_.stream_stdin || input_refused_) return {};
  if (!input_) {
    auto file = open_file(record_.path("in"), O_WRONLY | O_NONBLOCK);
    if (!file && file.error().code == Errc::NotFound) {  // a key led to a run without such an input
      input_refused_ = true;
      return {};
    }
    if (!file) return std::move(file).error();
    input_ = *std::move(file);
  }
  const std::uint64_t have = record_.size_of("in");
  if (data.header.offset > have) {
    // A run that has ended takes no more, and its input is forgotten before we have said so.
    if (record_.has_ended() || !path_exists(record_.path("in"))) return {};
    return Error{Errc::Protocol, "a gap in the input", ""};
  }
  const std::uint64_t repeated = have - data.header.offset;
  if (repeated >= data.bytes.size()) return {};  // sent again after a lost link
  // By offset, so that an older outpost that gets the same bytes late cannot double them.
  TRY(write_at(input_, have, data.bytes.substr(static_cast<std::size_t>(repeated))));
  wake_supervisor();
  return {};
}

Result<void> FollowActivity::on_end() {
  if (!options_.stream_stdin || input_refused_) return {};
  TRY(open_file(record_.path("in.end"), O_WRONLY | O_CREAT | O_NONBLOCK));
  wake_supervisor();
  return {};
}

void FollowActivity::wake_supervisor() {
  const auto alive = record_.read_alive();
  // It may have looked at its input before we wrote, and nobody knows its pid yet: told later.
  owes_wake_ = !alive || !*alive;
  if (owes_wake_ || !is_visible(**alive, options_.boot_id)) return;
  send_signal((*alive)->supervisor, kInputSignal);
}

}  // namespace yonder::outpost
