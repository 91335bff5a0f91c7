#include "sandbox/ssh_ways.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "base/scratch_test.h"

namespace yonder::sandbox {
namespace {

class SshWaysTest : public ::testing::Test {
 protected:
  // Old enough that a further change would show in its times.
  void configure(const std::string& text) {
    std::filesystem::create_directories(scratch_ / ".ssh");
    const std::string path = scratch_.write(".ssh/config", text);
    age(path);
  }
  void age(const std::string& path) {
    past_ += std::chrono::seconds(1);
    std::filesystem::last_write_time(path, past_);
  }
  void connect() { ways_.note(spec_, ways_.watch(), settings_); }

  testing::Scratch scratch_;
  std::filesystem::file_time_type past_ =
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  SandboxSpec spec_ = [] {
    SandboxSpec spec;
    spec.name = spec.host = "box";
    return spec;
  }();
  std::string settings_ = "user me\nhostname one\n";
  int asked_ = 0;
  SshWays ways_{scratch_ / "", [this](const SandboxSpec&) {
                  ++asked_;
                  return settings_;
                }};
};

TEST_F(SshWaysTest, AreNotAskedForBeforeTheFirstConnectionNorWhileNoFileChanges) {
  configure("Host box\n");
  EXPECT_EQ(ways_.target(spec_), "");
  connect();
  const std::string target = ways_.target(spec_);
  EXPECT_NE(target.find("hostname one"), std::string::npos) << target;
  EXPECT_EQ(ways_.target(spec_), target);
  EXPECT_EQ(asked_, 0);
}

TEST_F(SshWaysTest, AreAskedForOnceWhenAFileHasChanged) {
  configure("Host box\nInclude more\n");
  connect();
  settings_ = "user me\nhostname two\n";
  age(scratch_.write(".ssh/more", "Host box\n  HostName two\n"));
  EXPECT_NE(ways_.target(spec_).find("hostname two"), std::string::npos);
  EXPECT_NE(ways_.target(spec_).find("hostname two"), std::string::npos);
  EXPECT_EQ(asked_, 1);
}

TEST_F(SshWaysTest, StayAsTheyAreWhenSshDoesNotSay) {
  configure("Host box\n");
  connect();
  configure("Host box\n  Nonsense\n");
  settings_ = "";
  EXPECT_NE(ways_.target(spec_).find("hostname one"), std::string::npos);
}

}  // namespace
}  // namespace yonder::sandbox
