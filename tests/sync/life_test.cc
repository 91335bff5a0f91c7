// Two people work at the two ends for a long time, and sync both ways: nothing that either has done
// is lost without a conflict, an entry in the trash or a line in the answer.
#include "sync/life.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iostream>
#include <random>

#include "base/text.h"
#include "sync/fixture.h"
#include "tree/trash.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

constexpr int kShortSteps = 150;
constexpr int kLongSteps = 2000;
constexpr time_t kFirstTime = 1600000000;

class Life : public SyncTest {
 protected:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class List>
  auto any(const List& list) {
    return list[below(list.size())];
  }
  void say(const std::string& what) {
    log_.push_back(what);
    if (log_.size() > 12) log_.pop_front();
  }

  // Few of each, so that they meet.
  std::string content() {
    static const std::array<std::string, 7> kContents{
        "", "one one", "two two", "six six", "longer", "a", "much, much longer"};
    if (one_in(40)) return noise(1500000, below(3));
    return any(kContents);
  }
  mode_t mode() {
    static constexpr std::array<mode_t, 5> kModes{0644, 0600, 0755, 0640, 0444};
    return any(kModes);
  }
  // Times tell changes apart: two within one tick of a clock could not be.
  void set_time(const std::string& path) {
    const timespec when{kFirstTime + ++ticks_, static_cast<long>(1 + below(999999999))};
    const std::array<timespec, 2> times{when, when};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0) << path;
  }
  void put(const std::string& path, const std::string& text) {
    write(path, text, mode());
    set_time(path);
  }

  std::vector<std::string> paths(const std::string& root, const std::string& types) {
    std::vector<std::string> found;
    for (const auto& [path, sight] : look_at(root)) {
      if (types.find(sight.type) != std::string::npos) found.push_back(path);
    }
    return found;
  }
  // A place for something new: beside, or instead of, what is there.
  std::string place(const std::string& root) {
    static const std::array<std::string, 5> kNames{"a", "b", "c", "d", "e"};
    const auto directories = paths(root, "d");
    const std::string parent = directories.empty() || one_in(3) ? "" : any(directories) + "/";
    const auto deep = static_cast<std::size_t>(std::count(parent.begin(), parent.end(), '/'));
    return (deep > 3 ? "" : parent) + any(kNames);
  }

  void make(const std::string& root) {
    const std::string path = concat(root, "/", place(root));
    fs::remove_all(path);
    switch (below(6)) {
      case 0: fs::create_directory(path); break;
      case 1:
        fs::create_symlink(one_in(2) ? "one" : "two", path);
        set_time(path);
        break;
      default: put(path, content()); break;
    }
    say(concat("make ", path));
  }
  // The same thing comes to both ends, each by its own way.
  void make_at_both() {
    const std::string path = place(here());
    const std::string text = content();
    for (const std::string& root : {here(), there()}) {
      const std::string full = concat(root, "/", path);
      if (!fs::is_directory(fs::path(full).parent_path())) continue;
      fs::remove_all(full);
      put(full, text);
    }
    say(concat("make at both ", path));
  }
  void change_mode(const std::string& root) {
    static constexpr std::array<mode_t, 4> kModes{0755, 0700, 0750, 0775};
    const auto all = paths(root, "fd");
    if (all.empty()) return;
    const std::string path = concat(root, "/", any(all));
    ::chmod(path.c_str(), fs::is_directory(path) ? any(kModes) : mode());
    say(concat("chmod ", path));
  }
  void touch_or_edit(const std::string& root) {
    const auto all = paths(root, "f");
    if (all.empty()) return;
    const std::string path = concat(root, "/", any(all));
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    const bool edit = one_in(2);
    if (edit) write(path, content(), info.st_mode & 07777U);
    set_time(path);
    say(concat(edit ? "edit " : "touch ", path));
  }
  void remove(const std::string& root) {
    const auto all = paths(root, "fdl");
    if (all.empty()) return;
    const std::string path = concat(root, "/", any(all));
    fs::remove_all(path);
    say(concat("remove ", path));
  }
  tree::TrashPlace trash_of(const std::string& root) const {
    return {root == here() ? base_ + "/state" : base_ + "/home/.local/state/yonder"};
  }
  void restore(const std::string& root) {
    const auto batches = tree::list_trash(trash_of(root), root);
    ASSERT_TRUE(batches);
    if (batches->empty()) return;
    const auto& batch = any(*batches);
    const auto held = tree::list_batch(batch, 100);
    ASSERT_TRUE(held);
    std::vector<std::string> wanted;
    if (!held->empty() && one_in(2)) wanted.push_back(any(*held));
    // The far process that has filled it may not have ended yet.
    EXPECT_TRUE(testing::eventually([&] {
      const auto restored = tree::restore_trash(trash_of(root), batch, wanted);
      return restored.has_value();
    })) << batch.id;
    ++restores_;
    say(concat("restore ", batch.id, " ", wanted.empty() ? "all" : wanted[0], " in ", root));
  }

  void live() {
    const std::string root = one_in(2) ? here() : there();
    switch (below(12)) {
      case 0:
      case 1:
      case 2: return make(root);
      case 3: return make_at_both();
      case 4:
      case 5:
      case 6: return change_mode(root);
      case 7:
      case 8:
      case 9: return touch_or_edit(root);
      case 10: return remove(root);
      default: return restore(root);
    }
  }

  SyncRequest random_request() {
    SyncRequest request = one_in(2) ? push_request() : pull_request();
    request.options.default_rules = false;
    request.options.delete_extras = one_in(3);
    request.options.checksum = one_in(6);
    static constexpr std::array<ConflictChoice, 6> kChoices{
        ConflictChoice::Stop,      ConflictChoice::Stop,       ConflictChoice::Stop,
        ConflictChoice::KeepLocal, ConflictChoice::KeepRemote, ConflictChoice::Both};
    request.options.on_conflict = any(kChoices);
    return request;
  }
  Result<SyncReport> run_confirmed(SyncRequest request) {
    constexpr std::string_view kConfirm = "confirm_delete=";
    auto report = run(request);
    const std::string hint = report ? "" : report.error().hint;
    const std::size_t at = hint.find(kConfirm);
    if (at == std::string::npos) return report;
    request.options.confirm_delete =
        std::strtoull(hint.c_str() + at + kConfirm.size(), nullptr, 10);
    return run(request);
  }

  std::set<std::pair<std::string, Sight>> held_by(const SyncReport& report,
                                                  const std::string& root) {
    std::set<std::pair<std::string, Sight>> held;
    for (const auto& id : report.trash_batches) {
      const auto batch = tree::find_trash(trash_of(root), id);
      EXPECT_TRUE(batch) << id;
      if (!batch) continue;
      for (const auto& [path, sight] : look_at(batch->directory)) {
        held.insert({fs::path(path).filename().string(), sight});
      }
    }
    return held;
  }

  void sync() {
    const SyncRequest request = random_request();
    const bool push = request.direction == Direction::Push;
    const std::string source = push ? here() : there();
    const std::string target = push ? there() : here();
    if (fs::is_empty(source)) make(source);
    say(concat(push ? "push" : "pull", request.options.delete_extras ? " delete" : "", " choice ",
               static_cast<int>(request.options.on_conflict)));
    const Sights from = look_at(source);
    const Sights before = look_at(target);
    const auto report = run_confirmed(request);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(look_at(source), from);
    for (const auto& failed : report->failed)
      ADD_FAILURE() << failed.path << ": " << failed.message;
    const Witnessed seen{.push = push,
                         .choice = request.options.on_conflict,
                         .source = from,
                         .before = before,
                         .after = look_at(target),
                         .report = *report,
                         .trash = held_by(*report, target)};
    ASSERT_EQ(witness_.judge(seen), "");
    witness_.learn(seen);
    ASSERT_THAT(temporaries(target), IsEmpty());
    ++syncs_;
  }

  void live_for(int steps) {
    for (int step = 0; step < steps && !HasFailure(); ++step) {
      if (step > 10 && one_in(4)) {
        sync();
      } else {
        live();
      }
    }
    if (!HasFailure()) return;
    for (const auto& line : log_) std::cout << line << "\n";
  }

  void begin_anew(std::uint64_t seed) {
    random_.seed(seed);
    witness_ = {};
    log_.clear();
    for (const char* place : {"/here", "/there", "/state"}) {
      fs::remove_all(base_ + place);
      fs::create_directory(base_ + place);
    }
    fs::remove_all(base_ + "/home/.local/state/yonder/trash");
    // From now on there is a record.
    put(here("a"), "one");
    const Sights from = look_at(here());
    const SyncReport report = push();
    witness_.learn(
        {.source = from, .before = {}, .after = look_at(there()), .report = report, .trash = {}});
  }

  std::mt19937_64 random_;
  std::deque<std::string> log_;
  Witness witness_;
  long ticks_ = 0;
  int syncs_ = 0;
  int restores_ = 0;
};

// YONDER_SYNC_LIVES=N: N long lives; YONDER_SYNC_SEED: of the first.
TEST_F(Life, NothingIsLostInALongLifeOfSyncsBothWays) {
  use_memory();
  const char* lives = std::getenv("YONDER_SYNC_LIVES");
  const char* given = std::getenv("YONDER_SYNC_SEED");
  const int count = lives != nullptr ? std::atoi(lives) : 2;
  std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  for (int life = 0; life < count && !HasFailure(); ++life, ++seed) {
    SCOPED_TRACE(concat("YONDER_SYNC_SEED=", seed));
    begin_anew(seed);
    live_for(lives != nullptr ? kLongSteps : kShortSteps);
    std::cout << "seed " << seed << ": " << syncs_ << " syncs, " << restores_ << " restores, "
              << witness_.replaced << " replaced or removed, " << witness_.modes
              << " modes changed, " << witness_.conflicts << " conflicts\n";
    syncs_ = restores_ = 0;
  }
}

}  // namespace
}  // namespace yonder::sync
