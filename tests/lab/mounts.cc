#include "lab/mounts.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/text.h"

namespace yonder::lab {
namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string upper;
  std::string work;
  std::string options(const std::string& lower) const {
    return concat("lowerdir=", lower, ",upperdir=", upper, ",workdir=", work);
  }
};

Result<Layer> make_layer(const std::string& scratch) {
  Layer layer{.upper = scratch + "/upper", .work = scratch + "/work"};
  TRY(make_directories(layer.upper));
  TRY(make_directories(layer.work));
  // The upper directory lends its mode to the directory that everybody sees.
  if (::chmod(layer.upper.c_str(), 0755) != 0) return errno_error("chmod " + layer.upper);
  return layer;
}

Result<void> mount_layer(const Layer& layer, const std::string& path) {
  if (::mount("overlay", path.c_str(), "overlay", 0, layer.options(path).c_str()) != 0) {
    return errno_error("overlay on " + path);
  }
  return {};
}

// Makes `to` the same thing as `from`: a link is copied, all else is bound.
Result<void> mirror(const fs::directory_entry& from, const std::string& to) {
  std::error_code error;
  if (from.is_symlink(error)) {
    fs::copy_symlink(from.path(), to, error);
    return {};
  }
  if (from.is_directory(error)) {
    TRY(make_directory(to));
  } else {
    TRY_ASSIGN(const Fd placeholder, open_file(to, O_WRONLY | O_CREAT));
  }
  return bind_over(from.path(), to);
}

std::set<std::string> program_directories() {
  std::set<std::string> found;
  for (const char* path : {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin",
                           "/bin", "/usr/games", "/snap/bin"}) {
    std::error_code error;
    const auto real = fs::canonical(path, error);  // /bin is usr/bin on most systems
    if (!error) found.insert(real);
  }
  return found;
}

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

std::vector<std::string> matching_names(const std::string& directory,
                                        const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (matches_any(name, patterns)) names.push_back(name);
  }
  return names;
}

// A new file system on `path`, and a descriptor of the directory that it hides.
Result<Fd> cover(const std::string& path, const std::string& options) {
  TRY_ASSIGN(Fd hidden, open_file(path, O_PATH | O_DIRECTORY));
  TRY_ASSIGN(Mount mount, mount_tmpfs(path, options));
  std::move(mount).keep();
  return hidden;
}

fs::path through(const Fd& directory) {
  return concat("/proc/self/fd/", directory.get());
}

Result<void> copy_run(const std::vector<std::string>& without) {
  TRY_ASSIGN(const Fd real_run, cover("/run", "mode=755"));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(through(real_run), error)) {
    const std::string name = entry.path().filename();
    if (!matches_any(name, without)) TRY(mirror(entry, "/run/" + name));
  }
  if (fs::is_directory("/run/sshd", error)) return {};
  TRY(make_directory("/run/sshd"));
  if (::chmod("/run/sshd", 0755) != 0) return errno_error("chmod /run/sshd");
  return {};
}

// The first name below `parent` on the way to `path`; empty where it is elsewhere.
std::string first_below(const std::string& parent, const fs::path& path) {
  const fs::path rest = path.lexically_relative(parent);
  return rest.empty() || *rest.begin() == ".." || rest == "." ? "" : rest.begin()->native();
}

// A directory like /tmp, empty but for what leads to `kept`.
Result<void> empty_place(const std::string& place, const std::vector<fs::path>& kept) {
  std::error_code error;
  const std::string real = fs::canonical(place, error);
  if (error) return {};
  std::set<std::string> names;
  for (const auto& path : kept) names.insert(first_below(real, path));
  names.erase("");
  TRY_ASSIGN(const Fd hidden, cover(real, "mode=1777"));
  for (const auto& name : names) {
    TRY(mirror(fs::directory_entry(through(hidden) / name), concat(real, "/", name)));
  }
  return {};
}

}  // namespace

Result<void> bind_over(const std::string& from, const std::string& to) {
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return errno_error(concat("mount --bind ", from, " ", to));
  }
  return {};
}

Result<void> hide_shared_places(const std::string& lab_directory) {
  std::error_code error;
  const std::vector<fs::path> kept{
      fs::canonical(lab_directory, error), fs::canonical("/proc/self/exe", error),
      fs::canonical("/tmp/yonder-sanitizer-reports", error), fs::current_path(error)};
  for (const char* place : {"/tmp", "/var/tmp", "/dev/shm"}) TRY(empty_place(place, kept));
  // The way here led through the directory that is hidden now.
  if (::chdir(kept.back().c_str()) != 0) return errno_error("chdir " + kept.back().native());
  return {};
}

Mount::~Mount() {
  if (!path_.empty()) ::umount2(path_.c_str(), MNT_DETACH);
}

Result<Mount> mount_tmpfs(const std::string& path, const std::string& options) {
  unsigned long flags = MS_NOSUID | MS_NODEV;
  std::vector<std::string> rest;
  for (const auto& option : split(options, ',')) {
    if (option == "ro") {
      flags |= MS_RDONLY;
    } else if (option == "noexec") {
      flags |= MS_NOEXEC;
    } else {
      rest.push_back(option);
    }
  }
  if (::mount("tmpfs", path.c_str(), "tmpfs", flags, join(rest, ",").c_str()) != 0) {
    return errno_error("tmpfs on " + path);
  }
  return Mount(path);
}

Result<void> enter_mounts_of_a_server() {
  if (::unshare(CLONE_NEWNS) != 0) return errno_error("unshare the mounts");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return errno_error("make the mounts a server's");
  }
  return {};
}

Result<void> overlay(const std::string& path, const std::string& scratch) {
  TRY_ASSIGN(const Layer layer, make_layer(scratch));
  return mount_layer(layer, path);
}

Result<void> provide_run_sshd() {
  if (fs::is_directory("/run/sshd")) return {};
  return copy_run({});
}

Result<void> replace_run() {
  return copy_run({"user"});
}

Result<void> hide_programs(const std::vector<std::string>& patterns, const std::string& scratch) {
  int number = 0;
  for (const auto& directory : program_directories()) {
    const auto names = matching_names(directory, patterns);
    if (names.empty()) continue;
    TRY_ASSIGN(const Layer layer, make_layer(concat(scratch, "/", number++)));
    for (const auto& name : names) {
      // A character device 0:0 in the upper layer is how an overlay says "deleted".
      const std::string whiteout = concat(layer.upper, "/", name);
      if (::mknod(whiteout.c_str(), S_IFCHR, makedev(0, 0)) != 0) {
        return errno_error("mknod " + whiteout);
      }
    }
    TRY(mount_layer(layer, directory));
  }
  return {};
}

}  // namespace yonder::lab
