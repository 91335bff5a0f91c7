#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/scratch_test.h"
#include "link/link_pool.h"
#include "sync/sync.h"

namespace yonder::sync {

inline constexpr std::size_t kMiB = 1024UL * 1024;

// Two directories and the engine between them, with a real outpost at the other end of a pipe.
class SyncTest : public ::testing::Test {
 protected:
  SyncTest();
  ~SyncTest() override;

  std::string here(const std::string& name = "") const;
  std::string there(const std::string& name = "") const;
  void write(const std::string& path, const std::string& content, mode_t mode = 0644) const;
  static std::string read(const std::string& path);

  SyncRequest push_request() const;
  SyncRequest pull_request() const;
  Result<SyncReport> run(const SyncRequest& request, const SyncHooks& hooks = {});
  // These must succeed.
  SyncReport push(const SyncOptions& options = {});
  SyncReport pull(const SyncOptions& options = {});

  // Types, modes, times and contents of everything below a directory, but for trash and parts.
  static std::map<std::string, std::string> picture(const std::string& root);

  // The first path that is not the same here and there, and how; nothing when both are the same.
  std::string difference() const;

  // Bytes that cannot be compressed, the same for the same seed.
  static std::string noise(std::size_t size, std::uint64_t seed);
  // The names of everything that is still on its way below a directory.
  static std::vector<std::string> temporaries(const std::string& root);
  // Processes of outposts that work below a directory: they hold something of it open.
  static bool somebody_works_in(const std::string& directory);
  // Everything of this test lies in memory, from now on: for many files.
  void use_memory();
  // In a process of its own that is not root's, in directories of its own. What went wrong.
  std::string as_nobody(const std::function<std::string()>& body);
  // From now on the way is so slow that differences are worth working out.
  void slow_link();

  // The next sync connects anew.
  void hang_up();
  // Connects once, and asks: what a cut meets later is the copy.
  void deploy();
  // What stands before `sh` on the way to the outpost: each link takes the next, the last stays.
  void set_ways(std::vector<std::string> scripts);
  std::vector<std::string> ways() const;

  // Such ways: after so many bytes to the far side, or from it, the link is cut.
  static std::string cut_to(std::size_t bytes);
  static std::string cut_from(std::size_t bytes);
  // The beginning of a way that opens when all work over there has ended: a part that is still open
  // is not given to the next link, which sends all of it again.
  std::string when_all_have_left() const;

  int most_links_ = 4;

  // Of the places here, as in SyncSetup.
  std::function<Result<std::vector<std::string>>(const std::string&)> judge_ =
      [](const std::string&) {
        return Result<std::vector<std::string>>(std::vector<std::string>());
      };

  testing::Scratch scratch_;
  // The same; but where use_memory() was called, elsewhere.
  std::string base_ = scratch_.path();

 private:
  static std::string cutter(std::size_t bytes);
  void make_places() const;
  void install() const;
  link::CommandPrefix next_prefix();
  Guarded<std::vector<std::string>> ways_;
  std::unique_ptr<link::LinkPool> links_;
};

}  // namespace yonder::sync
