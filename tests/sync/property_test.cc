// Whatever the trees are, whatever was changed on either side, and however often the link is cut:
// in the end both are the same, and nothing else has changed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

constexpr auto kSpent = std::chrono::seconds(15);

class RandomSync : public SyncTest {
 protected:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  // Names of directories are never names of files: those would be in each other's way.
  std::string name(char kind) {
    static const std::vector<std::string> kOdd{"\n", "'", "\"", "*", " ", "\xff", "\\", "-", "$x"};
    return concat(std::string(1, kind), one_in(5) ? kOdd[below(kOdd.size())] : "", below(12));
  }

  std::string content() {
    if (one_in(8)) return "";
    const std::size_t size = one_in(60)   ? 17UL * 1024 * 1024 + below(100)
                             : one_in(10) ? below(3UL * 1024 * 1024)
                                          : below(5000);
    return one_in(3) ? std::string(size, static_cast<char>('a' + below(26)))
                     : noise(size, random_());
  }

  std::vector<std::string> directories(const std::string& root) {
    std::vector<std::string> found{root};
    for (const auto& item : fs::recursive_directory_iterator(root)) {
      if (item.is_directory() && !item.is_symlink() && !in_trash(item.path(), root)) {
        found.push_back(item.path().string());
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  std::vector<std::string> files(const std::string& root) {
    std::vector<std::string> found;
    for (const auto& item : fs::recursive_directory_iterator(root)) {
      if ((item.is_symlink() || item.is_regular_file()) && !in_trash(item.path(), root)) {
        found.push_back(item.path().string());
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  static bool in_trash(const fs::path& path, const std::string& root) {
    return path.lexically_relative(root).string().starts_with(".yonder-trash");
  }
  std::string any(const std::vector<std::string>& list) { return list[below(list.size())]; }

  void add(const std::string& root) {
    const std::string parent = any(directories(root));
    if (one_in(4)) {
      fs::create_directories(concat(parent, "/", name('d')));
    } else if (one_in(6)) {
      const std::string path = concat(parent, "/", name('l'));
      fs::remove(path);
      fs::create_symlink(one_in(2) ? concat("../", name('f')) : base_ + "/outside", path);
    } else {
      write(concat(parent, "/", name('f')), content(), one_in(4) ? 0755 : 0600);
    }
  }

  void edit(const std::string& path) {
    if (fs::is_symlink(path)) return;
    const std::uint64_t size = fs::file_size(path);
    switch (below(4)) {
      case 0: write(path, content()); break;
      case 1: {  // in the middle, of the same size
        const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        const std::string bytes = noise(7, random_());
        if (size <= 7) break;
        EXPECT_EQ(::pwrite(file.get(), bytes.data(), 7, static_cast<off_t>(below(size - 7))), 7);
        break;
      }
      case 2: fs::resize_file(path, size / 2); break;
      default: {
        const Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
        EXPECT_EQ(::write(file.get(), "more", 4), 4);
      }
    }
  }

  void change(const std::string& root) {
    const auto all = files(root);
    if (all.empty() || one_in(3)) return add(root);
    const std::string path = any(all);
    switch (below(6)) {
      case 0: fs::remove(path); break;
      case 1: {
        const std::string directory = any(directories(root));
        if (directory != root && one_in(3)) fs::remove_all(directory);
        break;
      }
      case 2: {
        // Only root could edit a file again that may not be written.
        const mode_t other = ::geteuid() == 0 ? 0555 : 0755;
        if (!fs::is_symlink(path)) ::chmod(path.c_str(), one_in(2) ? 0640 : other);
        break;
      }
      case 3: {
        const std::string directory = any(directories(root));
        // The mode of one that no sync knows is not a sync's to set. Only root could change again
        // what is in a directory that is closed.
        if (known_.contains(fs::path(directory).lexically_relative(root))) {
          const mode_t other = ::geteuid() == 0 ? 0555 : 0750;
          ::chmod(directory.c_str(), one_in(2) ? other : 0700);
        }
        break;
      }
      case 4:
        if (!fs::is_symlink(path)) {
          const std::string twin = concat(any(directories(root)), "/", name('f'));
          std::error_code there;
          fs::create_hard_link(path, twin, there);
        }
        break;
      default: edit(path); break;
    }
  }

  std::vector<std::string> ways() {
    std::vector<std::string> list;
    if (one_in(3)) list.push_back(one_in(2) ? cut_to(below(3000000)) : cut_from(below(300000)));
    list.emplace_back("sh");
    return list;
  }

  SyncRequest random_request() {
    const bool push = one_in(2);
    SyncRequest request = push ? push_request() : pull_request();
    request.options.delete_extras = true;
    request.options.default_rules = false;
    request.options.checksum = one_in(4);
    request.options.hard_links = one_in(3);
    request.options.keep_replaced = !one_in(4);
    request.options.on_conflict = push ? ConflictChoice::KeepLocal : ConflictChoice::KeepRemote;
    return request;
  }

  // As often as it takes; the numbers of what is to be deleted are confirmed.
  std::string sync(SyncRequest request) {
    const std::string source = request.direction == Direction::Push ? here() : there();
    if (fs::is_empty(source)) write(source + "/f", "not empty");
    for (int tries = 0; tries < 6; ++tries) {
      auto report = run(request);
      if (!report && report.error().hint.find("confirm_delete=") != std::string::npos) {
        const std::string& hint = report.error().hint;
        request.options.confirm_delete =
            std::strtoull(hint.c_str() + hint.find("confirm_delete=") + 15, nullptr, 10);
        report = run(request);
        request.options.confirm_delete.reset();  // the next may have fewer
      }
      if (report && report->complete()) return "";
      if (report && report->failed.empty()) return "incomplete";
      last_ = report ? concat(report->failed[0].path, ": ", report->failed[0].message)
                     : report.error().message;
      if (report) return last_;
    }
    return last_;
  }

  void clear() {
    known_.clear();
    for (const std::string& root : {here(), there()}) {
      fs::remove_all(root);
      fs::create_directory(root);
    }
    fs::remove_all(base_ + "/state");
    fs::create_directory(base_ + "/state");
  }

  void one(std::uint64_t seed) {
    random_.seed(seed);
    clear();
    for (std::size_t n = 3 + below(25); n > 0; --n) add(here());
    for (std::size_t n = below(10); n > 0; --n) add(there());
    const auto outside = picture(base_ + "/outside");
    for (int round = 0; round < 3; ++round) {
      const SyncRequest request = random_request();
      SCOPED_TRACE(concat("round ", round, request.direction == Direction::Push ? " push" : " pull",
                          request.options.hard_links ? " hard_links" : "",
                          request.options.checksum ? " checksum" : ""));
      set_ways(ways());
      ASSERT_EQ(sync(request), "");
      ASSERT_EQ(difference(), "");
      known_.clear();
      for (const auto& path : directories(here())) {
        if (path != here()) known_.insert(fs::path(path).lexically_relative(here()));
      }
      ASSERT_THAT(temporaries(here()), IsEmpty());
      ASSERT_THAT(temporaries(there()), IsEmpty());
      const auto again = run(request);
      ASSERT_TRUE(again) << again.error().message;
      ASSERT_EQ(again->files_sent + again->files_removed + again->attributes_set, 0U);
      ASSERT_EQ(picture(base_ + "/outside"), outside);
      for (std::size_t n = below(12); n > 0; --n) change(here());
      for (std::size_t n = below(8); n > 0; --n) change(there());
    }
  }

  std::mt19937_64 random_;
  std::set<fs::path> known_;  // directories that were the same at both ends after the last sync
  std::string last_;
};

TEST_F(RandomSync, TwoRandomTreesBecomeTheSame) {
  use_memory();
  fs::create_directory(base_ + "/outside");
  write(base_ + "/outside/precious", "x");
  const char* given = std::getenv("YONDER_SYNC_SEED");
  std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10)
                                        : static_cast<std::uint64_t>(std::time(nullptr)) * 1000;
  const auto until = std::chrono::steady_clock::now() + kSpent;
  int done = 0;
  do {
    SCOPED_TRACE(concat("YONDER_SYNC_SEED=", seed));
    one(seed++);
    ++done;
  } while (!HasFailure() && given == nullptr && std::chrono::steady_clock::now() < until);
  std::cout << done << " trees, up to seed " << seed - 1 << "\n";
}

}  // namespace
}  // namespace yonder::sync
