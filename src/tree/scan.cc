#include "tree/scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/text.h"
#include "tree/beneath.h"
#include "tree/directory_names.h"
#include "tree/extended_attributes.h"
#include "tree/mounts.h"
#include "tree/trash.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kLongestTarget = 64UL * 1024;
constexpr std::size_t kLongestIgnoreFile = 512UL * 1024;
// Nobody's tree is so deep, but for those that are made to break programs.
constexpr std::size_t kDeepest = 1000;
// Owners are not kept, so to run as the owner would mean somebody else.
constexpr mode_t kKeptMode = 01777;

// What nobody can bring into a sync, whatever he calls it.
constexpr const char* kOwnTemporary = "`.~yonder-*` (Yonder's own)";
constexpr const char* kOwnTrash = "`.yonder-trash*` (Yonder's own)";

std::string_view kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISBLK(mode)) return "a block device";
  return "a device";
}

Result<std::string> read_target(int directory, const std::string& name) {
  std::string target(256, '\0');
  while (true) {
    const ssize_t n = ::readlinkat(directory, name.c_str(), target.data(), target.size());
    if (n < 0) return errno_error("reading the link");
    const auto size = static_cast<std::size_t>(n);
    const bool whole = size < target.size();
    target.resize(whole ? size : target.size() * 2);
    if (whole) return target;
    if (target.size() > kLongestTarget) return Error{Errc::Unsupported, "the link is too long", ""};
  }
}

Result<Fd> open_to_read(int directory, const std::string& name) {
  Fd file(
      ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return errno_error("opening");
  return file;
}

Result<Hash> hash_file(int directory, const std::string& name, std::uint64_t size,
                       const std::function<bool()>& stopped) {
  TRY_ASSIGN(const Fd file, open_to_read(directory, name));
  return hash_of_range(file.get(), 0, size, stopped);
}

// One that is neither a file nor to be read as one, such as a directory, is none.
Result<std::string> read_ignore_file(int directory) {
  struct stat info {};
  if (::fstatat(directory, ".gitignore", &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(info.st_mode)) {
    return std::string();
  }
  TRY_ASSIGN(const Fd file, open_to_read(directory, ".gitignore"));
  if (static_cast<std::uint64_t>(info.st_size) > kLongestIgnoreFile) {
    return Error{Errc::Unsupported, "it is too long for a file of rules", ""};
  }
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  const ssize_t n = ::pread(file.get(), content.data(), content.size(), 0);
  content.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return content;
}

// Asked only where the mode leaves a doubt: there are many files.
bool may_read(int directory, const std::string& name, const struct stat& info) {
  constexpr mode_t kAll = 0444;
  if ((info.st_mode & kAll) == kAll || ::geteuid() == 0) return true;
  return ::faccessat(directory, name.c_str(), R_OK, AT_EACCESS) == 0 || errno != EACCES;
}

// Numbers for files that are one.
class Twins {
 public:
  std::uint64_t number_of(const struct stat& info) {
    const auto [place, fresh] =
        numbers_.try_emplace({info.st_dev, info.st_ino}, numbers_.size() + 1);
    return place->second;
  }

 private:
  std::map<std::pair<dev_t, ino_t>, std::uint64_t> numbers_;
};

// The entry for a name; a Skip's reason when it cannot be one.
Result<Entry> make_entry(int directory, std::string path, const struct stat& info,
                         const ScanOptions& options, const std::function<bool()>& stopped) {
  const std::string name(split_path(path).name);
  Entry entry{.path = std::move(path),
              .type = type_of(info),
              .mode = static_cast<std::uint32_t>(info.st_mode & kKeptMode),
              .mtime_ns = mtime_of(info)};
  if (entry.type == Type::File) {
    entry.size = static_cast<std::uint64_t>(info.st_size);
    if (options.hash && entry.size <= kLargestFile) {
      TRY_ASSIGN(entry.hash, hash_file(directory, name, entry.size, stopped));
    }
  }
  if (entry.type == Type::Link) {
    TRY_ASSIGN(entry.target, read_target(directory, name));
    return entry;
  }
  if (options.changed) entry.changed_ns = ctime_of(info);
  entry.attributes_unread = !options.attributes;
  if (!options.attributes) return entry;
  FoundAttributes found = find_attributes(directory, name);
  entry.attributes = std::move(found.user);
  entry.has_more = found.has_more;
  return entry;
}

bool is_other(const MountedOn& one, const MountedOn& other) {
  return one.device != other.device || !(one == other);
}

class Scanner {
 public:
  Scanner(int root, const ScanOptions& options, const ScanSink& sink)
      : options_(options), sink_(sink), directories_(root) {}

  Result<void> run();

 private:
  struct Child {
    Entry entry;
    bool descend = false;
  };

  // A directory that was read, and how much of it has been told.
  struct Level {
    std::vector<Child> children;
    Scope::Ptr scope;
    std::size_t next = 0;
  };

  Result<Level> read(const std::string& directory, Scope::Ptr scope);
  Result<void> descend(const std::string& directory, std::vector<Level>& levels);
  Result<void> tell_root_mount();
  bool is_mount_point(int fd, const std::string& name, const struct stat& info) const;
  void tell_ignore_file(int fd, const std::string& directory);
  void look(int fd, const std::string& directory, const std::string& name, const Scope* scope);
  bool excluded(const std::string& path, bool is_directory, const Scope* scope);
  Scope::Ptr enter(int fd, const std::string& directory, Scope::Ptr above);
  void skip(std::string path, SkipReason reason, std::string detail, bool is_directory) {
    sink_.on_skip({std::move(path), reason, std::move(detail), is_directory});
  }

  const ScanOptions& options_;
  const ScanSink& sink_;
  Directories directories_;
  const RuleSet no_rules_;
  Twins twins_;
  std::vector<Child> children_;          // of the directory that is being read
  std::optional<MountedOn> mounted_on_;  // what this directory is on
};

bool Scanner::excluded(const std::string& path, bool is_directory, const Scope* scope) {
  const RuleSet& rules = options_.rules != nullptr ? *options_.rules : no_rules_;
  const Verdict verdict = rules.judge(path, is_directory, scope);
  if (!verdict.excluded) return false;
  skip(path, SkipReason::Excluded, RuleSet::describe(*verdict.rule), is_directory);
  return true;
}

// A file of rules that cannot be understood is an honest reason to leave nothing out by it.
Scope::Ptr Scanner::enter(int fd, const std::string& directory, Scope::Ptr above) {
  const std::string path = directory.empty() ? ".gitignore" : concat(directory, "/.gitignore");
  const auto content = read_ignore_file(fd);
  if (!content) {
    skip(path, SkipReason::BadRules, content.error().message, false);
    return above;
  }
  sink_.on_ignore_file(directory, *content);
  auto scope = Scope::open(above, directory, *content, path);
  if (scope) return *std::move(scope);
  skip(path, SkipReason::BadRules, scope.error().message, false);
  return above;
}

void Scanner::tell_ignore_file(int fd, const std::string& directory) {
  constexpr const char* kEverything = "*\n";
  const auto content = read_ignore_file(fd);
  sink_.on_ignore_file(directory, content ? *content : kEverything);
}

Result<void> Scanner::tell_root_mount() {
  TRY_ASSIGN(const int fd, directories_.open(""));
  const auto root = mounted_on(fd);
  const auto above = mounted_on(fd, "..");
  if (root && above && is_other(*root, *above)) sink_.on_mount("");
  return {};
}

// A directory that is mounted a second time has the device of its file system, which may be that of
// the directory above, too.
bool Scanner::is_mount_point(int fd, const std::string& name, const struct stat& info) const {
  if (!mounted_on_) return false;
  if (mounted_on_->device != info.st_dev) return true;
  const auto own = mounted_on(fd, name);
  return own && is_other(*own, *mounted_on_);
}

void Scanner::look(int fd, const std::string& directory, const std::string& name,
                   const Scope* scope) {
  std::string path = directory.empty() ? name : concat(directory, "/", name);
  const bool temporary = name.starts_with(kTemporaryPrefix);
  const bool trash = is_trash_name(name);
  if ((temporary || trash) && options_.to_copy) {
    skip(path, SkipReason::Excluded, temporary ? kOwnTemporary : kOwnTrash, trash);
  }
  if (temporary) return sink_.on_temporary(std::move(path));
  if (trash) return;
  struct stat info {};
  if (::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return;  // it has just vanished
    return skip(std::move(path), SkipReason::Unreadable, errno_error("looking at it").message,
                true);
  }
  const Type type = type_of(info);
  if (excluded(path, type == Type::Directory, scope)) return;
  if (type == Type::Special) {
    return skip(std::move(path), SkipReason::Special, std::string(kind_of(info.st_mode)), false);
  }
  auto entry = make_entry(fd, path, info, options_, sink_.stopped);
  if (!entry) {
    // Who has stopped it is asked again before anything else is done.
    if (entry.error().code == Errc::NotFound || entry.error().code == Errc::Cancelled) return;
    return skip(std::move(path), SkipReason::Unreadable, entry.error().message, false);
  }
  if (options_.to_copy && type == Type::File && !may_read(fd, name, info)) {
    skip(path, SkipReason::UnreadableContents, "Permission denied", false);
  }
  if (options_.twins && type == Type::File && info.st_nlink > 1) {
    entry->twins = twins_.number_of(info);
  }
  if (type == Type::Directory && is_mount_point(fd, name, info)) {
    sink_.on_mount(std::string(entry->path));
  }
  children_.push_back({*std::move(entry), type == Type::Directory});
}

Result<Scanner::Level> Scanner::read(const std::string& directory, Scope::Ptr scope) {
  TRY_ASSIGN(const int fd, directories_.open(directory));
  TRY_ASSIGN(std::vector<std::string> names, names_in(fd));
  std::sort(names.begin(), names.end());
  const bool has_rules = std::binary_search(names.begin(), names.end(), ".gitignore");
  if (has_rules && options_.use_gitignore) {
    scope = enter(fd, directory, std::move(scope));
  } else if (has_rules && options_.tell_gitignore) {
    tell_ignore_file(fd, directory);
  }
  mounted_on_ = mounted_on(fd);
  children_.clear();
  children_.reserve(names.size());
  for (const std::string& name : names) {
    if (sink_.stopped()) return Error{Errc::Cancelled, "cancelled", ""};
    look(fd, directory, name, scope.get());
  }
  if (sink_.stopped()) return Error{Errc::Cancelled, "cancelled", ""};
  return Level{.children = std::exchange(children_, {}), .scope = std::move(scope)};
}

// Adds the level of a directory below the last one, or tells why it is left out. Fails when the
// scan was stopped.
Result<void> Scanner::descend(const std::string& directory, std::vector<Level>& levels) {
  auto below = levels.size() > kDeepest
                   ? Result<Level>(Error{Errc::Unsupported, "it lies too deep", ""})
                   : read(directory, levels.back().scope);
  if (below) {
    levels.push_back(*std::move(below));
    return {};
  }
  if (below.error().code == Errc::Cancelled) return below.error();
  if (below.error().code == Errc::NotFound) return {};
  skip(directory, SkipReason::Unreadable, below.error().message, true);
  return {};
}

// Not by recursion: how deep a tree may be does not depend on the size of a stack.
Result<void> Scanner::run() {
  TRY(tell_root_mount());
  std::vector<Level> levels;
  TRY_ASSIGN(Level top, read({}, nullptr));
  levels.push_back(std::move(top));
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.children.size()) {
      levels.pop_back();
      continue;
    }
    Child& child = level.children[level.next++];
    const std::string path = child.descend ? child.entry.path : std::string();
    sink_.on_entry(std::move(child.entry));
    if (!path.empty()) TRY(descend(path, levels));
  }
  return {};
}

}  // namespace

Result<void> scan(int root, const ScanOptions& options, const ScanSink& sink) {
  return Scanner(root, options, sink).run();
}

Result<Entry> list_one(int root, std::string_view path, const ScanOptions& options,
                       const std::function<bool()>& stopped) {
  TRY(check_relative(path));
  Directories directories(root);
  TRY_ASSIGN(const int fd, directories.open(split_path(path).parent));
  struct stat info {};
  const std::string name(split_path(path).name);
  if (::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return errno_error(name);
  if (type_of(info) == Type::Special) {
    return Error{Errc::Unsupported, concat(name, " is ", kind_of(info.st_mode)), ""};
  }
  if (options.to_copy && type_of(info) == Type::File && !may_read(fd, name, info)) {
    return errno_error(name, EACCES);
  }
  return make_entry(fd, std::string(path), info, options, stopped);
}

Entry* Listing::find(std::string_view path) {
  return const_cast<Entry*>(std::as_const(*this).find(path));
}

const Entry* Listing::find(std::string_view path) const {
  const auto place =
      std::lower_bound(entries.begin(), entries.end(), path,
                       [](const Entry& e, std::string_view p) { return comes_before(e.path, p); });
  return place != entries.end() && place->path == path ? &*place : nullptr;
}

}  // namespace yonder::tree
