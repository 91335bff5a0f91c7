#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

#include "base/file.h"
#include "outpost/activity.h"
#include "outpost/given_back.h"
#include "outpost/packed_record.h"
#include "outpost/run_label.h"

namespace yonder::outpost {
namespace {

// Output is given back to the disk in pieces of this size.
constexpr std::uint64_t kGiveBackStep = 4UL * 1024 * 1024;

// Of a log that was used before, what is new begins where it ended then.
std::uint64_t first_byte(const RunRecord& record) {
  if (!record.is_background()) return 0;
  const auto label = read_label(record);
  return label ? label->log_from : 0;
}

const char* file_of(wire::Channel channel) {
  return channel == wire::Channel::Out ? "out" : "err";
}

}  // namespace

GiveBack what_to_give_back(const wire::StartRequest& spec, bool owner) {
  if (spec.background) return {};
  return {.confirmed = owner && !spec.follow.head && spec.key.empty(),
          .middle = spec.follow.head.has_value()};
}

GiveBack what_to_give_back(const RunRecord& record, bool owner) {
  const auto spec = record.read_spec();
  return spec ? what_to_give_back(*spec, owner) : GiveBack{};
}

// Nobody packs the record from here on. False: it is being packed at this moment.
bool FollowActivity::hold() {
  if (held_) return true;
  held_ = true;
  if (record_.is_background() || !unpack_run(record_)) return true;
  auto file = open_file(record_.path("out"), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) return true;  // the facts will say what is there
  held_ = ::flock(file->get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  struct stat info {};
  if (held_ && ::fstat(file->get(), &info) == 0 && info.st_nlink == 0) held_ = false;
  if (held_) hold_ = *std::move(file);
  return held_;
}

// The output is as long as it is now.
void FollowActivity::conclude(Output& output) const {
  output.last = record_.size_of(file_of(output.channel));
}

// Up to where may be sent now. Of a bounded output the middle is left out: when its head has been
// sent and its length is known, it goes on with its tail.
std::uint64_t FollowActivity::next_stop(Output& output) const {
  const auto& head = options_.follow.head;
  const std::uint64_t last = output.last.value_or(std::numeric_limits<std::uint64_t>::max());
  if (!head) return last;
  const std::uint64_t head_end =
      output.origin + std::min(*head, last - std::min(last, output.origin));
  if (!output.last || output.sent < head_end) return std::min(head_end, last);
  output.sent = std::max(output.sent, last - std::min(last, options_.follow.tail));
  return last;
}

bool FollowActivity::open_output(Output& output) const {
  if (output.file) return true;
  // A log of the user may have become anything; a pipe would hold up the whole link.
  auto file = open_file(record_.path(file_of(output.channel)), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  const bool usable = file && ::fstat(file->get(), &info) == 0 && S_ISREG(info.st_mode);
  if (!usable) return false;
  output.file = std::make_shared<const Fd>(*std::move(file));
  if (output.channel == wire::Channel::Out) output.origin = first_byte(record_);
  output.sent = std::max(output.sent, output.origin);
  output.gone = read_gone(record_).of(output.channel);
  return true;
}

// How many of the bytes that were read are output, and no zeros of a hole: looked at after they
// were read, since the word for a hole comes before it.
std::size_t FollowActivity::still_there(Output& output, std::size_t bytes) const {
  output.gone = read_gone(record_).of(output.channel);
  if (output.gone.empty() || output.sent >= output.gone.to) return bytes;
  if (output.sent >= output.gone.from) {
    output.sent = output.gone.to;
    return 0;
  }
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, output.gone.from - output.sent));
}

bool FollowActivity::send_output(Outbox& outbox, Output& output) {
  if (!open_output(output)) return true;  // nothing was printed, or the record is gone
  while (credit_ > 0 && outbox.has_room()) {
    const std::uint64_t stop = next_stop(output);
    const std::uint64_t wanted =
        std::min({std::uint64_t{wire::kMaxDataBytes}, credit_, stop - std::min(stop, output.sent)});
    if (wanted == 0) break;
    const auto sent = options_.owner && !options_.give_back.middle && output.gone.to <= output.sent
                          ? send_from_file(outbox, output, wanted)
                          : send_copy(outbox, output, wanted);
    if (!sent) {
      if (output.last) output.last = output.sent;  // the file was cut meanwhile: there is no more
      break;
    }
    note_sent(output, *sent);
  }
  return output.last && output.sent >= *output.last;
}

// Where no other process makes holes in it before it has been confirmed. Nothing: there is no more.
std::optional<std::uint64_t> FollowActivity::send_from_file(Outbox& outbox, const Output& output,
                                                            std::uint64_t wanted) {
  struct stat info {};
  if (::fstat(output.file->get(), &info) != 0) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size <= output.sent) return std::nullopt;
  const std::uint64_t bytes = std::min(wanted, size - output.sent);
  announce(outbox);
  outbox.data(options_.stream, {.channel = output.channel, .offset = output.sent},
              FilePart{.file = output.file, .offset = output.sent, .size = bytes});
  return bytes;
}

std::optional<std::uint64_t> FollowActivity::send_copy(Outbox& outbox, Output& output,
                                                       std::uint64_t wanted) {
  std::vector<char> buffer(wanted);
  const ssize_t n =
      ::pread(output.file->get(), buffer.data(), buffer.size(), static_cast<off_t>(output.sent));
  if (n <= 0) return std::nullopt;
  const std::size_t bytes = still_there(output, static_cast<std::size_t>(n));
  if (bytes == 0) return 0;
  announce(outbox);
  outbox.data(options_.stream, {.channel = output.channel, .offset = output.sent},
              std::string_view(buffer.data(), bytes));
  return bytes;
}

void FollowActivity::note_sent(Output& output, std::uint64_t bytes) {
  output.sent += bytes;
  credit_ -= bytes;
  if (!options_.give_back.confirmed || bytes == 0) return;
  const bool goes_on = !unconfirmed_.empty() && unconfirmed_.back().output == &output &&
                       unconfirmed_.back().end + bytes == output.sent;
  if (!goes_on) unconfirmed_.push_back({.output = &output, .end = output.sent - bytes, .bytes = 0});
  unconfirmed_.back().end = output.sent;
  unconfirmed_.back().bytes += bytes;
}

// The near side confirms in the order in which it was sent to.
void FollowActivity::on_credit(std::uint32_t bytes) {
  credit_ += bytes;
  std::uint64_t more = bytes;
  while (more > 0 && !unconfirmed_.empty()) {
    auto& piece = unconfirmed_.front();
    const std::uint64_t taken = std::min(more, piece.bytes);
    piece.bytes -= taken;
    more -= taken;
    piece.output->confirmed = piece.end - piece.bytes;
    if (piece.bytes == 0) unconfirmed_.pop_front();
  }
}

// What the near side has, or what nobody will want.
void FollowActivity::give_back_output(Output& output) {
  if (!options_.give_back.confirmed && !options_.give_back.middle) return;
  wire::Gap more{.from = 0, .to = output.confirmed};
  if (options_.give_back.middle) {
    const std::uint64_t head = std::max(options_.follow.head.value_or(0), kKeptOfEachEnd);
    const std::uint64_t tail = std::max(options_.follow.tail, kKeptOfEachEnd);
    // What comes after the end of what is shown here does not move that end.
    const std::uint64_t size = output.last.value_or(record_.size_of(file_of(output.channel)));
    more = {.from = head, .to = size - std::min(size, tail)};
  }
  more.from = std::max(more.from, output.gone.to);
  if (more.to < more.from + kGiveBackStep) return;
  if (give_back(record_, output.channel, output.gone, more)) return;
  options_.give_back = {};  // where the file system cannot, the space comes back with the record
}

}  // namespace yonder::outpost
