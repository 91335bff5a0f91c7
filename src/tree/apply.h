#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "tree/beneath.h"
#include "tree/entry.h"
#include "tree/part_map.h"
#include "tree/trash.h"

namespace yonder::tree {

using ExpectedMode = std::optional<std::uint32_t>;

// What a file will be when it is there.
struct FileHead {
  std::string path;
  std::uint32_t mode = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t size = 0;
  Seen expected;               // what its place held when it was looked at
  ExpectedMode expected_mode;  // and the permissions of that; nothing: whatever they are
  std::uint64_t origin = 0;    // of the tree it comes from: two never add to one part file
  std::string aside;           // what its place holds takes this path, in the same directory
  UserAttributes attributes;
};

// Of a directory. One that keeps its own had this one before it was made writable for the work.
struct DirectoryMode {
  std::uint32_t mode = 0;
  bool keeps = false;
  ExpectedMode expected;  // of one that is to get another: the one it had
};

enum class Keep { InTrash, Nowhere };  // what is replaced or removed

struct ApplyOptions {
  Keep keep = Keep::InTrash;
  bool flush_to_disk = false;  // fsync before each rename
  PartClaim claim;             // to the part files it works on
};

class Applier;

// Where files are being put, for as long as one of them is on its way.
struct IncomingPlace {
  std::string parent;
  std::uint64_t opened = 0;  // see Directories
  Fd directory;
  bool tells_errors_late = false;
};

// A file on its way, under a temporary name in the directory where it will be. Destroyed before it
// was finished, it leaves nothing.
class IncomingFile {
 public:
  IncomingFile(IncomingFile&&) noexcept;
  ~IncomingFile();

  const FileHead& head() const { return head_; }
  Result<void> write(std::string_view bytes);
  // So many zeros, without room on the disk where that can be.
  Result<void> hole(std::uint64_t count);
  // Checks length and contents, and gives it its name.
  Result<void> finish(const Hash& hash);

 private:
  friend class Applier;
  IncomingFile(Applier& applier, FileHead head, std::shared_ptr<const IncomingPlace> place,
               std::string temporary, Fd file);

  Applier& applier_;
  FileHead head_;
  std::shared_ptr<const IncomingPlace> place_;
  std::string temporary_;  // empty: it has got its name
  Fd file_;
  Hasher hasher_;
  std::uint64_t written_ = 0;
};

// Changes a tree below its root, one entry at a time: each appears whole or not at all, nothing
// outside is touched, and what somebody else has changed meanwhile is a Conflict.
class Applier {
 public:
  // `root` is borrowed.
  Applier(int root, const std::string& root_path, const TrashPlace& place, ApplyOptions options);

  Result<void> make_directory(const std::string& path, const Seen& expected);
  Result<IncomingFile> begin_file(FileHead head);
  Result<void> make_link(const FileHead& head, const std::string& target);
  // Another name for a file of this tree.
  Result<void> make_twin(const FileHead& head, const std::string& existing);
  // A directory must be empty; one that is not stays, without complaint: what is in it was not to
  // be removed. False then. What killed syncs have left in it goes as well; a Conflict when only
  // that is in it, and cannot go.
  Result<bool> remove(const std::string& path, const Seen& expected);
  // At the end, when nothing in it changes any more. The root has no path.
  Result<void> finish_directory(const std::string& path, const DirectoryMode& mode,
                                std::int64_t mtime_ns, const UserAttributes& attributes = {});

  // Of a file whose contents are right. One that has other names as well becomes a file of its own.
  Result<void> set_attributes(const FileHead& head);

  // `temporary` of that directory, with mode and time set, gets the name.
  Result<void> place(int directory, const std::string& temporary, const FileHead& head);
  Result<void> seal(const Fd& file, const FileHead& head, bool late_errors);
  // For one that is complete, and will have its name in `directory`: what the file system may still
  // have to say is heard before that.
  Result<void> seal_and_close(Fd& file, const FileHead& head, int directory, bool late_errors);
  Result<int> directory_of(std::string_view path, bool make);

  const std::string& trash_batch() const { return trash_.batch(); }
  std::uint64_t trashed() const { return trash_.taken(); }
  std::uint64_t trashed_bytes() const { return trash_.taken_bytes(); }
  // So much is about to come, or did not fit: old batches of the trash make way. True: something
  // was removed.
  void expect_bytes(std::uint64_t count);
  bool make_room(std::uint64_t needed) { return trash_.make_room_after_failure(needed); }
  // Some file systems have no modes of their own. That is no reason to do without the files.
  bool lost_modes() const { return lost_modes_; }
  // How many entries did not get all their extended attributes since this was last asked.
  std::uint64_t take_lost_attributes() { return std::exchange(lost_attributes_, 0); }
  std::uint64_t made_directories() const { return directories_.made(); }
  std::string new_temporary();
  const PartClaim& claim() const { return options_.claim; }

 private:
  Result<std::shared_ptr<const IncomingPlace>> place_of(std::string_view path);
  Result<void> place_once(int directory, const std::string& temporary, const FileHead& head);
  Result<void> set_mode(int fd, mode_t mode, const std::string& path);
  void give_attributes(int fd, const UserAttributes& attributes);
  mode_t keep_access(int fd, const FileHead& head, int directory);
  Result<void> open_up(const std::string& path);
  Result<bool> remove_filled(int directory, const std::string& name, const std::string& path);
  Result<void> place_beside(int directory, const std::string& temporary, const FileHead& head);
  Result<void> set_apart(const Fd& file, FileHead head, std::uint64_t size);

  Directories directories_;
  std::uint64_t made_writable_ = 0;  // of the directories that were opened
  std::shared_ptr<const IncomingPlace> place_;
  Trash trash_;
  ApplyOptions options_;
  std::string temporary_stem_;
  std::uint64_t temporaries_ = 0;
  std::uint64_t expected_ = 0;  // bytes since the disk was last looked at
  bool lost_modes_ = false;
  std::uint64_t lost_attributes_ = 0;
};

// Conflict when `name` is not what it was.
Result<void> check_seen(int directory, const std::string& name, const FileHead& head);
Result<void> check_seen(int directory, const std::string& name, const std::string& path,
                        const Seen& expected);

}  // namespace yonder::tree
