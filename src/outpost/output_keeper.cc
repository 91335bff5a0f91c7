#include "outpost/output_keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include "outpost/output_carrying.h"

namespace yonder::outpost {
namespace {

constexpr int kLookAgainMs = 5;
// A writer that copies has no more than that.
constexpr std::uint64_t kMostInHand = 64UL * 1024;

std::uint64_t waiting_in(const Fd& pipe) {
  int bytes = 0;
  return ::ioctl(pipe.get(), FIONREAD, &bytes) == 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

bool has_printers(const Fd& pipe) {
  pollfd look{pipe.get(), 0, 0};
  return ::poll(&look, 1, 0) != 1 || (look.revents & POLLHUP) == 0;
}

Fd copy_of(const Fd& fd) {
  auto copy = duplicate(fd.get());
  return copy ? *std::move(copy) : Fd();
}

}  // namespace

OutputFiles output_files_of(const wire::StartRequest& spec) {
  if (!spec.background) return OutputFiles::Two;
  return spec.log_file.empty() ? OutputFiles::Log : OutputFiles::UserLog;
}

OutputKeeper::OutputKeeper(OutputKeeper&& other) noexcept
    : out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      told_(std::move(other.told_)),
      notes_(std::exchange(other.notes_, nullptr)),
      writer_(std::exchange(other.writer_, -1)) {}

OutputKeeper& OutputKeeper::operator=(OutputKeeper&& other) noexcept {
  stop_writer();
  out_ = std::move(other.out_);
  err_ = std::move(other.err_);
  told_ = std::move(other.told_);
  std::swap(notes_, other.notes_);
  writer_ = std::exchange(other.writer_, -1);
  return *this;
}

OutputKeeper::~OutputKeeper() {
  if (notes_ != nullptr) ::munmap(notes_, sizeof(Shared));
}

Result<void> OutputKeeper::open() {
  TRY_ASSIGN(out_, make_output_pipe());
  TRY_ASSIGN(err_, make_output_pipe());
  told_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!told_) return errno_error("eventfd");
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno_error("mmap");
  notes_ = new (memory) Shared;
  return {};
}

std::array<OutputWriter, 2> OutputKeeper::writers(const RunRecord& record, OutputFiles files) {
  const bool shared = files == OutputFiles::UserLog;
  Fd err = files == OutputFiles::Two ? open_to_append(record, "err", false) : Fd();
  return {OutputWriter(copy_of(out_.reader), open_to_append(record, "out", shared), shared,
                       notes_->out),
          OutputWriter(copy_of(err_.reader), std::move(err), false, notes_->err)};
}

void OutputKeeper::begin(const HeldRecord& held, OutputFiles files) {
  stop_writer();
  notes_->out.busy = false;
  notes_->err.busy = false;
  writer_ = ::fork();
  if (writer_ != 0) return;
  be_writer({out_.reader.get(), err_.reader.get(), told_.get(), held.fd()});
  const RunRecord record = held.reachable();
  const Fd lock = lock_as_writer(record);
  auto both = writers(record, files);
  carry(both);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto said = ::write(told_.get(), &one, sizeof one);
  ::_exit(0);
}

void OutputKeeper::stop_writer() {
  if (writer_ <= 0) return;
  ::kill(writer_, SIGKILL);
  while (::waitpid(writer_, nullptr, 0) < 0 && errno == EINTR) {
  }
  writer_ = -1;
}

void OutputKeeper::forget(pid_t child) {
  if (child == writer_) writer_ = -1;
}

bool OutputKeeper::at_end() const {
  return !is_open() || (notes_->out.at_end && notes_->err.at_end);
}

std::uint64_t OutputKeeper::lost() const {
  return is_open() ? notes_->out.lost + notes_->err.lost : 0;
}

// In this order: what has left the pipe is in the file when nobody is at it.
bool OutputKeeper::is_written(const Fd& reader, const WriterNote& note, std::uint64_t enough) {
  if (note.at_end || note.put + note.lost >= enough) return true;
  return waiting_in(reader) == 0 && !note.busy;
}

void OutputKeeper::complete(const HeldRecord& held, OutputFiles files, const Deadline& deadline) {
  if (!is_open()) return;
  out_.command.reset();
  err_.command.reset();
  // Processes that were left behind may print for ever.
  const auto enough = [](const Fd& reader, const WriterNote& note) {
    const std::uint64_t waiting = waiting_in(reader);
    return waiting + note.put + note.lost + kMostInHand;
  };
  const std::uint64_t out_enough = enough(out_.reader, notes_->out);
  const std::uint64_t err_enough = enough(err_.reader, notes_->err);
  while (!is_written(out_.reader, notes_->out, out_enough) ||
         !is_written(err_.reader, notes_->err, err_enough)) {
    if (deadline.expired()) return;
    if (writer_ > 0 && ::waitpid(writer_, nullptr, WNOHANG) != 0) writer_ = -1;
    if (writer_ <= 0 && !at_end()) begin(held, files);
    if (writer_ <= 0 && files != OutputFiles::UserLog) {  // there is no process to be had
      for (auto& writer : writers(held.reachable(), files)) writer.step();
      continue;
    }
    pollfd told{told_.get(), POLLIN, 0};
    ::poll(&told, 1, kLookAgainMs);
  }
}

bool OutputKeeper::is_quiet() const {
  if (at_end()) return true;
  const auto quiet = [](const Fd& reader, const WriterNote& note) {
    return note.at_end || (!has_printers(reader) && waiting_in(reader) == 0 && !note.busy);
  };
  return quiet(out_.reader, notes_->out) && quiet(err_.reader, notes_->err);
}

}  // namespace yonder::outpost
