#include "outpost/packed_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "outpost/given_back.h"
#include "outpost/record_files.h"
#include "outpost/remove_run.h"
#include "tree/rename.h"
#include "wire/frame.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kNameLetters = 16;
// The spec may be as long as a message, and the outputs are beside it.
constexpr std::uint64_t kLongestPacked = 2 * wire::kMaxMessage;

std::string state_dir_of(const RunRecord& record) {
  const std::string& directory = record.directory();
  const std::size_t runs = directory.find_last_of('/');
  return directory.substr(0, directory.find_last_of('/', runs - 1));
}

// Among the spares: what is left there by a process that was killed goes after an hour.
std::string new_place(const RunRecord& record) {
  const std::string state_dir = state_dir_of(record);
  [[maybe_unused]] const auto folder = make_directory(state_dir + "/spares");
  return ReadyRecord::path_of(state_dir, random_letters(kNameLetters));
}

Result<std::string> read_if_there(const std::string& path) {
  auto text = read_file(path, wire::kMaxMessage);
  if (!text && text.error().code == Errc::NotFound) return std::string();
  return text;
}

Result<std::string> read_between(const Fd& file, std::uint64_t from, std::uint64_t to) {
  std::string bytes(to - from, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::pread(file.get(), bytes.data() + have, bytes.size() - have,
                              static_cast<off_t>(from + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return errno_error("read an output", n < 0 ? errno : EIO);
    have += static_cast<std::size_t>(n);
  }
  return bytes;
}

// Without its middle when it is too long for one small file.
wire::Gap left_out_of(std::uint64_t size, const wire::Gap& gone) {
  const std::uint64_t kept = size - (gone.empty() ? 0 : gone.to - gone.from);
  if (kept <= 2 * kPackedOfEachEnd) return gone;
  const wire::Gap middle{.from = kPackedOfEachEnd, .to = size - kPackedOfEachEnd};
  if (gone.empty()) return middle;
  return {.from = std::min(gone.from, middle.from), .to = std::max(gone.to, middle.to)};
}

Result<wire::PackedOutput> pack_output(const RunRecord& record, const char* name,
                                       const wire::Gap& gone) {
  auto file = open_file(record.path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file && file.error().code == Errc::NotFound) return wire::PackedOutput{};
  if (!file) return std::move(file).error();
  wire::PackedOutput packed{.size = record.size_of(name), .gone = {}, .bytes = ""};
  packed.gone = left_out_of(packed.size, gone);
  const bool whole = packed.gone.empty();
  TRY_ASSIGN(packed.bytes, read_between(*file, 0, whole ? packed.size : packed.gone.from));
  if (whole) return packed;
  TRY_ASSIGN(const std::string tail, read_between(*file, packed.gone.to, packed.size));
  packed.bytes += tail;
  return packed;
}

struct Packed {
  wire::PackedRecord record;
  bool cut = false;  // more of the output was left out than was gone before
  bool keyed = false;
};

Result<Packed> read_to_pack(const RunRecord& record) {
  Packed packed;
  TRY_ASSIGN(packed.record.spec, read_file(record.path("spec"), wire::kMaxMessage));
  TRY_ASSIGN(const auto spec, wire::decode_spec(packed.record.spec));
  TRY_ASSIGN(packed.record.exit, read_file(record.path("exit"), wire::kMaxMessage));
  TRY_ASSIGN(packed.record.alive, read_if_there(record.path("alive")));
  TRY_ASSIGN(packed.record.asked, read_if_there(record.path("asked")));
  const Gone gone = read_gone(record);
  TRY_ASSIGN(packed.record.out, pack_output(record, "out", gone.out));
  TRY_ASSIGN(packed.record.err, pack_output(record, "err", gone.err));
  const auto differs = [](const wire::Gap& a, const wire::Gap& b) {
    return a.from != b.from || a.to != b.to;
  };
  packed.cut =
      differs(packed.record.out.gone, gone.out) || differs(packed.record.err.gone, gone.err);
  packed.keyed = !spec.key.empty() || !packed.record.asked.empty();
  return packed;
}

// Its time is that of the end: from then on it is kept.
void copy_time(const std::string& from, const std::string& to) {
  struct stat info {};
  if (::stat(from.c_str(), &info) != 0) return;
  const std::array<timespec, 2> times{info.st_mtim, info.st_mtim};
  ::utimensat(AT_FDCWD, to.c_str(), times.data(), 0);
}

bool write_packed(const std::string& place, const Packed& packed) {
  const auto file = open_file(place, O_WRONLY | O_CREAT | O_EXCL);
  if (!file || !write_all(*file, wire::encode(packed.record))) return false;
  // Without it the key would be free after a loss of power.
  return !packed.keyed || ::fsync(file->get()) == 0;
}

// The new one at the place of the old one, which takes its name. Where the file system cannot
// exchange them there is a moment without either, which nothing that has a key may have.
bool change_places(const std::string& fresh, const std::string& old, bool must_be_at_once) {
  if (tree::rename_exchange(AT_FDCWD, fresh, AT_FDCWD, old) == 0) return true;
  if (must_be_at_once) return false;
  const std::string aside = fresh + ".old";
  if (std::rename(old.c_str(), aside.c_str()) != 0) return false;
  const bool changed = std::rename(fresh.c_str(), old.c_str()) == 0;
  return std::rename(aside.c_str(), (changed ? fresh : old).c_str()) == 0 && changed;
}

void remove_either(const std::string& path) {
  if (::unlink(path.c_str()) != 0) remove_run(path);
}

bool could_be_packed(const RunRecord& record) {
  if (record.is_background() || path_exists(record.path("emptied"))) return false;
  const auto exit = record.read_exit();
  return exit && *exit && (*exit)->left_running.empty();
}

Result<void> unpack_output(const RunRecord& record, const char* name,
                           const wire::PackedOutput& packed) {
  TRY_ASSIGN(const Fd file, open_file(record.path(name), O_WRONLY | O_CREAT | O_EXCL));
  if (packed.gone.empty()) return write_all(file, packed.bytes);
  const std::string_view bytes = packed.bytes;
  const std::size_t head = std::min<std::size_t>(packed.gone.from, bytes.size());
  TRY(write_all(file, bytes.substr(0, head)));
  if (::ftruncate(file.get(), static_cast<off_t>(packed.size)) != 0) return errno_error("truncate");
  if (::lseek(file.get(), static_cast<off_t>(packed.gone.to), SEEK_SET) < 0) {
    return errno_error("seek");
  }
  return write_all(file, bytes.substr(head));
}

Result<void> write_new(const RunRecord& record, const char* name, std::string_view bytes) {
  TRY_ASSIGN(const Fd file, open_file(record.path(name), O_WRONLY | O_CREAT | O_EXCL));
  return write_all(file, bytes);
}

Result<void> unpack_into(const RunRecord& fresh, const wire::PackedRecord& packed,
                         const std::string& from) {
  TRY(make_directory(fresh.directory()));
  TRY(write_new(fresh, "spec", packed.spec));
  if (!packed.alive.empty()) TRY(write_new(fresh, "alive", packed.alive));
  if (!packed.asked.empty()) TRY(write_new(fresh, "asked", packed.asked));
  TRY(unpack_output(fresh, "out", packed.out));
  TRY(unpack_output(fresh, "err", packed.err));
  if (!packed.out.gone.empty() || !packed.err.gone.empty()) {
    TRY(write_gone(fresh, {.out = packed.out.gone, .err = packed.err.gone}));
  }
  TRY(write_new(fresh, "exit", packed.exit));
  for (const char* name : {"exit", "alive"}) copy_time(from, fresh.path(name));
  return {};
}

}  // namespace

bool is_packed(const RunRecord& record) {
  struct stat info {};
  return ::lstat(record.directory().c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

Result<wire::PackedRecord> read_packed(const RunRecord& record) {
  TRY_ASSIGN(const std::string text, read_file(record.directory(), kLongestPacked));
  auto packed = wire::decode_packed(text);
  if (!packed) return std::move(packed).error().context(record.directory());
  return packed;
}

Packing pack_run(const RunRecord& record, bool may_cut) {
  if (!could_be_packed(record)) return Packing::Never;
  const auto lock = record.try_lock();
  if (!lock) return Packing::Never;
  if (!*lock) return Packing::Later;
  // Whoever follows it has a shared lock on this one.
  const auto out = open_file(record.path("out"), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (!out) return Packing::Never;
  if (::flock(out->get(), LOCK_EX | LOCK_NB) != 0) return Packing::Later;
  const auto packed = read_to_pack(record);
  if (!packed || (packed->cut && (packed->keyed || !may_cut))) return Packing::Never;
  const std::string place = new_place(record);
  const bool written = write_packed(place, *packed);
  if (written) copy_time(record.path("exit"), place);
  const bool done = written && change_places(place, record.directory(), packed->keyed);
  remove_either(place);
  return done ? Packing::Done : Packing::Never;
}

Result<void> unpack_run(const RunRecord& record) {
  if (!is_packed(record)) return {};
  TRY_ASSIGN(const auto packed, read_packed(record));
  const std::string place = new_place(record);
  auto unpacked = unpack_into(RunRecord(place), packed, record.directory());
  if (unpacked && !change_places(place, record.directory(), !packed.asked.empty())) {
    unpacked = errno_error("rename " + record.directory());
  }
  remove_either(place);
  return unpacked;
}

}  // namespace yonder::outpost
