#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/doctor_findings.h"
#include "ops/doctor_machine.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;

// The only finding about a subject.
Finding about(const std::vector<Finding>& findings, const std::string& subject) {
  std::vector<Finding> found;
  for (const auto& finding : findings) {
    if (finding.subject == subject) found.push_back(finding);
  }
  EXPECT_EQ(found.size(), 1U) << subject;
  return found.empty() ? Finding{} : found.front();
}

bool speaks_of(const std::vector<Finding>& findings, const std::string& subject) {
  for (const auto& finding : findings) {
    if (finding.subject == subject) return true;
  }
  return false;
}

HereSeen good_here() {
  return {.config_file = "/home/me/.config/yonder/config.toml",
          .ssh = {.path = "/usr/bin/ssh", .version = "OpenSSH_9.2p1 Debian"}};
}

Reached good_machine() {
  Reached reached{.seconds = 0.25, .round_trips_ms = {3, 1, 2}};
  reached.machine.hostname = "node7";
  reached.machine.system = "Linux 6.1 x86_64";
  reached.machine.bash = "/bin/bash";
  reached.machine.login_shell = "/bin/zsh";
  reached.machine.outpost_path = "/home/me/.cache/yonder/outpost-1";
  reached.machine.state_dir = "/home/me/.local/state/yonder";
  reached.probe = ProbeReport{.places = {{.path = "/home/me",
                                          .writable = true,
                                          .executable = true,
                                          .free_bytes = 1LL << 40}},
                              .systemd_run = "/usr/bin/systemd-run",
                              .user_bus = "/run/user/7/bus",
                              .lingering = true,
                              .launcher = "scope"};
  return reached;
}

SandboxSeen good_sandbox() {
  SandboxSeen seen;
  seen.spec.name = "gpu1";
  seen.spec.host = "gpu1";
  seen.spec.origin = "config.toml:3";
  seen.ssh = SshSettings{.hostname = "10.0.0.7", .user = "me", .port = "22"};
  seen.reached = good_machine();
  return seen;
}

TEST(DoctorHere, NamesTheClientAndTheSources) {
  HereSeen here = good_here();
  here.sources = {{"~/.ssh/config", "3 aliases"}};
  const auto findings = findings_here(here);
  EXPECT_EQ(about(findings, "settings").seen, "~/.ssh/config: 3 aliases");
  EXPECT_EQ(about(findings, "ssh").seen, "/usr/bin/ssh, OpenSSH_9.2p1 Debian");
  for (const auto& finding : findings) EXPECT_EQ(finding.verdict, Verdict::Ok);
}

TEST(DoctorHere, JudgesTheSshClient) {
  struct Case {
    SshClient ssh;
    bool wanted;
    Verdict verdict;
  };
  const Error broken{Errc::Internal, "it hangs", ""};
  const std::vector<Case> cases{
      {{.path = ""}, true, Verdict::Problem},
      {{.path = ""}, false, Verdict::Note},
      {{.path = "/bin/ssh", .no_answer = broken}, true, Verdict::Problem},
      {{.path = "/bin/ssh", .version = "OpenSSH_8.3p1"}, true, Verdict::Note},
      {{.path = "/bin/ssh", .version = "OpenSSH_7.9p1"}, true, Verdict::Note},
      {{.path = "/bin/ssh", .version = "OpenSSH_8.4p1"}, true, Verdict::Ok},
      {{.path = "/bin/ssh", .version = "OpenSSH_10.0"}, true, Verdict::Ok},
      {{.path = "/bin/ssh", .version = "another ssh"}, true, Verdict::Ok},
  };
  for (const auto& c : cases) {
    HereSeen here = good_here();
    here.ssh = c.ssh;
    here.ssh_wanted = c.wanted;
    const Finding finding = about(findings_here(here), "ssh");
    EXPECT_EQ(finding.verdict, c.verdict) << c.ssh.version;
    EXPECT_EQ(finding.fix.empty(), c.verdict == Verdict::Ok) << c.ssh.version;
  }
}

TEST(DoctorHere, ShowsTheAgentThatSshWillAsk) {
  HereSeen seen = good_here();
  seen.agent = sandbox::SshAgentSeen{.socket = "/r/gcr/ssh", .from = "its usual place", .keys = 1};
  EXPECT_EQ(about(findings_here(seen), "ssh agent").seen,
            "/r/gcr/ssh (from its usual place), 1 key");
  seen.agent = sandbox::SshAgentSeen{.looked = {"/r/a", "/r/b"}};
  const Finding none = about(findings_here(seen), "ssh agent");
  EXPECT_EQ(none.verdict, Verdict::Note);
  EXPECT_EQ(none.seen, "SSH_AUTH_SOCK is not set, and no agent answers at /r/a, /r/b");
  EXPECT_THAT(none.fix, HasSubstr("SSH_AUTH_SOCK"));
}

TEST(DoctorHere, NotesAHomeThatIsNotTheAccounts) {
  HereSeen seen = good_here();
  seen.home = "/tmp/other";
  seen.account_home = "/home/me";
  const Finding finding = about(findings_here(seen), "home");
  EXPECT_EQ(finding.verdict, Verdict::Note);
  EXPECT_THAT(finding.seen, HasSubstr("HOME is /tmp/other"));
  EXPECT_THAT(finding.seen, HasSubstr("/home/me"));
  seen.home = "/home/me";
  EXPECT_FALSE(speaks_of(findings_here(seen), "home"));
}

TEST(DoctorSandbox, DoesNotSendPeopleToItself) {
  SandboxSeen seen = good_sandbox();
  seen.reached.reset();
  seen.connect_error = Error{Errc::Unreachable, "m", "look closer with: yonder doctor gpu1"};
  EXPECT_EQ(about(findings_of(seen), "connect").fix, "try it by hand: ssh -v -- gpu1");
}

TEST(DoctorHere, ShowsABrokenConfigurationAsAProblemWithItsFix) {
  HereSeen here = good_here();
  here.config_error = Error{Errc::Config, "config.toml:3: unknown key \"hots\"", ""};
  const Finding finding = about(findings_here(here), "settings");
  EXPECT_EQ(finding.verdict, Verdict::Problem);
  EXPECT_THAT(finding.fix, HasSubstr("/home/me/.config/yonder/config.toml"));
}

TEST(DoctorSandbox, FindsNothingWrongWithAGoodOne) {
  const auto findings = findings_of(good_sandbox());
  for (const auto& finding : findings) {
    EXPECT_EQ(finding.verdict, Verdict::Ok) << finding.subject << ": " << finding.seen;
  }
  EXPECT_EQ(about(findings, "ssh settings").seen, "me@10.0.0.7 port 22");
  EXPECT_EQ(about(findings, "connect").seen, "0.25 s, node7, Linux 6.1 x86_64");
  EXPECT_EQ(about(findings, "round trip").seen, "2.00 ms");
  EXPECT_FALSE(speaks_of(findings, "noise"));
  EXPECT_FALSE(speaks_of(findings, "key file"));
}

TEST(DoctorSandbox, JudgesTheKeyFile) {
  struct Case {
    KeyFile file;
    Verdict verdict;
    const char* fix;
  };
  const std::vector<Case> cases{
      {{}, Verdict::Problem, "config.toml:3"},
      {{.exists = true, .regular = false, .mode = 0700}, Verdict::Problem, "config.toml:3"},
      {{.exists = true, .regular = true, .mode = 0644},
       Verdict::Problem,
       "chmod 600 '/home/me/a key'"},
      {{.exists = true, .regular = true, .mode = 0600}, Verdict::Ok, ""},
      {{.exists = true, .regular = true, .mode = 0400}, Verdict::Ok, ""},
  };
  for (const auto& c : cases) {
    SandboxSeen seen = good_sandbox();
    seen.spec.key_file = "/home/me/a key";
    seen.key_file = c.file;
    const Finding finding = about(findings_of(seen), "key file");
    EXPECT_EQ(finding.verdict, c.verdict);
    EXPECT_THAT(finding.fix, HasSubstr(c.fix));
  }
}

TEST(DoctorSandbox, ShowsWhyItCannotConnectAndWhatToDo) {
  SandboxSeen seen = good_sandbox();
  seen.reached.reset();
  seen.connect_error = Error{Errc::AuthNeeded, "Permission denied", "log in: yonder login gpu1"};
  const auto findings = findings_of(seen);
  const Finding finding = about(findings, "connect");
  EXPECT_EQ(finding.verdict, Verdict::Problem);
  EXPECT_EQ(finding.seen, "Permission denied");
  EXPECT_EQ(finding.fix, "log in: yonder login gpu1");
  EXPECT_FALSE(speaks_of(findings, "clock"));
  seen.connect_error->hint.clear();
  EXPECT_EQ(about(findings_of(seen), "connect").fix, "try it by hand: ssh -v -- gpu1");
}

TEST(DoctorSandbox, ShowsWhatSshSaysAboutBrokenSettings) {
  SandboxSeen seen = good_sandbox();
  seen.ssh.reset();
  seen.ssh_error = Error{Errc::Config, "ssh -G failed: line 3: Bad configuration option", ""};
  const Finding finding = about(findings_of(seen), "ssh settings");
  EXPECT_EQ(finding.verdict, Verdict::Problem);
  EXPECT_THAT(finding.fix, HasSubstr("ssh -G -- gpu1"));
}

TEST(DoctorMachine, JudgesTheClock) {
  struct Case {
    std::int64_t ahead_ms;
    Verdict verdict;
    const char* seen;
  };
  for (const auto& c :
       {Case{0, Verdict::Ok, "agrees"}, Case{-2000, Verdict::Ok, "agrees"},
        Case{2500, Verdict::Note, "2.5 s ahead"}, Case{-60000, Verdict::Note, "60.0 s behind"},
        Case{-61000, Verdict::Problem, "61.0 s behind"}}) {
    Reached reached = good_machine();
    reached.clock_ahead_ms = c.ahead_ms;
    const Finding finding = about(findings_there(reached), "clock");
    EXPECT_EQ(finding.verdict, c.verdict) << c.ahead_ms;
    EXPECT_THAT(finding.seen, HasSubstr(c.seen));
  }
}

TEST(DoctorMachine, ShowsTheStartOfTheNoiseWithoutItsEscapeCodes) {
  Reached reached = good_machine();
  reached.noise = "\x1b[31mWelcome!" + std::string(1000, 'x');
  const Finding finding = about(findings_there(reached), "noise");
  EXPECT_EQ(finding.verdict, Verdict::Note);
  EXPECT_THAT(finding.seen, HasSubstr("\\x1b[31mWelcome!"));
  EXPECT_LT(finding.seen.size(), 300U);
  reached.noise = " \r\n";
  EXPECT_FALSE(speaks_of(findings_there(reached), "noise"));
}

TEST(DoctorMachine, ComplainsOnlyWhenNoPlaceIsLeft) {
  Reached reached = good_machine();
  const Place bad{.path = "/tmp", .writable = true, .problem = "noexec"};
  reached.probe->places.push_back(bad);
  EXPECT_EQ(about(findings_there(reached), "places").verdict, Verdict::Ok);
  reached.probe->places = {bad};
  const Finding finding = about(findings_there(reached), "places");
  EXPECT_EQ(finding.verdict, Verdict::Problem);
  EXPECT_THAT(finding.seen, HasSubstr("/tmp: noexec"));
}

TEST(DoctorMachine, NamesAFullDiskOnceAndWhatToDo) {
  Reached reached = good_machine();
  const Place home{.path = "/home/me",
                   .problem = "write: No space left on device",
                   .free_bytes = 0,
                   .free_files = 0,
                   .disk = "/home",
                   .full = true};
  Place cache = home;
  cache.path = "/home/me/.cache";
  const Place tmp{.path = "/tmp", .writable = true, .executable = true, .free_bytes = 1LL << 40};
  reached.probe->places = {home, cache, tmp};
  const auto findings = findings_there(reached);
  const Finding finding = about(findings, "space");
  EXPECT_EQ(finding.verdict, Verdict::Problem);
  EXPECT_THAT(finding.seen, HasSubstr("the disk at /home is full"));
  EXPECT_THAT(finding.seen, HasSubstr("0 inodes"));
  EXPECT_THAT(finding.seen, HasSubstr("/home/me, /home/me/.cache"));
  EXPECT_THAT(finding.fix, HasSubstr("remove files there"));
}

TEST(DoctorMachine, NotesWhatIsMissingThere) {
  Reached reached = good_machine();
  reached.machine.bash.clear();
  reached.machine.state_problem = "no directory is writable";
  reached.probe->lingering = false;
  reached.probe->launcher = "session";
  reached.probe->places[0].free_bytes = 1024;
  reached.round_trips_ms = {};
  const auto findings = findings_there(reached);
  EXPECT_EQ(about(findings, "shell").verdict, Verdict::Note);
  EXPECT_EQ(about(findings, "run records").verdict, Verdict::Problem);
  EXPECT_THAT(about(findings, "launchers").fix, HasSubstr("enable-linger"));
  EXPECT_THAT(about(findings, "space").seen, HasSubstr("1.0 KiB free"));
  EXPECT_EQ(about(findings, "round trip").verdict, Verdict::Problem);
}

TEST(DoctorMachine, SaysWhatBackgroundRunsBeginInAndWhy) {
  Reached reached = good_machine();
  const auto seen = [&] { return about(findings_there(reached), "launchers").seen; };
  EXPECT_THAT(seen(), HasSubstr("a scope of the user's systemd (/usr/bin/systemd-run"));
  EXPECT_THAT(seen(), HasSubstr("no tmux"));
  reached.probe->launcher = "session";
  reached.probe->user_bus = "";
  EXPECT_THAT(seen(), HasSubstr("a session of their own (the user's bus is not reachable)"));
  EXPECT_THAT(about(findings_there(reached), "launchers").fix, HasSubstr("log in there"));
  reached.probe->lingering = false;
  EXPECT_THAT(seen(), HasSubstr("(lingering is off)"));
  reached.probe->systemd_run = "";
  reached.probe->tmux = "/bin/tmux";
  EXPECT_THAT(seen(), HasSubstr("(there is no systemd-run); shown in /bin/tmux"));
  EXPECT_EQ(about(findings_there(reached), "launchers").verdict, Verdict::Ok);
}

TEST(DoctorMachine, GivesEveryProblemAFix) {
  Reached reached = good_machine();
  reached.machine.state_problem = "no directory is writable";
  reached.probe->places.clear();
  reached.round_trips_ms.clear();
  reached.clock_ahead_ms = 1000000;
  for (const auto& finding : findings_there(reached)) {
    if (finding.verdict != Verdict::Problem) continue;
    EXPECT_NE(finding.fix, "") << finding.subject;
  }
}

TEST(SshSettings, AreReadFromTheOutputOfSsh) {
  const SshSettings settings = parse_ssh_settings(
      "user me\nhostname 10.0.0.7\nport 2222\nnonsense\ncontrolpath none\nproxyjump bastion\n"
      "identityfile ~/.ssh/id\n");
  EXPECT_EQ(settings.user, "me");
  EXPECT_EQ(settings.hostname, "10.0.0.7");
  EXPECT_EQ(settings.port, "2222");
  EXPECT_EQ(settings.proxy, "bastion");
  EXPECT_EQ(settings.control_path, "");
  EXPECT_EQ(parse_ssh_settings("").hostname, "");
}

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({9, 1, 5}), 5);
}

TEST(Diagnosis, IsHealthyUntilThereIsAProblem) {
  Diagnosis diagnosis{.general = {{.verdict = Verdict::Note, .subject = "x"}},
                      .sandboxes = {{.name = "a", .findings = {{.subject = "y"}}}}};
  EXPECT_TRUE(diagnosis.healthy());
  diagnosis.sandboxes[0].findings[0].verdict = Verdict::Problem;
  EXPECT_FALSE(diagnosis.healthy());
  EXPECT_EQ(dump_json(to_json(diagnosis)),
            R"({"healthy":false,"general":[{"verdict":"note","subject":"x","seen":"","fix":null}],)"
            R"("sandboxes":[{"name":"a","findings":[{"verdict":"problem","subject":"y","seen":"",)"
            R"("fix":null}]}]})");
}

}  // namespace
}  // namespace yonder::ops
