#include "tree/search_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/text.h"
#include "tree/beneath.h"
#include "tree/file_path.h"
#include "tree/scan.h"
#include "tree/search_text.h"
#include "tree/trash.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kBlock = 8UL * 1024 * 1024;
constexpr std::size_t kBeginning = 8000;
constexpr std::size_t kMaxErrors = 50;
constexpr std::size_t kMaxAnswer = 4UL * 1024 * 1024;

class FileSearch {
 public:
  FileSearch(const files::SearchRequest& request, const LineSearch& lines,
             files::SearchReply& reply)
      : request_(request),
        lines_(lines),
        reply_(reply),
        deadline_(Deadline::after(std::chrono::milliseconds(request.time_ms))) {}

  bool over() {
    if (!over_ && deadline_.expired()) stop("time");
    return over_;
  }

  void search(const Fd& file, const std::string& path) {
    std::uint64_t line = 1;
    bool matched = false;
    std::string block;
    std::size_t kept = 0;  // the beginning of a line that goes on in the next block
    for (bool first = true; !over(); first = false) {
      block.resize(kBlock);
      const auto n = read_full(file, block.data() + kept, kBlock - kept);
      if (!n) return note(path, n.error().message);
      block.resize(kept + *n);
      if (first && is_binary(block)) {
        return look_into_binary(block, path);
      }
      const bool last = *n == 0 || block.size() < kBlock;
      const std::size_t newline = last ? std::string::npos : block.find_last_of('\n');
      const std::size_t whole = newline == std::string::npos ? block.size() : newline + 1;
      line +=
          lines_.search(std::string_view(block).substr(0, whole), line, [&](files::Match&& match) {
            match.path = path;
            matched = take(std::move(match)) || matched;
            return !over_;
          });
      block.erase(0, whole);
      kept = block.size();
      if (last) break;
    }
    ++reply_.files_searched;
    if (matched) ++reply_.files_matched;
  }

  void note(const std::string& path, const std::string& reason) {
    if (reply_.errors.size() < kMaxErrors) reply_.errors.push_back({path, reason});
  }

 private:
  // Its lines are not for anybody to read, but that something is there is worth knowing.
  void look_into_binary(std::string_view block, const std::string& path) {
    ++reply_.binaries_skipped;
    if (reply_.binary_matches.size() >= kMaxErrors) return;
    bool matched = false;
    lines_.search(block, 1, [&](files::Match&&) {
      matched = true;
      return false;
    });
    if (matched) reply_.binary_matches.push_back(path);
  }

  static bool is_binary(const std::string& block) {
    return block.substr(0, kBeginning).find('\0') != std::string::npos;
  }

  Result<std::size_t> read_full(const Fd& file, char* buffer, std::size_t size) {
    std::size_t have = 0;
    while (have < size) {
      TRY_ASSIGN(const std::size_t n, read_some(file, buffer + have, size - have));
      if (n == 0) break;
      have += n;
    }
    return have;
  }

  // False: there was no room for it.
  bool take(files::Match match) {
    if (deadline_.expired()) {
      stop("time");
      return false;
    }
    if (reply_.matches.size() >= request_.max_matches) {
      stop("matches");
      return false;
    }
    used_ += match.path.size() + match.text.size() + 100;
    for (const auto& line : match.before) used_ += line.size() + 4;
    for (const auto& line : match.after) used_ += line.size() + 4;
    if (used_ > kMaxAnswer) {
      stop("size");
      return false;
    }
    reply_.matches.push_back(std::move(match));
    return true;
  }

  void stop(const char* why) {
    over_ = true;
    reply_.truncated = true;
    reply_.truncated_by = why;
  }

  const files::SearchRequest& request_;
  const LineSearch& lines_;
  files::SearchReply& reply_;
  Deadline deadline_;
  std::size_t used_ = 0;
  bool over_ = false;
};

Result<RuleSet> make_rules(const files::SearchRequest& request) {
  RuleSet rules;
  add_defaults(rules);
  TRY(rules.add("", ".yonder-trash*/", {"built in", 0}, Level::Defaults));
  int number = 0;
  for (const std::string& line : request.exclude) {
    TRY(rules.add("", line, {"excludes", ++number}));
  }
  return rules;
}

Result<RuleList> make_includes(const files::SearchRequest& request) {
  RuleList list("");
  int number = 0;
  for (const std::string& line : request.include) {
    TRY(list.add(line, {"include", ++number}, Level::Excludes));
  }
  return list;
}

// A file is wanted when a pattern matches it or a directory that it is in.
bool is_wanted(const RuleList& includes, const std::string& path) {
  if (includes.rules().empty() || includes.last_match(path, false) != nullptr) return true;
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    if (includes.last_match(std::string_view(path).substr(0, slash), true) != nullptr) return true;
  }
  return false;
}

Result<void> search_directory(const Fd& root, const files::SearchRequest& request,
                              FileSearch& search, files::SearchReply& reply) {
  TRY_ASSIGN(const RuleSet rules, make_rules(request));
  TRY_ASSIGN(const RuleList includes, make_includes(request));
  Directories directories(root.get());
  ScanSink sink;
  sink.stopped = [&] { return search.over(); };
  sink.on_skip = [&](Skip&& skip) {
    if (skip.reason == SkipReason::Excluded) ++reply.ignored;
    if (skip.reason == SkipReason::Unreadable || skip.reason == SkipReason::BadRules) {
      search.note(skip.path, skip.detail);
    }
  };
  sink.on_entry = [&](Entry&& entry) {
    if (entry.type != Type::File || search.over() || !is_wanted(includes, entry.path)) return;
    const SplitPath parts = split_path(entry.path);
    const auto directory = directories.open(parts.parent);
    if (!directory) return;  // it was moved meanwhile
    const Fd file(::openat(*directory, std::string(parts.name).c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return search.note(entry.path, errno_error("open").message);
    search.search(file, entry.path);
  };
  auto scanned = scan(root.get(), {.rules = &rules, .use_gitignore = request.use_gitignore}, sink);
  if (!scanned && !reply.truncated) return std::move(scanned).error();
  return {};
}

}  // namespace

Result<files::SearchReply> search_files(const files::SearchRequest& request,
                                        const std::string& home) {
  files::SearchReply reply;
  TRY_ASSIGN(const LineSearch lines, LineSearch::create(request));
  TRY_ASSIGN(reply.path, absolute_path(request.path, home));
  struct stat info {};
  if (::stat(reply.path.c_str(), &info) != 0) return path_error("search", reply.path, errno);
  FileSearch search(request, lines, reply);
  if (S_ISDIR(info.st_mode)) {
    TRY_ASSIGN(const Fd root, open_directory(reply.path));
    TRY(search_directory(root, request, search, reply));
  } else {
    TRY_ASSIGN(const Fd file, open_regular(reply.path));
    search.search(file, "");
  }
  return reply;
}

}  // namespace yonder::tree
