// `yonder attach` at a terminal: a view of a run that can be closed and opened again.
#include "base/file.h"
#include "e2e/fixture.h"
#include "e2e/yonder_at_terminal.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AttachAtTerminal : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    user_ = new_user();
    gate_ = new_open_directory() + "/go";
  }
  void TearDown() override {
    [[maybe_unused]] const bool let_go =
        write_file_atomically(gate_, "", Durability::Process).has_value();
    if (!id_.empty()) yonder({"wait", id_});
  }
  Captured yonder(const std::vector<std::string>& arguments) {
    return run_yonder(arguments, settings());
  }
  std::vector<std::string> settings() const { return environment({"TERM=xterm"}); }
  void reach(const lab::Sshd& sshd) { write_hosts({host("box", sshd, user_->name)}); }
  // Prints "hello", and goes on until the test ends.
  std::string run_named(const std::string& name) {
    const Captured started =
        yonder({"run", "box", "--name", name, "--", concat("echo hello; ", until(gate_))});
    EXPECT_EQ(started.status.code, 0) << started.err;
    id_ = started.out.substr(0, started.out.find('\n'));
    return id_;
  }

  std::optional<lab::Account> user_;
  std::string gate_;
  std::string id_;
};

TEST_F(AttachAtTerminal, AViewThatWasClosedIsOpenedAgain) {
  const lab::Sshd sshd = start_sshd();
  reach(sshd);
  const std::string id = run_named("nightly");
  for (int i = 0; i < 3; ++i) {
    YonderAtTerminal view({"attach", id}, settings());
    ASSERT_TRUE(view.shows("hello")) << view.screen();
    // tmux draws its status line when it likes, before or after.
    ASSERT_TRUE(view.screen().find("nightly") != std::string::npos || view.shows("nightly"))
        << view.screen();
    EXPECT_THAT(view.screen(), Not(HasSubstr("outpost-")));
    view.type("\x03");
    EXPECT_EQ(view.finish().code, 0) << view.screen();
  }
  EXPECT_THAT(yonder({"ps"}).out, HasSubstr("running"));
}

TEST_F(AttachAtTerminal, WithoutTmuxTheTerminalShowsTheLog) {
  const lab::Sshd sshd = start_sshd({.hide_programs = {"tmux"}});
  reach(sshd);
  const std::string id = run_named("plain");
  YonderAtTerminal view({"attach", id}, settings());
  ASSERT_TRUE(view.shows("hello")) << view.screen();
  view.type("\x03");
  EXPECT_NE(view.finish().code, -1) << view.screen();
  EXPECT_THAT(yonder({"ps"}).out, HasSubstr("running"));
}

}  // namespace
}  // namespace yonder::e2e
