#include "outpost/read_log.h"

#include <algorithm>

#include "base/environment.h"
#include "base/text.h"
#include "outpost/list_runs.h"

namespace yonder::outpost {
namespace {

// Changes are told by inotify; this is for file systems where it stays silent, and for logs that
// appear or are replaced.
constexpr auto kLookAgain = std::chrono::milliseconds(500);
constexpr auto kSettle = std::chrono::milliseconds(25);
constexpr auto kAskAgain = std::chrono::milliseconds(5);
// A reply is one message.
constexpr std::uint64_t kMostBytes = 2ULL * 1024 * 1024;

bool is_over(const wire::RunFacts& facts) {
  return has_surely_ended(facts) || (!facts.supervisor_lives && !facts.command_lives);
}

void put(wire::LogReply& reply, const HeadTail& text) {
  reply.head = text.head();
  reply.tail = text.tail();
  reply.skipped = text.left_out();
}

// Empty: nothing.
std::string what_was_not_seen(const LineFilter& filter, std::uint64_t long_lines) {
  if (long_lines == 0 || !filter.may_match_far()) return {};
  return concat(long_lines, long_lines == 1 ? " line is" : " lines are",
                " longer than 64 KiB: there only matches of up to 32 KiB were looked for, and none "
                "was found");
}

}  // namespace

Result<std::unique_ptr<Activity>> ReadLogActivity::create(const Surroundings& around,
                                                          wire::StreamId stream,
                                                          wire::ReadLogRequest request) {
  TRY_ASSIGN(LogTarget target, find_log(around, request));
  std::optional<LineFilter> filter;
  if (!request.filter.empty()) {
    TRY_ASSIGN(filter, LineFilter::create(request.filter));
  }
  std::unique_ptr<ReadLogActivity> made(
      new ReadLogActivity(around, stream, std::move(request), std::move(target)));
  made->filter_ = std::move(filter);
  return std::unique_ptr<Activity>(std::move(made));
}

ReadLogActivity::ReadLogActivity(const Surroundings& around, wire::StreamId stream,
                                 wire::ReadLogRequest request, LogTarget target)
    : boot_id_(around.boot_id),
      stream_(stream),
      request_(std::move(request)),
      target_(std::move(target)),
      file_(target_.path),
      wait_(Deadline::after(std::chrono::milliseconds(request_.wait_ms.value_or(0)))),
      next_look_(Deadline::after(Duration::zero())) {
  request_.head = std::min(request_.head, kMostBytes);
  request_.tail = std::min(request_.tail, kMostBytes);
  if (target_.tmux_session.empty()) return;
  question_.emplace(find_program("tmux", environment("PATH")), target_.tmux_session);
}

std::vector<Watched> ReadLogActivity::watched() const {
  if (!target_.record) return {{target_.path}};
  return {{target_.record->directory()}, {target_.path}};
}

Deadline ReadLogActivity::due() const {
  if (busy_) return Deadline::after(Duration::zero());
  if (question_) return Deadline::after(kAskAgain);
  const Deadline next = settle_ ? *settle_ : Deadline::after(kLookAgain);
  return Deadline::earlier(wait_, next);
}

// Asked before the log is looked at: what is read after the end is complete.
bool ReadLogActivity::run_is_over() {
  if (over_ || !target_.record) return over_;
  if (has_surely_ended(*target_.record, boot_id_)) return over_ = true;
  if (!request_.wait_ms || !next_look_.expired()) return false;
  next_look_ = Deadline::after(kLookAgain);
  return over_ = is_over(observe(*target_.record, boot_id_));
}

// What stands before it is of an earlier run. A log that is shorter than that was cut since.
std::uint64_t ReadLogActivity::floor() const {
  const bool asked_for = !request_.path.empty() && request_.from;
  return asked_for || target_.log_from > file_.size() ? 0 : target_.log_from;
}

void ReadLogActivity::first_look() {
  looked_ = true;
  from_ = request_.from ? std::max(*request_.from, floor()) : file_.size();
  if (!filter_) return;
  std::uint64_t begin = from_;
  // A line that is being written belongs to what comes from now on.
  if (!request_.from && request_.wait_ms) {
    const auto last = last_lines(file_, floor(), file_.size(), 1, kLineEnds);
    if (!last.bytes.ends_with('\n')) begin = last.start;
  }
  if (request_.from || request_.wait_ms) {
    const std::string before = begin > floor() ? file_.read(begin - 1, begin) : "\n";
    forward_.emplace(begin, HeadTail(request_.head, request_.tail),
                     before.empty() ? '\n' : before.front());
  }
}

bool ReadLogActivity::was_cut() const {
  const std::uint64_t reached = forward_ ? std::max(from_, forward_->position()) : from_;
  return file_.exists() && file_.problem().empty() && (file_.size() < reached || file_.replaced());
}

// A log of the user's choice is opened before the run is noted as begun: from then on it was there.
bool ReadLogActivity::was_taken_away() const {
  if (file_.exists() || !target_.record || !facts_ || !facts_->alive) return false;
  return !target_.path.starts_with(target_.record->directory() + "/");
}

bool ReadLogActivity::has_news() const {
  return !file_.problem().empty() || was_cut() || file_.size() > from_;
}

// The last line of a log comes a moment before the end of its run: one reply for both.
bool ReadLogActivity::settled() {
  if (!target_.record) return true;
  if (!settle_) settle_ = Deadline::after(kSettle);
  return settle_->expired();
}

// Looks through the lines that are new, a slice at a time. True when it is time to reply.
bool ReadLogActivity::watch_lines(bool reply_now) {
  if (!file_.problem().empty() || was_cut()) return true;
  const std::uint64_t before = forward_->position();
  forward_->step(file_, *filter_, file_.size(), budget_);
  busy_ = forward_->position() > before && forward_->position() < file_.size() && !budget_.spent();
  if (busy_) return false;
  return reply_now || budget_.spent() || forward_->matches() > 0 || forward_->found_in_part();
}

bool ReadLogActivity::step(Outbox& outbox) {
  wire::LogReply reply;
  if (question_) {
    if (!question_->step()) return false;
    reply.session_lives = question_->lives();
  } else if (!fill(reply)) {
    return false;
  }
  outbox.message(wire::Kind::Reply, stream_, wire::encode(reply));
  return true;
}

// False while there is something to wait for, or more to look through.
bool ReadLogActivity::fill(wire::LogReply& reply) {
  if (!backward_) {
    const bool now = run_is_over() || !request_.wait_ms || wait_.expired();
    file_.look();
    if (!looked_) first_look();
    const bool ready = forward_ ? watch_lines(now) : now || has_news();
    if (!ready || !(now || settled())) return false;
    if (target_.record) facts_ = labelled_facts(*target_.record, boot_id_);
    // It ended in this moment: no reply says so without the last of the log.
    if (facts_ && is_over(*facts_) && !over_) {
      over_ = true;
      return fill(reply);
    }
  }
  reply = reply_about_file();
  if (request_.from) {
    filter_ ? fill_matches(reply) : fill_from(reply);
  } else if (!filter_) {
    fill_last_lines(reply);
  } else if (!fill_last_matches(reply)) {
    return false;
  }
  if (reply.problem.empty()) reply.problem = file_.problem();
  if (reply.problem.empty() && was_taken_away()) {
    reply.problem = concat("the log is not at ", target_.path, " any more");
  }
  reply.run = facts_;
  return true;
}

wire::LogReply ReadLogActivity::reply_about_file() const {
  wire::LogReply reply;
  reply.path = target_.path;
  reply.exists = file_.exists();
  reply.problem = file_.problem();
  reply.size = file_.size();
  reply.modified_ms = file_.exists() ? file_.modified_ms() : 0;
  reply.start = reply.next = file_.size();
  return reply;
}

void ReadLogActivity::fill_last_lines(wire::LogReply& reply) {
  const auto last =
      last_lines(file_, floor(), file_.size(), request_.lines, request_.head + request_.tail);
  HeadTail text(request_.head, request_.tail);
  text.append(last.bytes);
  put(reply, text);
  reply.start = last.start;
  reply.next = last.start + last.bytes.size();
}

// False when there is nothing behind the byte that was asked for, and never will be.
bool ReadLogActivity::goes_on(wire::LogReply& reply) const {
  if (!file_.exists() || !file_.problem().empty()) {
    reply.start = reply.next = from_;
    return false;
  }
  if (!was_cut()) return true;
  reply.problem = file_.replaced() ? "another file has taken the place of the log"
                                   : concat("the log is shorter than byte ", from_, ": it was cut");
  return false;
}

// Reads only what is sent: the first and the last bytes of what is there.
void ReadLogActivity::fill_from(wire::LogReply& reply) {
  if (!goes_on(reply)) return;
  const std::uint64_t size = file_.size();
  reply.start = from_;
  const std::uint64_t head_end = from_ + std::min(request_.head, size - from_);
  reply.head = file_.read(from_, head_end);
  reply.next = from_ + reply.head.size();
  if (reply.next < head_end) return;  // cut meanwhile
  const std::uint64_t tail_start = size - std::min(request_.tail, size - head_end);
  reply.tail = file_.read(tail_start, size);
  reply.skipped = tail_start - head_end;
  reply.next = tail_start + reply.tail.size();
}

void ReadLogActivity::fill_matches(wire::LogReply& reply) {
  if (!goes_on(reply)) return;
  reply.start = from_;
  reply.searched_from = from_;
  forward_->finish_part();
  reply.next = forward_->next();
  // Of a log without a run nobody will say when its last line is whole: it is shown as it is, and
  // again next time.
  const bool at_end = forward_->position() >= file_.size();
  reply.search_cut = !at_end;
  if (at_end && (over_ || !target_.record)) forward_->finish(*filter_);
  if (over_) reply.next = forward_->next();
  reply.matches = forward_->matches();
  reply.problem = what_was_not_seen(*filter_, forward_->long_lines());
  put(reply, forward_->found());
}

// False while there is more to look through.
bool ReadLogActivity::fill_last_matches(wire::LogReply& reply) {
  if (!backward_) {
    budget_ = {};
    backward_.emplace(BackwardScan::Bounds{.floor = floor(),
                                           .end = file_.size(),
                                           .lines = request_.lines,
                                           .bytes = request_.head + request_.tail});
  }
  backward_->step(file_, *filter_, budget_);
  busy_ = !backward_->done() && !budget_.spent();
  if (busy_) return false;
  HeadTail text(request_.head, request_.tail);
  backward_->put_into(text);
  put(reply, text);
  reply.start = backward_->start();
  reply.searched_from = backward_->start();
  reply.search_cut = !backward_->done();
  reply.next = over_ ? reply.size : backward_->whole_end();
  reply.matches = backward_->matches();
  reply.problem = what_was_not_seen(*filter_, backward_->long_lines());
  return true;
}

}  // namespace yonder::outpost
