#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "tree/beneath.h"
#include "tree/delta.h"
#include "tree/messages.h"
#include "tree/part.h"

namespace yonder::tree {

// A file of a tree that is to be sent, open. A file that changes while it is read is noticed.
class SourceFile {
 public:
  // Conflict when it is not what it was when it was listed.
  static Result<SourceFile> open(Directories& directories, const std::string& path,
                                 const Seen& expected);

  int fd() const { return file_.get(); }
  std::uint64_t size() const { return size_; }
  bool sparse() const { return sparse_; }
  // The segments that are not holes as a whole. Of a file in very many pieces the last run may have
  // some.
  std::vector<SegmentRun> runs() const;
  Result<void> check_unchanged() const;

 private:
  SourceFile(std::string path, Fd file, const struct stat& info);

  std::string path_;
  Fd file_;
  std::uint64_t size_ = 0;
  std::int64_t mtime_ns_ = 0;
  std::int64_t ctime_ns_ = 0;
  bool sparse_ = false;
};

struct SendOptions {
  // Of the file in its own tree, where that is another than the head's.
  std::string path;
  // After each piece: how many bytes of the file it was. An error ends the sending.
  std::function<Result<void>(std::uint64_t)> on_bytes = [](std::uint64_t) {
    return Result<void>();
  };
};

// The range as Bytes and Holes. Its hash.
Result<Hash> send_range(BlockWriter& out, const SourceFile& file, std::uint64_t offset,
                        std::uint64_t size, const SendOptions& options);

// A whole file: start, contents, end. What is wrong with the file itself is told in its end, and
// returned as `problem`; an error is one of the stream.
struct Sent {
  std::optional<Error> problem;
  bool told = false;                        // the other end has heard of it, in the file's end
  std::optional<Hash> hash = std::nullopt;  // of a whole file that was sent
};
Result<Sent> send_file(BlockWriter& out, Directories& directories, const FileStart& start,
                       const Seen& source, const SendOptions& options);
Result<Sent> send_segment(BlockWriter& out, const SourceFile& file, const FileStart& start,
                          Hash& hash, const SendOptions& options);
// As the difference to an old file.
Result<Sent> send_delta(BlockWriter& out, const SourceFile& file, const FileStart& start,
                        const Differ& differ, Hash& hash, const SendOptions& options);

}  // namespace yonder::tree
