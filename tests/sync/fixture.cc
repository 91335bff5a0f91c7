#include "sync/fixture.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "app/embedded_outposts.h"
#include "base/fd.h"
#include "base/text.h"
#include "tree/hash.h"
#include "tree/scan.h"

namespace yonder::sync {

namespace fs = std::filesystem;

SyncTest::SyncTest() {
  ::signal(SIGPIPE, SIG_IGN);
  make_places();
  hang_up();
}

SyncTest::~SyncTest() {
  links_.reset();
  if (base_ == scratch_.path()) return;
  // An outpost tidies its trash when nobody waits any more, perhaps right now.
  EXPECT_TRUE(testing::eventually([&] {
    std::error_code busy;
    fs::remove_all(base_, busy);
    return !busy;
  }));
}

void SyncTest::make_places() const {
  for (const char* name : {"here", "there", "home", "state"}) {
    fs::create_directory(concat(base_, "/", name));
  }
}

void SyncTest::use_memory() {
  std::string path = "/dev/shm/yonder-test-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return;  // where there is none, a disk will do
  base_ = path;
  make_places();
  hang_up();
}

std::string SyncTest::as_nobody(const std::function<std::string()>& body) {
  constexpr uid_t kNobody = 65534;
  links_.reset();
  fs::remove_all(base_ + "/home/.cache");  // it is to be its own
  for (const char* name : {"", "here", "there", "home", "state"}) {
    if (::geteuid() != 0) break;
    EXPECT_EQ(::chown(concat(base_, "/", name).c_str(), kNobody, kNobody), 0);
  }
  auto pipe = make_pipe();
  EXPECT_TRUE(pipe);
  const pid_t child = ::fork();
  if (child == 0) {
    std::string problem = "setuid";
    if (::geteuid() != 0 || (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0)) {
      hang_up();
      problem = body();
      links_.reset();
    }
    if (HasFailure()) problem += "; an expectation failed";
    (void)write_all(pipe->write, problem);
    ::_exit(0);
  }
  pipe->write.reset();
  std::string problem;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(pipe->read.get(), buffer.data(), buffer.size())) > 0;) {
    problem.append(buffer.data(), static_cast<std::size_t>(n));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  hang_up();
  return status == 0 ? problem : problem + "the process ended badly";
}

void SyncTest::hang_up() {
  links_ = std::make_unique<link::LinkPool>(
      [this](const SandboxSpec&) { return Result<link::CommandPrefix>(next_prefix()); }, nullptr,
      app::embedded_outposts(), link::LinkSettings{});
}

link::CommandPrefix SyncTest::next_prefix() {
  const std::string way = ways_.with([this](std::vector<std::string>& ways) {
    install();
    if (ways.empty()) return std::string();
    std::string first = ways.front();
    if (ways.size() > 1) ways.erase(ways.begin());
    return first;
  });
  std::vector<std::string> argv{"sh"};
  if (!way.empty()) argv = {"sh", "-c", way};
  const char* path = std::getenv("PATH");
  return {.argv = argv, .environment = {concat("HOME=", base_, "/home"), concat("PATH=", path)}};
}

// By hand, and always: what an earlier run, or another user, has left in the directories for all
// users would be taken otherwise.
void SyncTest::install() const {
  const std::string place = concat(base_, "/home/.cache/yonder");
  struct utsname machine {};
  ASSERT_EQ(::uname(&machine), 0);
  for (const auto& image : app::embedded_outposts()) {
    const std::string program = concat(place, "/outpost-", image.hash);
    if (image.machine != static_cast<const char*>(machine.machine) || fs::exists(program)) continue;
    fs::create_directories(place);
    fs::permissions(place, fs::perms::owner_all);
    write(program + ".new", std::string(image.raw), 0700);
    fs::rename(program + ".new", program);
  }
}

void SyncTest::deploy() {
  hang_up();
  SyncRequest look = pull_request();
  look.dry_run = true;
  const auto report = run(look);
  ASSERT_TRUE(report) << report.error().message;
}

void SyncTest::set_ways(std::vector<std::string> scripts) {
  ways_.with([&](std::vector<std::string>& ways) { ways = std::move(scripts); });
  hang_up();
}

std::vector<std::string> SyncTest::ways() const {
  return ways_.with([](const std::vector<std::string>& ways) { return ways; });
}

std::string SyncTest::cutter(std::size_t bytes) {
  return concat("perl -e '$n = ", bytes, "; while ($n > 0 && ($r = sysread(STDIN, $b, ",
                "$n < 65536 ? $n : 65536))) { syswrite(STDOUT, $b); $n -= $r }'");
}
std::string SyncTest::cut_to(std::size_t bytes) {
  return cutter(bytes) + " | sh";
}
std::string SyncTest::cut_from(std::size_t bytes) {
  return "sh | " + cutter(bytes);
}
std::string SyncTest::when_all_have_left() const {
  return concat("while ls -l /proc/[0-9]*/fd 2>/dev/null | grep -qF '", there(),
                "/'; do sleep 0.02; done; ");
}

void SyncTest::slow_link() {
  set_ways(
      {"perl -e 'while (sysread(STDIN, $b, 65536)) { select(undef, undef, undef, 0.004); "
       "syswrite(STDOUT, $b) }' | sh"});
}

std::string SyncTest::here(const std::string& name) const {
  return concat(base_, "/here", name.empty() ? "" : "/", name);
}

std::string SyncTest::there(const std::string& name) const {
  return concat(base_, "/there", name.empty() ? "" : "/", name);
}

void SyncTest::write(const std::string& path, const std::string& content, mode_t mode) const {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  ::chmod(path.c_str(), mode);
}

std::string SyncTest::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // An iterator over the stream would cost a call for each byte, of which there are millions.
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

SyncRequest SyncTest::push_request() const {
  return {.direction = Direction::Push, .local_path = here(), .remote_path = there()};
}

SyncRequest SyncTest::pull_request() const {
  return {.direction = Direction::Pull, .local_path = here(), .remote_path = there()};
}

Result<SyncReport> SyncTest::run(const SyncRequest& request, const SyncHooks& hooks) {
  SandboxSpec spec;
  spec.name = "far";
  spec.backend = Backend::Local;
  return run_sync({.links = *links_,
                   .spec = spec,
                   .home = concat(base_, "/home"),
                   .directory = base_,
                   .state_dir = concat(base_, "/state"),
                   .judge = judge_,
                   .own_places = {},
                   .most_links = most_links_},
                  request, hooks);
}

SyncReport SyncTest::push(const SyncOptions& options) {
  SyncRequest request = push_request();
  request.options = options;
  auto report = run(request);
  EXPECT_TRUE(report) << report.error().message;
  return report ? *std::move(report) : SyncReport{};
}

SyncReport SyncTest::pull(const SyncOptions& options) {
  SyncRequest request = pull_request();
  request.options = options;
  auto report = run(request);
  EXPECT_TRUE(report) << report.error().message;
  return report ? *std::move(report) : SyncReport{};
}

std::string SyncTest::difference() const {
  const auto one = picture(here());
  const auto other = picture(there());
  const auto text = [](const auto& all, const std::string& path) {
    const auto found = all.find(path);
    return found == all.end() ? std::string("nothing") : found->second;
  };
  for (const auto* all : {&one, &other}) {
    for (const auto& [path, state] : *all) {
      if (text(one, path) == text(other, path)) continue;
      return concat(path, ": ", text(one, path), " here, ", text(other, path), " there");
    }
  }
  return "";
}

std::string SyncTest::noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size + 8, '\0');
  for (std::size_t at = 0; at < size; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
  bytes.resize(size);
  return bytes;
}

std::vector<std::string> SyncTest::temporaries(const std::string& root) {
  std::vector<std::string> found;
  for (const auto& item : fs::recursive_directory_iterator(root)) {
    if (item.path().filename().string().starts_with(tree::kTemporaryPrefix)) {
      found.push_back(item.path().lexically_relative(root).string());
    }
  }
  return found;
}

bool SyncTest::somebody_works_in(const std::string& directory) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    const std::string name = process.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (name == std::to_string(::getpid())) continue;
    std::error_code gone;
    for (const auto& fd : fs::directory_iterator(process.path() / "fd", gone)) {
      const auto target = fs::read_symlink(fd.path(), gone);
      if (!gone && target.string().starts_with(directory)) return true;
    }
  }
  return false;
}

std::map<std::string, std::string> SyncTest::picture(const std::string& root) {
  std::map<std::string, std::string> all;
  for (const auto& item : fs::recursive_directory_iterator(root)) {
    const std::string path = item.path().lexically_relative(root).string();
    if (path.starts_with(".yonder-trash")) continue;
    struct stat info {};
    EXPECT_EQ(::lstat(item.path().c_str(), &info), 0);
    std::string text = concat(static_cast<unsigned>(info.st_mode), " ");
    if (S_ISLNK(info.st_mode)) {
      text += fs::read_symlink(item.path()).string();
    } else {
      text += concat(std::int64_t{info.st_mtim.tv_sec}, ".", std::int64_t{info.st_mtim.tv_nsec});
    }
    if (S_ISREG(info.st_mode)) {
      text += " " + tree::to_hex(tree::hash_of_bytes(read(item.path().string())));
    }
    all[path] = text;
  }
  return all;
}

}  // namespace yonder::sync
