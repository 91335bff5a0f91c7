#include "outpost/input_pump.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"

namespace yonder::outpost {
namespace {

// What was taken is given back to the disk in pieces of this size.
constexpr std::uint64_t kFreeStep = 4UL * 1024 * 1024;

}  // namespace

InputPump::InputPump(const RunRecord& record, Fd pipe) : record_(record), pipe_(std::move(pipe)) {
  if (auto file = open_file(record_.path("in"), O_RDWR)) file_ = *std::move(file);
  if (auto file = open_file(record_.path("in.pos"), O_RDWR)) position_file_ = *std::move(file);
}

bool InputPump::step() {
  if (!pipe_) return false;
  blocked_ = false;
  std::array<char, 65536> buffer{};
  while (true) {
    const bool complete = path_exists(record_.path("in.end"));
    const ssize_t n =
        ::pread(file_.get(), buffer.data(), buffer.size(), static_cast<off_t>(position_));
    if (n == 0 && complete) {
      finish();
      return false;
    }
    // A file that cannot be read now is no end of the input: the command must not take it for one.
    if (n <= 0) return true;
    const ssize_t written = ::write(pipe_.get(), buffer.data(), static_cast<std::size_t>(n));
    if (written < 0 && errno == EAGAIN) {
      blocked_ = true;
      return true;
    }
    if (written < 0 && errno != EINTR) {  // the command has closed its input
      publish(kInputClosed);
      finish();
      return false;
    }
    if (written > 0) publish(position_ + static_cast<std::uint64_t>(written));
  }
}

void InputPump::publish(std::uint64_t position) {
  position_ = position;
  [[maybe_unused]] const auto written =
      ::pwrite(position_file_.get(), &position, sizeof position, 0);
  if (position != kInputClosed && position_ - freed_ >= kFreeStep) {
    const std::uint64_t length = position_ - freed_;
    // Where the file system cannot do it, the space comes back with the record.
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(freed_),
                static_cast<off_t>(length));
    freed_ = position_;
  }
}

void InputPump::finish() {
  blocked_ = false;
  pipe_.reset();
}

}  // namespace yonder::outpost
