#include "lab/ways.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/text.h"

namespace yonder::lab {
namespace {

// One line of uid_map: so many ids from `inside` on are those from `outside` on in the parent.
struct Ids {
  unsigned long inside = 0;
  unsigned long outside = 0;
  unsigned long count = 0;
};

std::vector<Ids> ids_in(const char* map) {
  std::vector<Ids> all;
  std::ifstream file(map);
  for (Ids ids; file >> ids.inside >> ids.outside >> ids.count;) all.push_back(ids);
  return all;
}

std::string same_ids(const char* map) {
  std::string text;
  for (const Ids& ids : ids_in(map)) {
    text += concat(ids.inside, " ", ids.inside, " ", ids.count, "\n");
  }
  return text;
}

struct Maps {
  std::string uids;
  std::string gids;
  bool deny_setgroups = false;  // what the kernel asks of those who may not set theirs
};

Maps maps_for(Way way) {
  if (way == Way::RootInNamespace) {
    return {.uids = same_ids("/proc/self/uid_map"), .gids = same_ids("/proc/self/gid_map")};
  }
  return {.uids = concat(kOnlyUid, " ", ::geteuid(), " 1\n"),
          .gids = concat(kOnlyUid, " ", ::getegid(), " 1\n"),
          .deny_setgroups = true};
}

bool write_to(const std::string& path, const std::string& text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool write_maps(pid_t pid, const Maps& maps) {
  const std::string process = concat("/proc/", pid, "/");
  if (maps.deny_setgroups && !write_to(process + "setgroups", "deny")) return false;
  return write_to(process + "uid_map", maps.uids) && write_to(process + "gid_map", maps.gids);
}

bool ended_well(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

bool works(Way way) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(enter_user_namespace(way) && enter_private_mounts() ? 0 : 1);
  }
  return child > 0 && ended_well(child);
}

}  // namespace

bool may_be_other_users() {
  if (::geteuid() != 0) return false;
  const auto all = ids_in("/proc/self/uid_map");
  return std::any_of(all.begin(), all.end(), [](const Ids& ids) {
    return ids.inside <= kOnlyUid && ids.inside + ids.count > 60000;
  });
}

Way choose_way() {
  const char* named = std::getenv("YONDER_LAB_WAY");
  const std::string wanted = named == nullptr ? "" : named;
  const auto try_way = [&](Way way, const char* name) {
    return (wanted.empty() || wanted == name) && works(way);
  };
  if (may_be_other_users()) {
    if (try_way(Way::Root, "root")) return Way::Root;
    if (try_way(Way::RootInNamespace, "root-in-namespace")) return Way::RootInNamespace;
  }
  return try_way(Way::OneUser, "one-user") ? Way::OneUser : Way::None;
}

Result<void> enter_user_namespace(Way way) {
  if (way == Way::Root) return {};
  // The maps are written from outside, where this user's rights count.
  TRY_ASSIGN(Pipe ready, make_pipe());
  const Maps maps = maps_for(way);
  const pid_t self = ::getpid();
  const pid_t writer = ::fork();
  if (writer < 0) return errno_error("fork");
  if (writer == 0) {
    ready.write.reset();
    char byte = 0;
    const auto n = read_some(ready.read, &byte, 1);
    ::_exit(n && *n == 1 && write_maps(self, maps) ? 0 : 1);
  }
  if (::unshare(CLONE_NEWUSER) != 0) {
    Error refused = errno_error("unshare the users");
    ready.write.reset();
    ended_well(writer);
    return refused;
  }
  TRY(write_all(ready.write, "!"));
  if (!ended_well(writer)) return Error{Errc::Unsupported, "the users cannot be mapped", ""};
  return {};
}

Result<void> enter_private_mounts() {
  if (::unshare(CLONE_NEWNS) != 0) return errno_error("unshare the mounts");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) != 0) {
    return errno_error("make the mounts private");
  }
  return {};
}

}  // namespace yonder::lab
