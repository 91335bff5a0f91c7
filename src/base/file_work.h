#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What can be asked of the files of a machine, and what comes back: plain structs that the
// messages, the work itself and the tools have in common.
//
// Paths are bytes, absolute, "~/..." or relative to the home directory.
namespace yonder::files {

enum class Type : std::uint8_t { File, Directory, Symlink, Fifo, Socket, Block, Char };
// "file", "directory", ...
std::string_view name_of(Type type);

struct Trouble {
  std::string path;
  std::string reason;
};

struct ListRequest {
  std::string path;
  bool recursive = false;
  std::uint64_t max_entries = 200;
  std::optional<std::uint64_t> max_depth;  // 1: the directory's own entries
};
struct Entry {
  std::string path;  // below the directory that was asked for; empty: that itself, being a file
  Type type = Type::File;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::uint32_t mode = 0;
  std::optional<std::string> link_target;
};
struct ListReply {
  std::string path;  // absolute
  std::vector<Entry> entries;
  bool truncated = false;
  std::optional<std::uint64_t> total;  // where it is known
  std::vector<Trouble> errors;
};

struct ReadRequest {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t max_bytes = 200000;
  std::optional<std::uint64_t> first_line;  // counted from 1; instead of the offset
  std::optional<std::uint64_t> lines;
  std::optional<std::uint64_t> tail;  // or the last lines
  bool want_hash = true;
};
struct ReadReply {
  std::string path;
  std::string content;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool truncated = false;  // it goes on behind this, or what was asked for did not fit
  bool binary = false;     // it has NUL bytes in its beginning
  std::string hash;        // of the whole file; empty when that is large, or was changing
  std::int64_t mtime_ns = 0;
  std::uint32_t mode = 0;
};

struct WriteRequest {
  std::string path;
  std::string content;
  std::optional<std::uint32_t> mode;
  bool create_parents = false;
  bool append = false;
  std::optional<std::string> expected_hash;  // "": nothing may be there
};
struct Written {
  std::string path;    // of the file itself
  std::string linked;  // the link that led to it; empty when there was none
  bool created = false;
  std::uint64_t size = 0;
  std::string hash;
  std::int64_t mtime_ns = 0;
  std::uint32_t mode = 0;
  std::string batch;  // where the old content is kept; empty when there was none
  std::vector<std::string> warnings;
};

struct Edit {
  std::string old_text;
  std::string new_text;
  bool replace_all = false;
};
struct EditRequest {
  std::string path;
  std::vector<Edit> edits;
  std::optional<std::string> expected_hash;
};
struct EditReply {
  Written file;
  std::uint64_t replacements = 0;
  std::string diff;
  bool diff_truncated = false;
};

struct SearchRequest {
  std::string path;
  std::string pattern;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool use_gitignore = true;
  bool case_sensitive = true;
  bool literal = false;
  std::uint64_t context = 0;
  std::uint64_t max_matches = 200;
  std::uint64_t max_line_bytes = 500;
  std::int64_t time_ms = 20000;
};
struct Match {
  std::string path;  // below the directory; empty: the file itself
  std::uint64_t line = 0;
  std::uint64_t column = 0;  // in bytes, from 1
  std::string text;          // the line, or what is around the match of a long one
  bool shortened = false;
  std::vector<std::string> before;
  std::vector<std::string> after;
};
struct SearchReply {
  std::string path;
  std::vector<Match> matches;
  std::uint64_t files_searched = 0;
  std::uint64_t files_matched = 0;
  std::uint64_t binaries_skipped = 0;
  std::vector<std::string> binary_matches;  // of these: the pattern is in their first megabytes
  std::uint64_t ignored = 0;                // files and whole directories that the rules leave out
  bool truncated = false;
  std::string truncated_by;  // "matches", "time" or "size"
  std::vector<Trouble> errors;
};

struct MoveRequest {
  std::string from;
  std::string to;
  bool overwrite = false;
  bool create_parents = false;
};
struct MoveReply {
  std::string from;
  std::string to;
  bool replaced = false;
  std::string batch;
};

struct DeleteRequest {
  std::string path;
  bool recursive = false;
};
struct DeleteReply {
  std::string path;
  Type type = Type::File;
  std::string batch;
};

struct MakeDirectoryRequest {
  std::string path;
  bool parents = true;
  std::optional<std::uint32_t> mode;
};
struct MakeDirectoryReply {
  std::string path;
  std::uint64_t made = 0;  // 0: it was there
};

struct TrashRequest {
  std::string batch;            // empty: all batches
  std::uint64_t max_paths = 0;  // of each batch
};
struct TrashBatch {
  std::string id;
  std::string root;
  std::string why;
  std::int64_t created_ms = 0;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  bool counted = true;
  std::string directory;  // where it lies
  std::vector<std::string> paths;
};
struct TrashReply {
  std::vector<TrashBatch> batches;
  std::int64_t now_ms = 0;  // by the clock over there
};

struct EmptyTrashRequest {
  std::vector<std::string> batches;  // those that go, for good
};
struct EmptyTrashReply {
  std::uint64_t batches = 0;  // that are gone
  std::uint64_t bytes = 0;
  std::vector<Trouble> kept;  // batches that could not be removed
};

struct RestoreRequest {
  std::string batch;
  std::vector<std::string> paths;
};
struct RestoreReply {
  std::string root;
  std::uint64_t restored = 0;
  std::uint64_t replaced = 0;
  std::string batch;  // undoes it
  std::vector<Trouble> failed;
};

}  // namespace yonder::files
