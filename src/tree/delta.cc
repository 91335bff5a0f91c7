#include "tree/delta.h"

#define RSYNC_NO_STDIO_INTERFACE
#include <librsync.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <optional>
#include <vector>

namespace yonder::tree {
namespace {

constexpr std::size_t kBuffer = 256UL * 1024;
constexpr std::size_t kSignatureHead = 12;                  // magic, block, strong, all big-endian
constexpr std::uint32_t kLargestBlock = 16U * 1024 * 1024;  // of files of 256 TB
constexpr std::uint64_t kLongestSums = 4 + 32;              // of a block: weak, and at most strong

Error broken(rs_result result) {
  return Error{Errc::Protocol,
               std::string("the difference cannot be worked out: ") + rs_strerror(result), ""};
}

std::uint32_t block_size_of(std::string_view signature) {
  std::uint32_t size = 0;
  for (const char c : signature.substr(4, 4)) size = size << 8U | static_cast<unsigned char>(c);
  return size;
}

struct FreeJob {
  void operator()(rs_job_t* job) const { rs_job_free(job); }
};
using Job = std::unique_ptr<rs_job_t, FreeJob>;

struct FreeSignature {
  void operator()(rs_signature_t* signature) const { rs_free_sumset(signature); }
};
using Signature = std::unique_ptr<rs_signature_t, FreeSignature>;

// A job, with its unread input between two calls.
class Machine {
 public:
  Machine(rs_job_t* job, Pour pour) : job_(job), pour_(std::move(pour)), out_(kBuffer) {
    // What is wrong we say ourselves, and not to whoever reads our standard error.
    rs_trace_to([](rs_loglevel, const char*) {});
  }

  // Takes all of it; what the job does not use yet is kept.
  Result<void> feed(std::string_view bytes, bool last) {
    if (done_ && !bytes.empty()) return broken(RS_CORRUPT);  // there is nothing after the end
    input_ += bytes;
    while (!done_) {
      rs_buffers_t buffers{.next_in = input_.data(),
                           .avail_in = input_.size(),
                           .eof_in = last ? 1 : 0,
                           .next_out = out_.data(),
                           .avail_out = out_.size()};
      const rs_result result = rs_job_iter(job_.get(), &buffers);
      const std::size_t made = out_.size() - buffers.avail_out;
      const std::size_t used = input_.size() - buffers.avail_in;
      input_.erase(0, used);
      if (made > 0) TRY(pour_({out_.data(), made}));
      if (result != RS_DONE && result != RS_BLOCKED) return broken(result);
      done_ = result == RS_DONE;
      if (made == 0 && used == 0) break;
    }
    return {};
  }
  bool done() const { return done_; }

 private:
  Job job_;
  Pour pour_;
  std::string input_;
  std::vector<char> out_;
  bool done_ = false;
};

Result<void> feed_range(Machine& machine, const Differ::Range& range, const Pour& on_read) {
  std::vector<char> buffer(kBuffer);
  std::uint64_t offset = range.offset;
  const std::uint64_t end = range.offset + range.size;
  while (offset < end) {
    const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), end - offset);
    const ssize_t n = ::pread(range.fd, buffer.data(), wanted, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading");
    if (n == 0) break;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    offset += bytes.size();
    TRY(machine.feed(bytes, false));
    TRY(on_read(bytes));
  }
  TRY(machine.feed({}, true));
  if (!machine.done()) return broken(RS_INPUT_ENDED);
  return {};
}

// What a signature is like.
struct Shape {
  rs_magic_number magic = RS_RK_BLAKE2_SIG_MAGIC;
  std::size_t block = 0;
  std::size_t strong = 0;
};

// Of a file of this size.
Result<Shape> shape_for(std::uint64_t size) {
  constexpr auto kShortest = static_cast<std::size_t>(-1);  // that is safe; the result is checked
  Shape shape{.strong = kShortest};
  const auto file_size = static_cast<rs_long_t>(size);
  rs_result chosen = rs_sig_args(file_size, &shape.magic, &shape.block, &shape.strong);
  if (chosen == RS_DONE) {
    // No block of a file that was changed in place lies across two ranges of a power of two.
    shape.block = std::bit_floor(shape.block);
    shape.strong = kShortest;
    chosen = rs_sig_args(file_size, &shape.magic, &shape.block, &shape.strong);
  }
  if (chosen != RS_DONE) return broken(chosen);
  return shape;
}

}  // namespace

Result<std::uint64_t> longest_signature(std::uint64_t size) {
  TRY_ASSIGN(const Shape shape, shape_for(size));
  return kSignatureHead + (size / shape.block + 1) * kLongestSums;
}

Result<void> make_signature(int fd, std::uint64_t size, const Pour& pour) {
  TRY_ASSIGN(const Shape shape, shape_for(size));
  Machine machine(rs_sig_begin(shape.block, shape.strong, shape.magic), pour);
  return feed_range(machine, {fd, 0, size}, [](std::string_view) { return Result<void>(); });
}

struct Differ::State {
  Signature signature;
};

Differ::Differ(std::unique_ptr<State> state) : state_(std::move(state)) {}
Differ::~Differ() = default;
Differ::Differ(Differ&&) noexcept = default;
Differ& Differ::operator=(Differ&&) noexcept = default;

Result<Differ> Differ::load(std::string_view signature, std::uint64_t old_size) {
  // The signature is the other side's; so is the size of its blocks, which are kept in memory.
  if (signature.size() < kSignatureHead || block_size_of(signature) > kLargestBlock) {
    return broken(RS_CORRUPT);
  }
  TRY_ASSIGN(const Shape shape, shape_for(old_size));
  TRY_ASSIGN(const std::uint64_t longest, longest_signature(old_size));
  if (block_size_of(signature) < shape.block || signature.size() > longest) {
    return broken(RS_CORRUPT);
  }
  rs_signature_t* loaded = nullptr;
  Machine loader(rs_loadsig_begin(&loaded), [](std::string_view) { return Result<void>(); });
  auto fed = loader.feed(signature, true);
  Signature owner(loaded);
  TRY(std::move(fed));
  if (!loader.done() || loaded == nullptr) return broken(RS_INPUT_ENDED);
  const rs_result indexed = rs_build_hash_table(loaded);
  if (indexed != RS_DONE) return broken(indexed);
  return Differ(std::make_unique<State>(State{std::move(owner)}));
}

Result<void> Differ::make_delta(const Range& range, const Pour& on_read, const Pour& pour) const {
  Machine machine(rs_delta_begin(state_->signature.get()), pour);
  return feed_range(machine, range, on_read);
}

struct Patch::State {
  State(int old_file, Pour pour)
      : basis(old_file), machine(rs_patch_begin(&State::copy, this), std::move(pour)) {}

  static rs_result copy(void* self, rs_long_t position, std::size_t* size, void** buffer) {
    const int fd = static_cast<State*>(self)->basis;
    const ssize_t n = ::pread(fd, *buffer, *size, static_cast<off_t>(position));
    if (n <= 0) return n == 0 ? RS_INPUT_ENDED : RS_IO_ERROR;
    *size = static_cast<std::size_t>(n);
    return RS_DONE;
  }

  int basis;
  Machine machine;
};

Patch::Patch(int basis, Pour pour) : state_(std::make_unique<State>(basis, std::move(pour))) {}
Patch::~Patch() = default;
Patch::Patch(Patch&&) noexcept = default;

Result<void> Patch::add(std::string_view delta) {
  return state_->machine.feed(delta, false);
}

Result<void> Patch::finish() {
  TRY(state_->machine.feed({}, true));
  if (!state_->machine.done()) return broken(RS_INPUT_ENDED);
  return {};
}

}  // namespace yonder::tree
