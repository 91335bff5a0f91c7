#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tree/entry.h"
#include "tree/rules.h"

namespace yonder::tree {

// Files that are on their way carry such a name, in the directory where they will be. They are
// nobody's files: never listed, copied or deleted as part of a tree.
inline constexpr std::string_view kTemporaryPrefix = ".~yonder-";
// Of these: what belongs to somebody and is just on its way to another place, or to the trash.
// After a process was killed it may still be there, and nobody but a person removes it.
inline constexpr std::string_view kAsidePrefix = ".~yonder-old-";

// What is larger is listed, but neither read nor copied: only a file that is nearly all holes has
// such a size, and reading it would take for ever.
inline constexpr std::uint64_t kLargestFile = 16ULL * 1024 * 1024 * 1024 * 1024;

// Why something of a tree is not in its list of entries; with UnreadableContents it is, and that is
// all that is known of it.
enum class SkipReason : std::uint8_t {
  Excluded,
  Unreadable,
  Special,
  BadRules,
  UnreadableContents
};
struct Skip {
  std::string path;  // a directory stands for everything in it
  SkipReason reason = SkipReason::Excluded;
  std::string detail;  // the rule and where it stands; the error; what kind of thing it is
  bool is_directory = false;
};

struct ScanOptions {
  const RuleSet* rules = nullptr;
  bool use_gitignore = false;   // also honour the .gitignore files that are met on the way
  bool tell_gitignore = false;  // tell of them, whether or not they are honoured
  bool hash = false;
  bool twins = false;       // find hard links
  bool attributes = false;  // extended ones
  bool changed = false;     // when they were changed
  bool to_copy = false;     // somebody will want the contents: tell which cannot be read
};

struct ScanSink {
  std::function<void(Entry&&)> on_entry;  // in the order of comes_before()
  std::function<void(Skip&&)> on_skip;
  std::function<void(std::string&&)> on_temporary = [](std::string&&) {};
  // A directory on another device than the one it is in: a file system of its own. "" is the root.
  std::function<void(std::string&&)> on_mount = [](std::string&&) {};
  // The text of a .gitignore, and its directory. One that cannot be read, where they are only told,
  // is one that names everything.
  std::function<void(const std::string& directory, const std::string& content)> on_ignore_file =
      [](const std::string&, const std::string&) {};
  std::function<bool()> stopped = [] { return false; };
};

// Everything below `root`, without following a link. What vanishes meanwhile was never there. An
// error only when the root itself cannot be read; or Cancelled.
Result<void> scan(int root, const ScanOptions& options, const ScanSink& sink);

// One thing, as scan() would list it.
Result<Entry> list_one(
    int root, std::string_view path, const ScanOptions& options,
    const std::function<bool()>& stopped = [] { return false; });

// A whole list in memory.
struct Listing {
  std::vector<Entry> entries;
  std::vector<Skip> skips;
  std::vector<std::string> temporaries;
  std::vector<std::string> ignore_files;  // directory, contents, again and again
  std::vector<std::string> mounts;        // see ScanSink::on_mount

  // Null when it is not there. The entries are in the order of a scan.
  const Entry* find(std::string_view path) const;
  Entry* find(std::string_view path);
};

}  // namespace yonder::tree
