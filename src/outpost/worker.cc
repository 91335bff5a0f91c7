#include "outpost/worker.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "outpost/child.h"
#include "outpost/detach.h"
#include "wire/frame.h"

namespace yonder::outpost {
namespace {

constexpr int kPipeSize = 1024 * 1024;
// How much the near side may send ahead.
constexpr std::uint32_t kWindow = 2U * 1024 * 1024;
constexpr std::size_t kCreditStep = 128UL * 1024;
constexpr std::size_t kReadAtOnce = 256UL * 1024;
constexpr std::size_t kFrameHead = 9;  // length, kind, stream
constexpr auto kBetweenLooks = std::chrono::milliseconds(1);

std::uint32_t length_at(std::string_view bytes) {
  std::uint32_t length = 0;
  for (int i = 3; i >= 0; --i) {
    length = length << 8U | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  }
  return length;
}

// The link's side: frames that the process has made ready go out as far as the near side takes
// them, bytes for the process go in as far as it reads them.
class WorkerActivity : public Activity {
 public:
  struct Pipes {
    Fd to;
    Fd from;
    Fd word;
  };
  WorkerActivity(wire::StreamId stream, Child child, WorkerEnd end, Pipes pipes)
      : stream_(stream),
        child_(std::move(child)),
        end_(end),
        to_(std::move(pipes.to)),
        from_(std::move(pipes.from)),
        word_(std::move(pipes.word)) {}
  ~WorkerActivity() override {
    if (!over_ && end_ == WorkerEnd::AtOnce) child_.signal(SIGTERM);
  }
  WorkerActivity(const WorkerActivity&) = delete;
  WorkerActivity& operator=(const WorkerActivity&) = delete;

  bool step(Outbox& outbox) override;
  Deadline due() const override { return Deadline::never(); }
  void on_credit(std::uint32_t bytes) override { credit_ += bytes; }
  Result<void> on_data(const wire::DataView& data) override;
  Result<void> on_end() override;
  bool on_cancel() override;
  std::vector<Watched> watched() const override { return {}; }
  void polled(std::vector<pollfd>& fds) const override;

 private:
  void feed(Outbox& outbox);
  bool forward(Outbox& outbox);
  bool may_read() const { return ready_.size() - start_ < kReadAtOnce; }

  wire::StreamId stream_;
  Child child_;
  WorkerEnd end_;
  Fd to_;
  Fd from_;
  Fd word_;                  // closed without a word: whatever was not read is not wanted
  bool given_up_ = false;    // by the near side; what the process still says is dropped
  std::string pending_;      // for the process
  std::size_t written_ = 0;  // of it
  std::uint64_t received_ = 0;
  std::uint64_t allowed_ = wire::kInitialCredit;  // by all credits so far
  std::uint64_t consumed_ = 0;
  bool input_over_ = false;
  std::string ready_;  // frames of the process
  std::size_t start_ = 0;
  bool blocked_ = false;  // the frame at start_ waits for credit
  std::uint64_t credit_ = wire::kInitialCredit;
  bool over_ = false;
};

void WorkerActivity::polled(std::vector<pollfd>& fds) const {
  if (from_ && may_read() && !blocked_) fds.push_back({from_.get(), POLLIN, 0});
  if (to_ && written_ < pending_.size()) fds.push_back({to_.get(), POLLOUT, 0});
}

Result<void> WorkerActivity::on_data(const wire::DataView& data) {
  if (data.header.channel != wire::Channel::In || data.header.offset != received_) {
    return Error{Errc::Protocol, "a gap in the data", ""};
  }
  received_ += data.bytes.size();
  if (received_ > allowed_) return Error{Errc::Protocol, "more data than was allowed", ""};
  std::string_view bytes = data.bytes;
  if (to_ && pending_.empty()) {  // what the pipe takes at once need not be copied
    const ssize_t n = ::write(to_.get(), bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      consumed_ += static_cast<std::uint64_t>(n);
    }
  }
  pending_ += bytes;
  return {};
}

Result<void> WorkerActivity::on_end() {
  input_over_ = true;
  return {};
}

bool WorkerActivity::on_cancel() {
  if (end_ == WorkerEnd::AtOnce) return false;
  given_up_ = true;
  word_.reset();
  to_.reset();
  pending_.clear();
  written_ = 0;
  return true;
}

void WorkerActivity::feed(Outbox& outbox) {
  if (given_up_) return;
  while (to_ && written_ < pending_.size()) {
    const ssize_t n = ::write(to_.get(), pending_.data() + written_, pending_.size() - written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {  // it has ended, and its answer is on the way
      consumed_ += pending_.size() - written_;
      written_ = pending_.size();
      to_.reset();
      break;
    }
    written_ += static_cast<std::size_t>(n);
    consumed_ += static_cast<std::uint64_t>(n);
  }
  if (written_ == pending_.size() || written_ >= kReadAtOnce) {
    pending_.erase(0, written_);
    written_ = 0;
  }
  if (input_over_ && pending_.empty() && to_) {
    // There is always room for one byte; where the process has ended, nobody misses it.
    [[maybe_unused]] const ssize_t told = ::write(word_.get(), "e", 1);
    word_.reset();
    to_.reset();
  }
  const std::uint64_t wanted = consumed_ + kWindow;
  if (wanted < allowed_ + kCreditStep) return;
  outbox.frame(wire::Kind::Credit, stream_,
               wire::encode_credit(static_cast<std::uint32_t>(wanted - allowed_)));
  allowed_ = wanted;
}

// True when the answer has been forwarded.
bool WorkerActivity::forward(Outbox& outbox) {
  blocked_ = false;
  while (ready_.size() - start_ >= kFrameHead && outbox.has_room()) {
    const std::string_view rest = std::string_view(ready_).substr(start_);
    const std::size_t whole = 4UL + length_at(rest);
    if (rest.size() < whole) break;
    const auto kind = static_cast<wire::Kind>(rest[4]);
    if (kind == wire::Kind::Data && given_up_) {
      start_ += whole;
      continue;
    }
    if (kind == wire::Kind::Data) {
      const std::size_t bytes = whole - kFrameHead - wire::kDataHeaderSize;
      blocked_ = bytes > credit_;
      if (blocked_) break;
      credit_ -= bytes;
    }
    outbox.raw(rest.substr(0, whole));
    start_ += whole;
    if (kind == wire::Kind::Reply || kind == wire::Kind::Error) return true;
  }
  if (start_ == ready_.size() || start_ >= kReadAtOnce) {
    ready_.erase(0, start_);
    start_ = 0;
  }
  return false;
}

bool WorkerActivity::step(Outbox& outbox) {
  feed(outbox);
  while (true) {
    over_ = forward(outbox);
    if (over_) return true;
    if (!outbox.has_room() || blocked_ || !may_read()) return false;
    std::array<char, 64UL * 1024> buffer;  // not cleared: it is read into at once
    const ssize_t n = ::read(from_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return false;
    if (n <= 0) {
      outbox.message(
          wire::Kind::Error, stream_,
          wire::encode(Error{Errc::Internal, "the process that worked on this request was ended",
                             "was it out of memory? try again"}));
      over_ = true;
      return true;
    }
    ready_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

bool WorkerChannel::given_up() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kBetweenLooks) return given_up_;
  looked_ = now;
  return hear_word();
}

bool WorkerChannel::hear_word() {
  pollfd state{word_.get(), POLLIN, 0};
  if (given_up_ || !word_ || ::poll(&state, 1, 0) <= 0) return given_up_;
  char byte = 0;
  const auto heard = read_some(word_, &byte, 1);
  given_up_ = !heard || *heard == 0;
  word_.reset();
  return given_up_;
}

Result<std::size_t> WorkerChannel::read(char* buffer, std::size_t size) {
  while (!given_up_ && word_) {
    std::array<pollfd, 2> fds{pollfd{input_.get(), POLLIN, 0}, pollfd{word_.get(), POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return errno_error("poll");
    if (fds[1].revents != 0) {
      hear_word();
    } else if (fds[0].revents != 0) {
      return read_some(input_, buffer, size);
    }
  }
  if (given_up_) return Error{Errc::Cancelled, "given up", ""};
  return read_some(input_, buffer, size);
}

Result<void> WorkerChannel::write(std::string_view bytes) {
  std::string frames;
  frames.reserve(bytes.size() + 64);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, wire::kMaxDataBytes);
    wire::append_data(frames, stream_, {.channel = wire::Channel::Out, .offset = sent_}, piece);
    sent_ += piece.size();
    bytes.remove_prefix(piece.size());
  }
  return write_all(output_, frames);
}

int work_and_answer(WorkerChannel& channel, const Work& work) {
  const auto done = work(channel);
  std::string answer;
  wire::append_message(answer, done ? wire::Kind::Reply : wire::Kind::Error, channel.stream_,
                       done ? *done : wire::encode(done.error()));
  const auto told = write_all(channel.output_, answer);
  channel.output_.reset();
  channel.afterwards_();
  return told ? 0 : 1;
}

Result<std::unique_ptr<Activity>> start_worker(wire::StreamId stream, WorkerEnd end,
                                               const Work& work) {
  TRY_ASSIGN(Pipe in, make_pipe());
  TRY_ASSIGN(Pipe out, make_pipe());
  TRY_ASSIGN(Pipe word, make_pipe());
  widen_pipe(in.write, kPipeSize);
  widen_pipe(out.write, kPipeSize);
  TRY(set_nonblocking(in.write));
  TRY(set_nonblocking(out.read));
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("starting a process for this request");
  if (pid == 0) {
    std::array kept{in.read.get(), out.write.get(), word.read.get()};
    std::sort(kept.begin(), kept.end());
    leave_the_link({kept[0], kept[1], kept[2]});
    WorkerChannel channel(stream, std::move(in.read), std::move(out.write), std::move(word.read));
    ::_exit(work_and_answer(channel, work));
  }
  return std::unique_ptr<Activity>(std::make_unique<WorkerActivity>(
      stream, Child(pid), end,
      WorkerActivity::Pipes{std::move(in.write), std::move(out.read), std::move(word.write)}));
}

}  // namespace yonder::outpost
