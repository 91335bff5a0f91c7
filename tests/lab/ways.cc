#include "lab/ways.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
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

// How kernels, seccomp rules and security modules say no; ENOSPC: by a limit of zero namespaces.
Error refusal_or_trouble(const std::string& what) {
  const int number = errno;
  Error error = errno_error(what);
  for (const int refusal : {EPERM, EACCES, ENOSPC, EINVAL, ENOSYS, ENODEV}) {
    if (number == refusal) error.code = Errc::Unsupported;
  }
  return error;
}

Result<void> write_to(const std::string& path, const std::string& text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return refusal_or_trouble("open " + path);
  const auto n = ::write(file.get(), text.data(), text.size());
  if (n != static_cast<ssize_t>(text.size())) return refusal_or_trouble("write " + path);
  return {};
}

Result<void> write_maps(pid_t pid, const Maps& maps) {
  const std::string process = concat("/proc/", pid, "/");
  if (maps.deny_setgroups) TRY(write_to(process + "setgroups", "deny"));
  TRY(write_to(process + "uid_map", maps.uids));
  return write_to(process + "gid_map", maps.gids);
}

// What a child process found out about a right.
constexpr int kGranted = 0;
constexpr int kTrouble = 1;
constexpr int kRefused = 2;

int status_of(const Result<void>& tried) {
  if (tried) return kGranted;
  return tried.error().code == Errc::Unsupported ? kRefused : kTrouble;
}

int status_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return kTrouble;
  return WEXITSTATUS(status);
}

// The mounts of which a lab is made.
Result<void> try_mounts() {
  TRY(enter_private_mounts());
  if (::mount("tmpfs", "/tmp", "tmpfs", 0, "mode=755") != 0) return refusal_or_trouble("mount");
  for (const char* name : {"/tmp/upper", "/tmp/work"}) {
    if (::mkdir(name, 0755) != 0) return errno_error(concat("mkdir ", name));
  }
  const char* layers = "lowerdir=/etc,upperdir=/tmp/upper,workdir=/tmp/work";
  if (::mount("overlay", "/etc", "overlay", 0, layers) != 0) return refusal_or_trouble("overlay");
  return {};
}

// Whether a way is allowed here, or why that could not be found out.
Result<bool> works(Way way) {
  const pid_t child = ::fork();
  if (child < 0) return errno_error("fork");
  if (child == 0) {
    auto tried = enter_user_namespace(way);
    if (tried) tried = try_mounts();
    if (status_of(tried) == kTrouble) std::fprintf(stderr, "%s\n", tried.error().message.c_str());
    ::_exit(status_of(tried));
  }
  const int status = status_of(child);
  if (status == kTrouble) return Error{Errc::Internal, "trying namespaces failed (above)", ""};
  return status == kGranted;
}

}  // namespace

bool may_be_other_users() {
  if (::geteuid() != 0) return false;
  const auto all = ids_in("/proc/self/uid_map");
  return std::any_of(all.begin(), all.end(), [](const Ids& ids) {
    return ids.inside <= kOnlyUid && ids.inside + ids.count > 60000;
  });
}

Result<Way> choose_way() {
  const char* named = std::getenv("YONDER_LAB_WAY");
  const std::string wanted = named == nullptr ? "" : named;
  if (wanted == "none") return Way::None;
  const std::vector<std::pair<Way, std::string>> ways{
      {Way::Root, "root"}, {Way::RootInNamespace, "root-in-namespace"}, {Way::OneUser, "one-user"}};
  for (const auto& [way, name] : ways) {
    if (!wanted.empty() && wanted != name) continue;
    if (way != Way::OneUser && !may_be_other_users()) continue;
    TRY_ASSIGN(const bool allowed, works(way));
    if (allowed) return way;
  }
  if (wanted.empty()) return Way::None;
  return Error{Errc::Unsupported, concat("YONDER_LAB_WAY is ", wanted, ", which is no way here"),
               ""};
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
    ::_exit(n && *n == 1 ? status_of(write_maps(self, maps)) : kTrouble);
  }
  if (::unshare(CLONE_NEWUSER) != 0) {
    Error error = refusal_or_trouble("unshare the users");
    ready.write.reset();
    ::waitpid(writer, nullptr, 0);
    return error;
  }
  TRY(write_all(ready.write, "!"));
  const int mapped = status_of(writer);
  if (mapped == kGranted) return {};
  return Error{mapped == kRefused ? Errc::Unsupported : Errc::Internal,
               "the users cannot be mapped", ""};
}

Result<void> enter_private_mounts() {
  if (::unshare(CLONE_NEWNS) != 0) return refusal_or_trouble("unshare the mounts");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) != 0) {
    return refusal_or_trouble("make the mounts private");
  }
  return {};
}

}  // namespace yonder::lab
