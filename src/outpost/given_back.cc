#include "outpost/given_back.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace yonder::outpost {
namespace {

// From, to of each output; native order, as in `in.pos`.
using Numbers = std::array<std::uint64_t, 4>;
constexpr std::uint64_t kPage = 4096;

Gone from_numbers(const Numbers& numbers) {
  return {.out = {numbers[0], numbers[1]}, .err = {numbers[2], numbers[3]}};
}

Gone read_from(const Fd& file) {
  Numbers numbers{};
  const ssize_t n = ::pread(file.get(), numbers.data(), sizeof numbers, 0);
  return n == sizeof numbers ? from_numbers(numbers) : Gone{};
}

bool write_to(const Fd& file, const Gone& gone) {
  const Numbers numbers{gone.out.from, gone.out.to, gone.err.from, gone.err.to};
  return ::pwrite(file.get(), numbers.data(), sizeof numbers, 0) == sizeof numbers;
}

wire::Gap joined(const wire::Gap& one, const wire::Gap& other) {
  if (one.empty()) return other;
  return {.from = std::min(one.from, other.from), .to = std::max(one.to, other.to)};
}

bool punch(const Fd& file, const wire::Gap& gap) {
  return ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     static_cast<off_t>(gap.from), static_cast<off_t>(gap.to - gap.from)) == 0;
}

}  // namespace

Gone read_gone(const RunRecord& record) {
  const auto file = open_file(record.path("gone"), O_RDONLY | O_NONBLOCK);
  return file ? read_from(*file) : Gone{};
}

Result<void> write_gone(const RunRecord& record, const Gone& gone) {
  TRY_ASSIGN(const Fd file, open_file(record.path("gone"), O_WRONLY | O_CREAT | O_NONBLOCK));
  if (!write_to(file, gone)) return errno_error("write " + record.path("gone"));
  return {};
}

bool give_back(const RunRecord& record, wire::Channel channel, wire::Gap& gap,
               const wire::Gap& more) {
  const wire::Gap whole{.from = (more.from + kPage - 1) / kPage * kPage,
                        .to = more.to / kPage * kPage};
  if (whole.empty()) return true;
  const auto output = open_file(record.path(channel == wire::Channel::Out ? "out" : "err"),
                                O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  const auto word = open_file(record.path("gone"), O_RDWR | O_CREAT | O_NONBLOCK);
  // Several processes may follow one run: each adds to what the others have given back.
  if (!output || !word || ::flock(word->get(), LOCK_EX) != 0) return false;
  const Gone before = read_from(*word);
  Gone after = before;
  after.of(channel) = joined(after.of(channel), whole);
  if (!write_to(*word, after)) return false;
  if (!punch(*output, whole)) {
    write_to(*word, before);
    return false;
  }
  gap = after.of(channel);
  return true;
}

}  // namespace yonder::outpost
