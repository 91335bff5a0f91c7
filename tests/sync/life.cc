#include "sync/life.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;

std::string shown(const Sight& sight) {
  return concat(std::string(1, sight.type), " ", sight.mode, " '", sight.text.substr(0, 12), "'");
}

std::set<std::string> left_of(const SyncReport& report) {
  std::set<std::string> paths;
  for (const auto& left : report.plan.left) paths.insert(left.path);
  return paths;
}

bool takes_source(const Witnessed& sync) {
  return sync.choice == (sync.push ? ConflictChoice::KeepLocal : ConflictChoice::KeepRemote);
}

const Sight* find(const Sights& all, const std::string& path) {
  const auto found = all.find(path);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace

Sights look_at(const std::string& root) {
  Sights all;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator();
       ++it) {
    const std::string path = it->path().lexically_relative(root).string();
    if (path.starts_with(".yonder-trash")) {
      it.disable_recursion_pending();
      continue;
    }
    struct stat info {};
    if (::lstat(it->path().c_str(), &info) != 0) continue;
    Sight sight{.mode = info.st_mode & 07777U};
    if (S_ISLNK(info.st_mode)) {
      sight = {'l', 0777, fs::read_symlink(it->path()).string()};
    } else if (S_ISDIR(info.st_mode)) {
      sight.type = 'd';
    } else {
      std::ostringstream text;
      text << std::ifstream(it->path(), std::ios::binary).rdbuf();
      sight.text = text.str();
    }
    all[path] = sight;
  }
  return all;
}

const Witness::Agreed* Witness::agreed(bool push, const std::string& path) const {
  const auto& all = agreed_.at(push ? 1 : 0);
  const auto found = all.find(path);
  return found == all.end() ? nullptr : &found->second;
}

// Something of the target is not there any more as it was.
std::string Witness::judge_lost(const Witnessed& sync, const std::string& path, const Sight& was) {
  if (was.type == 'd') return "";  // directories that were removed are counted
  ++replaced;
  const auto& copies = sync.report.conflict_copies;
  const auto copy = std::find_if(copies.begin(), copies.end(),
                                 [&](const ConflictCopy& one) { return one.path == path; });
  if (copy != copies.end()) {
    const Sight* aside = find(sync.after, copy->copy);
    return aside != nullptr && *aside == was ? "" : "the conflict copy is not what was there";
  }
  if (!sync.trash.contains({fs::path(path).filename().string(), was})) {
    return "it is in no batch of the trash";
  }
  // What the source does not have goes with delete_extras, also if no sync has known it.
  const bool unknown = agreed(sync.push, path) == nullptr;
  if (unknown && find(sync.source, path) == nullptr && sync.report.files_removed > 0) return "";
  if (takes_source(sync) || ever_.contains({path, was.type + was.text})) return "";
  return "somebody's change was overwritten without a conflict";
}

std::string Witness::judge_mode(const Witnessed& sync, const std::string& path, const Sight& was) {
  const Sight* source = find(sync.source, path);
  const Sight* now = find(sync.after, path);
  if (source == nullptr || now == nullptr || source->type != was.type || now->type != was.type ||
      was.type == 'l') {
    return "";
  }
  const Agreed* then = agreed(sync.push, path);
  const bool known = then != nullptr && then->mode_too && then->sight.type == was.type;
  const bool aside =
      std::any_of(sync.report.conflict_copies.begin(), sync.report.conflict_copies.end(),
                  [&](const ConflictCopy& one) { return one.path == path; });
  if (now->mode != was.mode) {
    ++modes;
    if (now->mode != source->mode) return "it has a mode of neither end";
    const bool told = sync.report.attributes_set + sync.report.files_sent > 0;
    if (!told) return "its mode was changed, and nothing says so";
    if (takes_source(sync) || aside) return "";
    if (known && was.mode != then->sight.mode) return "a chmod in the target was overwritten";
    if (was.type == 'd' && !known && !ever_.contains({path, "d"})) {
      return "a directory that no sync has known got another mode";
    }
    return "";
  }
  const bool left = left_of(sync.report).contains(path);
  const bool news = known && was.mode == then->sight.mode && source->mode != was.mode;
  if (news && !left) return "a chmod in the source did not arrive";
  return "";
}

std::string Witness::judge_conflict(const Witnessed& sync, const std::string& path) const {
  const Sight* source = find(sync.source, path);
  const Sight* target = find(sync.before, path);
  if (source == nullptr || target == nullptr) return "";
  if (!source->same_contents(*target) || source->mode != target->mode) return "";
  return "what is the same is called a conflict";
}

std::string Witness::judge_arrived(const Witnessed& sync, const std::string& path) const {
  const Sight& source = sync.source.at(path);
  const Sight* now = find(sync.after, path);
  return now != nullptr && now->same_contents(source) ? "" : "it did not arrive";
}

std::string Witness::judge(const Witnessed& sync) {
  const auto at = [](const std::string& path, const std::string& problem) {
    return problem.empty() ? "" : concat(path, ": ", problem);
  };
  std::string found;
  const auto note = [&](const std::string& path, const std::string& problem) {
    if (found.empty()) found = at(path, problem);
  };
  const auto left = left_of(sync.report);
  for (const auto& [path, was] : sync.before) {
    const Sight* now = find(sync.after, path);
    if (now == nullptr || !now->same_contents(was)) note(path, judge_lost(sync, path, was));
    note(path, judge_mode(sync, path, was));
  }
  for (const auto& one : sync.report.plan.left) {
    if (one.why != Left::Conflict) continue;
    ++conflicts;
    note(one.path, judge_conflict(sync, one.path));
  }
  for (const auto& [path, source] : sync.source) {
    if (!left.contains(path)) note(path, judge_arrived(sync, path));
  }
  if (found.empty()) return "";
  const std::string path = found.substr(0, found.find(": "));
  for (const auto& [name, all] :
       {std::pair("source", &sync.source), std::pair("before", &sync.before),
        std::pair("after", &sync.after)}) {
    const Sight* one = find(*all, path);
    found += concat("; ", name, " ", one == nullptr ? "nothing" : shown(*one));
  }
  const Agreed* then = agreed(sync.push, path);
  if (then != nullptr) found += concat("; agreed ", then->mode_too, " ", shown(then->sight));
  return found;
}

void Witness::learn_of(bool push, const Witnessed& sync, const Sights& end) {
  auto& all = agreed_.at(push ? 1 : 0);
  std::erase_if(all, [&](const auto& one) { return !end.contains(one.first); });
  const auto left = left_of(sync.report);
  for (const auto& [path, sight] : end) {
    const Sight* source = find(sync.source, path);
    const Sight* target = find(sync.after, path);
    if (source == nullptr || target == nullptr || left.contains(path)) continue;
    if (!source->same_contents(*target)) continue;
    const bool same_mode = source->mode == target->mode;
    Agreed& one = all[path];
    const bool carried = one.mode_too && one.sight.type == sight.type;
    const mode_t mode = same_mode ? sight.mode : one.sight.mode;
    one = {{sight.type, mode, sight.text}, same_mode || carried};
    if (sight.type != 'd' || same_mode) ever_.insert({path, sight.type + sight.text});
  }
}

void Witness::learn(const Witnessed& sync) {
  learn_of(sync.push, sync, sync.after);
  learn_of(!sync.push, sync, sync.source);
}

}  // namespace yonder::sync
