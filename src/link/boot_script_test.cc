#include "link/boot_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <thread>

#include "base/scratch_test.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "link/greeting.h"

namespace yonder::link {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kNonce = "abcdefghijklmnopqrst";

// A program that behaves like an outpost, as far as the boot script can tell.
std::string fake_outpost() {
  std::string text = R"(#!/bin/sh
PATH=/usr/bin:/bin
case "$1" in
check) [ "$2" = 0123456789abcdef ] && [ "`tail -n 1 "$0"`" = '# whole' ] && echo "whole $2"; exit;;
serve) printf '\001YONDER-%s ready\n' "$2"; printf '%s' "$0 $3"; exit 0;;
esac
exit 3
)";
  for (int line = 0; line < 2000; ++line) text += concat("# line ", line * 7919 % 10007, "\n");
  return text + "# whole\n";
}

struct Boot {
  bool ready = false;
  bool failed = false;
  std::vector<GreetingReader::Need> needs;
  std::vector<std::string> tried;
  std::string served;  // "program hash"
};

class BootScript : public ::testing::Test {
 protected:
  BootScript() : raw_(fake_outpost()) {
    ::signal(SIGPIPE, SIG_IGN);
    auto packed = run_captured({.argv = {"gzip", "-9nc"}, .environment = {"PATH=/usr/bin:/bin"}},
                               raw_, 1024UL * 1024, testing::patience());
    EXPECT_TRUE(packed);
    gzip_ = packed->out;
    machine_ = std::string(
        trim(run_captured({.argv = {"uname", "-m"}, .environment = {}}, "", 100, Deadline::never())
                 ->out));
    std::filesystem::create_directory(scratch_ / "home");
    std::filesystem::create_directory(scratch_ / "cache");
  }

  std::vector<OutpostImage> images() const {
    return {{.machine = machine_, .hash = "0123456789abcdef", .raw = raw_, .gzip = gzip_}};
  }
  std::string cached() const { return scratch_ / "cache/yonder/outpost-0123456789abcdef"; }
  std::string cached_and_hash() const { return cached() + " 0123456789abcdef"; }

  // What a near side does: sends the script, and the program when it is asked for.
  Boot boot(const std::vector<std::string>& shell = {"sh"}) const {
    Boot boot;
    auto process = Subprocess::spawn({.argv = shell,
                                      .environment = {"PATH=" + path_, "HOME=" + scratch_ / "home",
                                                      "XDG_CACHE_HOME=" + cache_}});
    EXPECT_TRUE(process);
    if (!process || !write_all(process->input(), boot_script(kNonce, images()))) return boot;
    GreetingReader reader(kNonce);
    std::array<char, 4096> buffer{};
    while (true) {
      const auto n = read_some(process->output(), buffer.data(), buffer.size());
      if (!n || *n == 0) break;
      if (boot.ready) {
        boot.served.append(buffer.data(), *n);
        continue;
      }
      reader.feed({buffer.data(), *n});
      while (!boot.ready) {
        const auto event = reader.next();
        if (event.kind == GreetingReader::Kind::Nothing) break;
        boot.ready = event.kind == GreetingReader::Kind::Ready;
        boot.failed = boot.failed || event.kind == GreetingReader::Kind::Failed;
        if (event.kind != GreetingReader::Kind::Need) continue;
        boot.needs.push_back(event.need);
        // A script that gives up does not read it all.
        [[maybe_unused]] const bool sent =
            write_all(process->input(), event.need.gzip ? gzip_ : raw_).has_value();
      }
      if (boot.ready) boot.served = reader.take_rest();
    }
    boot.tried = reader.tried();
    return boot;
  }

  // A PATH with these programs only; where `text` is given, with that script in its place.
  void limit_path_to(const std::vector<std::pair<std::string, std::string>>& programs) {
    for (const auto& [name, text] : programs) {
      if (text.empty()) {
        const std::string real =
            path_exists_in("/bin/" + name) ? "/bin/" + name : "/usr/bin/" + name;
        std::filesystem::create_directory(scratch_ / "bin");
        std::filesystem::create_symlink(real, scratch_ / ("bin/" + name));
      } else {
        scratch_.write("bin/" + name, text, 0755);
      }
    }
    path_ = scratch_ / "bin";
  }
  static bool path_exists_in(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

  testing::Scratch scratch_;
  std::string cache_ = scratch_ / "cache";
  std::string raw_;
  std::string gzip_;
  std::string machine_;
  std::string path_ = "/usr/bin:/bin";
};

const std::vector<std::pair<std::string, std::string>> kBasics{
    {"ls", ""},    {"mkdir", ""}, {"chmod", ""}, {"rm", ""}, {"mv", ""},
    {"uname", ""}, {"id", ""},    {"cat", ""},   {"dd", ""}};

TEST_F(BootScript, DeploysAndThenFindsItWithEveryShell) {
  const std::vector<std::vector<std::string>> shells{{"sh"},
                                                     {"dash"},
                                                     {"bash"},
                                                     {"bash", "--posix"},
                                                     {"busybox", "sh"},
                                                     {"zsh", "--emulate", "sh"},
                                                     {"ksh"},
                                                     {"mksh"},
                                                     {"yash"},
                                                     {"posh"}};
  for (const auto& shell : shells) {
    if (!path_exists_in("/bin/" + shell[0]) && !path_exists_in("/usr/bin/" + shell[0])) continue;
    std::filesystem::remove_all(scratch_ / "cache/yonder");
    const auto first = boot(shell);
    EXPECT_TRUE(first.ready) << shell[0] << ": " << join(first.tried, "; ");
    EXPECT_EQ(first.needs.size(), 1U) << shell[0];
    EXPECT_EQ(first.served, cached_and_hash()) << shell[0];
    EXPECT_EQ(testing::mode_of(cached()), 0700U) << shell[0];
    const auto second = boot(shell);
    EXPECT_TRUE(second.ready) << shell[0];
    EXPECT_THAT(second.needs, IsEmpty()) << shell[0];
    EXPECT_EQ(second.served, cached_and_hash()) << shell[0];
  }
}

TEST_F(BootScript, SaysWhatMachineThisIsAndAsksForTheCompressedProgram) {
  const auto result = boot();
  ASSERT_EQ(result.needs.size(), 1U);
  EXPECT_EQ(result.needs[0].system, "Linux");
  EXPECT_EQ(result.needs[0].machine, machine_);
  EXPECT_TRUE(result.needs[0].gzip);
}

TEST_F(BootScript, ReplacesAProgramThatIsNotWhole) {
  ASSERT_TRUE(boot().ready);
  std::filesystem::resize_file(cached(), raw_.size() / 2);
  const auto again = boot();
  EXPECT_TRUE(again.ready);
  EXPECT_EQ(again.needs.size(), 1U);
  EXPECT_EQ(std::filesystem::file_size(cached()), raw_.size());
  for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "cache/yonder")) {
    EXPECT_EQ(entry.path(), cached()) << "nothing else is left behind";
  }
}

TEST_F(BootScript, RefusesADirectoryThatOthersCanEnter) {
  std::filesystem::create_directory(scratch_ / "cache/yonder");
  ::chmod((scratch_ / "cache/yonder").c_str(), 0755);
  const auto result = boot();
  EXPECT_TRUE(result.ready);
  EXPECT_THAT(result.tried, ElementsAre(scratch_ / "cache/yonder" +
                                        ": not a directory of our own with mode 0700"));
  EXPECT_THAT(result.served, StartsWith(scratch_ / "home/.cache/yonder/outpost-"));
}

TEST_F(BootScript, RefusesASymlinkInPlaceOfTheDirectory) {
  std::filesystem::create_directory(scratch_ / "elsewhere");
  ::chmod((scratch_ / "elsewhere").c_str(), 0700);
  std::filesystem::create_symlink(scratch_ / "elsewhere", scratch_ / "cache/yonder");
  const auto result = boot();
  EXPECT_TRUE(result.ready);
  ASSERT_EQ(result.tried.size(), 1U);
  EXPECT_THAT(result.served, StartsWith(scratch_ / "home/.cache/yonder/outpost-"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "elsewhere"));
}

TEST_F(BootScript, RefusesASymlinkInPlaceOfTheProgram) {
  std::filesystem::create_directory(scratch_ / "cache/yonder");
  ::chmod((scratch_ / "cache/yonder").c_str(), 0700);
  const auto other = scratch_.write("other", raw_, 0700);
  std::filesystem::create_symlink(other, cached());
  const auto result = boot();
  EXPECT_TRUE(result.ready);
  EXPECT_EQ(result.needs.size(), 1U);
  EXPECT_FALSE(std::filesystem::is_symlink(cached()));
}

TEST_F(BootScript, RefusesAFileInPlaceOfTheDirectory) {
  scratch_.write("cache/yonder", "");
  const auto result = boot();
  EXPECT_TRUE(result.ready);
  ASSERT_EQ(result.tried.size(), 1U);
  EXPECT_THAT(result.tried[0], HasSubstr("File exists"));
}

TEST_F(BootScript, WorksInDirectoriesWithOddNames) {
  cache_ = scratch_ / "odd $(name) 'q' *";
  std::filesystem::create_directory(cache_);
  EXPECT_TRUE(boot().ready);
  const auto second = boot();
  EXPECT_THAT(second.needs, IsEmpty());
  EXPECT_THAT(second.served, StartsWith(cache_ + "/yonder/outpost-"));
}

TEST_F(BootScript, TakesTheRawProgramWhereThereIsNoGzip) {
  auto programs = kBasics;
  programs.emplace_back("head", "");
  limit_path_to(programs);
  const auto result = boot({"/bin/sh"});
  EXPECT_TRUE(result.ready) << join(result.tried, "; ");
  ASSERT_EQ(result.needs.size(), 1U);
  EXPECT_FALSE(result.needs[0].gzip);
}

TEST_F(BootScript, CountsWithDdWhereHeadCannotCount) {
  for (const std::string head :
       {"#!/bin/sh\necho 'head: invalid option -- c' >&2\nexit 1\n", "none"}) {
    std::filesystem::remove_all(scratch_ / "bin");
    std::filesystem::remove_all(scratch_ / "cache/yonder");
    auto programs = kBasics;
    programs.emplace_back("gzip", "");
    if (head != "none") programs.emplace_back("head", head);
    limit_path_to(programs);
    const auto result = boot({"/bin/sh"});
    EXPECT_TRUE(result.ready) << join(result.tried, "; ");
    EXPECT_EQ(result.served, cached_and_hash());
  }
}

TEST_F(BootScript, IsSafeWhenTwoDeployAtOnce) {
  for (int round = 0; round < 5; ++round) {
    std::filesystem::remove_all(scratch_ / "cache/yonder");
    Boot first;
    Boot second;
    std::thread other([&] { second = boot({"dash"}); });
    first = boot({"dash"});
    other.join();
    EXPECT_TRUE(first.ready && second.ready);
    EXPECT_EQ(first.served, cached_and_hash());
    EXPECT_EQ(second.served, cached_and_hash());
  }
}

TEST_F(BootScript, AsksForNothingOnAMachineThatHasNoOutpost) {
  machine_ = "pdp11";
  const auto result = boot();
  EXPECT_FALSE(result.ready || result.failed);
  ASSERT_EQ(result.needs.size(), 1U);
  EXPECT_THAT(result.tried, IsEmpty());
}

TEST_F(BootScript, GoesOnToTheNextPlaceWhenOneIsReadOnlyNoexecOrFull) {
  struct Row {
    const char* options;
    unsigned long flags;
    const char* reason;
  };
  for (const Row& row : {Row{"mode=700", MS_RDONLY, "Read-only file system"},
                         Row{"mode=700", MS_NOEXEC, "programs may not be run there"},
                         Row{"mode=700,size=8k", 0, "did not arrive whole"}}) {
    const auto problem = testing::with_private_mounts([&]() -> std::string {
      if (!testing::mount_tmpfs(scratch_ / "cache", row.options, row.flags)) return "mount";
      const auto result = boot();
      if (!result.ready) return "not ready: " + join(result.tried, "; ");
      if (result.tried.size() != 1) return "tried: " + join(result.tried, "; ");
      if (result.tried[0].find(row.reason) == std::string::npos) return result.tried[0];
      return result.served.starts_with(scratch_ / "home/.cache/yonder/") ? "" : result.served;
    });
    EXPECT_EQ(problem, "");
    std::filesystem::remove_all(scratch_ / "home/.cache");
  }
}

TEST_F(BootScript, NamesEveryPlaceThatDidNotWork) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    for (const std::string& path : {scratch_ / "cache", scratch_ / "home", std::string("/var/tmp"),
                                    std::string("/tmp"), std::string("/dev/shm")}) {
      if (!testing::mount_tmpfs(path, "mode=700", MS_RDONLY)) return "mount " + path;
    }
    const auto result = boot();
    if (result.ready || !result.failed) return "it did not fail";
    if (result.tried.size() != 5) return join(result.tried, "; ");
    return "";
  });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace yonder::link
