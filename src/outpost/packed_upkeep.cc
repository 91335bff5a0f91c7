#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/id.h"
#include "outpost/machine.h"
#include "outpost/packed_record.h"
#include "outpost/remove_run.h"
#include "outpost/run_label.h"

namespace yonder::outpost {
namespace {

constexpr int kPauseMs = 20;

struct PackedFile {
  std::string path;
  std::string run_id;
  timespec ended{};
  std::uint64_t bytes = 0;  // on the disk
};

std::vector<PackedFile> packed_files(const std::string& state_dir) {
  std::vector<PackedFile> files;
  for (const auto& name : names_in(state_dir + "/runs")) {
    const auto id = parse_run_id(name);
    if (!id) continue;
    const RunRecord record(state_dir, *id);
    struct stat info {};
    if (::lstat(record.directory().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    files.push_back({.path = record.directory(),
                     .run_id = name,
                     .ended = info.st_mtim,
                     .bytes = static_cast<std::uint64_t>(info.st_blocks) * 512});
  }
  return files;
}

bool ended_before(const PackedFile& a, const PackedFile& b) {
  return a.ended.tv_sec != b.ended.tv_sec ? a.ended.tv_sec < b.ended.tv_sec
                                          : a.ended.tv_nsec < b.ended.tv_nsec;
}

}  // namespace

void pack_runs(const std::string& state_dir, const std::vector<wire::TakenNote>& taken,
               const Deadline& deadline) {
  bool count = false;
  for (const auto& note : taken) {
    const auto id = parse_run_id(note.run_id);
    if (!id) continue;
    const RunRecord record(state_dir, *id);
    while (pack_run(record, note.owner) == Packing::Later && !deadline.expired()) {
      ::poll(nullptr, 0, kPauseMs);
    }
    // Ids are random: to count all of them for a few of them is enough.
    count = count || note.run_id.back() == 'a';
  }
  if (count) bound_packed(state_dir, {});
}

Result<wire::RunFacts> facts_of_packed(const RunRecord& record, const std::string& boot_id) {
  TRY_ASSIGN(const auto packed, read_packed(record));
  TRY_ASSIGN(const auto spec, wire::decode_spec(packed.spec));
  wire::RunFacts facts;
  facts.run_id = record.id();
  facts.boot_id = boot_id;
  facts.host = read_hostname();
  facts.pid_ns = read_pid_namespace();
  facts.existed = true;
  facts.record_found = true;
  TRY_ASSIGN(facts.exit, wire::decode_exit(packed.exit));
  if (!packed.alive.empty()) {
    TRY_ASSIGN(facts.alive, wire::decode_alive(packed.alive));
  }
  facts.out_bytes = packed.out.size;
  facts.err_bytes = packed.err.size;
  facts.out_gone = packed.out.gone;
  facts.err_gone = packed.err.gone;
  facts.label = label_of(spec);
  return facts;
}

void bound_packed(const std::string& state_dir, const PackedLimits& limits) {
  auto files = packed_files(state_dir);
  std::uint64_t bytes = 0;
  for (const auto& file : files) bytes += file.bytes;
  if (files.size() <= limits.files && bytes <= limits.bytes) return;
  const std::set<std::string> keyed = runs_of_keys(state_dir);
  std::erase_if(files, [&](const PackedFile& file) {
    if (!keyed.contains(file.run_id)) return false;
    bytes -= file.bytes;
    return true;
  });
  std::sort(files.begin(), files.end(), ended_before);
  std::size_t left = files.size();
  for (const auto& file : files) {
    if (left <= limits.files && bytes <= limits.bytes) return;
    // A directory that has come back meanwhile stays.
    if (::unlink(file.path.c_str()) != 0) continue;
    --left;
    bytes -= file.bytes;
  }
}

}  // namespace yonder::outpost
