#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "tree/apply.h"
#include "tree/hash.h"
#include "tree/part_map.h"

namespace yonder::tree {

// Large files travel in segments, over several links at once and over several attempts. Until all
// are there they lie in a part file beside the place of the file, with a list of the segments that
// were verified, each with its hash.
inline constexpr std::uint64_t kSegment = 8UL * 1024 * 1024;
inline constexpr std::uint64_t kLargeFile = 2 * kSegment;

// Segments that follow each other.
struct SegmentRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
using Segments = std::map<std::uint64_t, Hash>;

std::uint64_t segments_of(std::uint64_t size);
std::uint64_t segment_size(std::uint64_t size, std::uint64_t index);

// Of one version of the source: another one never goes on where this one stopped.
std::string part_name(const FileHead& head);
// Where another sync is just working on that one: nobody else's, ever.
std::string own_part_name(const FileHead& head, const PartClaim& claim);

// All links of one sync write to one part. What belongs to a sync that still works on it is left
// alone; a part of an attempt that was given up is taken over, and who wrote to it before gets a
// Conflict.
class PartFile {
 public:
  // Makes it, or goes on with it.
  static Result<PartFile> open(Applier& applier, const FileHead& head);

  // What was verified before, and still is what it was then.
  Result<Segments> verified();

  // A segment's bytes, in order; then its hash.
  Result<void> begin(std::uint64_t index);
  Result<void> write(std::string_view bytes);
  Result<void> hole(std::uint64_t count);
  Result<void> end(const Hash& hash);

  // All of these are there, and the rest is holes: gives the file its name.
  Result<void> finish(const Segments& segments);
  // The same, with whatever was received and verified.
  Result<void> finish_runs(const std::vector<SegmentRun>& runs);
  // The source has changed: nobody will ever go on with it.
  Result<void> discard();

 private:
  PartFile(Applier& applier, FileHead head, Fd directory, std::string name, Fd file, PartMap map)
      : applier_(&applier),
        head_(std::move(head)),
        directory_(std::move(directory)),
        name_(std::move(name)),
        file_(std::move(file)),
        map_(std::move(map)) {}
  static Result<std::optional<PartFile>> open_locked(Applier& applier, const FileHead& head,
                                                     const Fd& directory, const std::string& name,
                                                     PartMap& map);
  static Result<std::optional<PartFile>> open_free(Applier& applier, const FileHead& head,
                                                   const Fd& directory, const std::string& name);
  Result<PartMap::Lock> hold(PartMap::Hold how);
  Result<Segments> noted() const;
  Result<void> clear(std::uint64_t offset, std::uint64_t count);
  Result<void> write_zeros(std::uint64_t offset, std::uint64_t end);
  Result<void> clear_all_but(const std::vector<SegmentRun>& runs);
  Result<void> place();
  void give_back(PartMap::Gone why);
  Result<void> keep_room(Result<void> outcome);

  Applier* applier_;
  FileHead head_;
  Fd directory_;
  std::string name_;
  Fd file_;  // its lock is held as long as it is open: somebody works on it
  PartMap map_;
  std::uint64_t index_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t stop_ = 0;
  Hasher hasher_;
};

// Removes the part of this file, if it is of this attempt: nobody will ever go on with it.
void discard_part(Applier& applier, const FileHead& head);

// What an attempt that was cut off has left of a file that came as a whole after all, unless
// another sync works on it.
void remove_part(int directory, const FileHead& head);

// Of a part or its map, and not of anything else that is on its way.
bool is_part_name(std::string_view name);

// Parts whose source has changed, or to which nobody came back.
inline constexpr std::int64_t kForgottenPart = 2LL * 24 * 3600 * 1000;

// Removes parts that nobody has written to for so long, and nobody has open: their source has
// changed, or nobody came back.
void remove_old_part(int root, const std::string& path, std::int64_t older_than_ms);
}  // namespace yonder::tree
