#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tree/delta.h"
#include "tree/list_sender.h"
#include "tree/messages.h"
#include "tree/root.h"
#include "tree/scan.h"
#include "tree/sender.h"
#include "tree/stream.h"

namespace yonder::outpost {

// Answers what is asked of a tree without changing it: lists, hashes, contents and differences.
class TreeReader {
 public:
  struct Stream {
    tree::BlockReader& in;
    tree::BlockWriter& out;
    std::function<bool()> given_up;         // nobody wants the rest any more
    std::function<void()> before_contents;  // of a file, or of a segment of one
  };
  TreeReader(const tree::Root& root, tree::Role role, Stream stream)
      : root_(root), role_(role), stream_(std::move(stream)) {}

  // Nothing when it is another message.
  std::optional<Result<void>> take(const tree::MessageView& message);

 private:
  Result<void> list(const tree::ScanTree& wanted);
  Result<void> list_tree(int root, const tree::ScanOptions& options, tree::ListSender& lists);
  Result<void> list_file(int root, const tree::ScanOptions& options, tree::ListSender& lists);
  Result<void> hash_files(const std::vector<std::string>& paths);
  Result<void> tell_attributes(const std::vector<std::string>& paths);
  Result<void> sign(const tree::Wanted& wanted);
  Result<void> tell_runs(const tree::Wanted& wanted);
  Result<void> get(const tree::Wanted& wanted);
  Result<const tree::SourceFile*> segment_source(const tree::Wanted& wanted);
  Result<void> get_segment(const tree::Wanted& wanted);
  Result<void> get_delta(const tree::Wanted& wanted);
  Result<void> take_old_file(std::string_view body);
  Result<void> tell_segment(std::uint64_t number, const tree::Sent& sent);
  Result<void> tell(std::uint64_t number, const tree::Sent& sent);
  Result<tree::Directories*> sources();

  const tree::Root& root_;
  tree::Role role_;
  Stream stream_;
  std::optional<tree::Directories> sources_;
  std::optional<tree::SourceFile> segment_source_;
  std::string segment_path_;
  std::optional<Result<tree::Differ>> differ_;  // from the last old file
};

// That order `number` could not be carried out.
Result<void> send_failure(tree::BlockWriter& out, std::uint64_t number, const Error& error);
// That everything up to here is done, or why not.
Result<void> send_done(tree::BlockWriter& out, tree::AllDone done, const Result<void>& outcome);

}  // namespace yonder::outpost
