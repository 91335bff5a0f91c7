#include <sys/stat.h>

#include <map>

#include "e2e/auth_fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Doctor : public AuthTest {
 protected:
  Captured doctor(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"doctor"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_yonder(arguments, environment());
  }

  struct Diagnosis {
    int code = -1;
    bool healthy = false;
    std::map<std::string, Json> findings;  // of the one sandbox, by subject
  };
  Diagnosis diagnosis_of(const std::string& sandbox) {
    const Captured done = doctor({sandbox, "--json"});
    const auto json = parse_json(done.out, "the diagnosis");
    if (!json) throw std::runtime_error(done.out + done.err);
    Diagnosis diagnosis{.code = done.status.code, .healthy = json->at("healthy").get<bool>()};
    EXPECT_EQ(json->at("sandboxes").size(), 1U);
    EXPECT_EQ(json->at("sandboxes").at(0).at("name"), sandbox);
    for (const auto& finding : json->at("sandboxes").at(0).at("findings")) {
      diagnosis.findings[finding.at("subject").get<std::string>()] = finding;
    }
    return diagnosis;
  }
  static std::string seen(const Json& finding) { return finding.at("seen").get<std::string>(); }
  static std::string fix(const Json& finding) { return finding.at("fix").get<std::string>(); }
};

TEST_F(Doctor, ShowsAPersonWhatAMachineIsLike) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  const Captured done = doctor({"box"});
  EXPECT_EQ(done.status.code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, StartsWith("here\n"));
  EXPECT_THAT(done.out, HasSubstr("\nbox\n"));
  EXPECT_THAT(done.out, ContainsRegex("ok +settings +ssh box \\(from ~/.ssh/config:1\\)"));
  EXPECT_THAT(done.out, HasSubstr(concat("alice@127.0.0.1 port ", sshd.port(), "\n")));
  EXPECT_THAT(done.out, ContainsRegex("ok +connect +[0-9.]+ s, .*, Linux"));
  EXPECT_THAT(done.out, ContainsRegex("ok +outpost +/.*/outpost-[0-9a-f]+, put there now"));
  EXPECT_THAT(done.out,
              ContainsRegex("ok +shell +lines are run by /.*bash; login shell /bin/bash"));
  EXPECT_THAT(done.out, ContainsRegex("ok +places +.* free\\)"));
  EXPECT_THAT(done.out, ContainsRegex("launchers +background runs begin in a session"));
  EXPECT_THAT(done.out, ContainsRegex("ok +clock +agrees with ours"));
  EXPECT_THAT(done.out, ContainsRegex("ok +round trip +[0-9.]+ ms"));
  EXPECT_THAT(done.out, HasSubstr("\nAll is well.\n"));
  EXPECT_THAT(done.out, Not(HasSubstr("\x1b"))) << "colours are for terminals";
  EXPECT_THAT(doctor({"box"}).out, ContainsRegex("outpost-[0-9a-f]+, was there"));
}

TEST_F(Doctor, TellsAProgramTheSame) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  const Diagnosis diagnosis = diagnosis_of("box");
  EXPECT_EQ(diagnosis.code, 0);
  EXPECT_TRUE(diagnosis.healthy);
  for (const char* subject : {"settings", "ssh settings", "connect", "outpost", "shell",
                              "run records", "places", "clock", "round trip"}) {
    ASSERT_TRUE(diagnosis.findings.contains(subject)) << subject;
    EXPECT_EQ(diagnosis.findings.at(subject)["verdict"], "ok") << diagnosis.findings.at(subject);
    EXPECT_TRUE(diagnosis.findings.at(subject)["fix"].is_null()) << subject;
  }
  ASSERT_TRUE(diagnosis.findings.contains("launchers"));
  EXPECT_THAT(seen(diagnosis.findings.at("places")), HasSubstr(lab().user("alice").home));
  EXPECT_FALSE(diagnosis.findings.contains("noise"));
}

TEST_F(Doctor, ReportsStartUpFilesThatPrint) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("noisy", sshd, "noisy")});
  const Diagnosis diagnosis = diagnosis_of("noisy");
  EXPECT_TRUE(diagnosis.healthy);
  ASSERT_TRUE(diagnosis.findings.contains("noise"));
  const Json& noise = diagnosis.findings.at("noise");
  EXPECT_EQ(noise["verdict"], "note");
  EXPECT_THAT(seen(noise),
              AllOf(HasSubstr("noise on stdout"), HasSubstr("and a last line without end")));
  EXPECT_THAT(fix(noise), HasSubstr("print only in interactive shells"));
  const Captured text = doctor({"noisy"});
  EXPECT_THAT(text.out, ContainsRegex("note +noise +start-up files print: noise on stdout"));
  EXPECT_THAT(text.out, HasSubstr("fix: Yonder skips it"));
}

TEST_F(Doctor, NotesAMachineWithoutBash) {
  lab::Sshd sshd = start_sshd({.hide_programs = {"bash"}});
  write_hosts({host("box", sshd, "nobash")});
  const Json shell = diagnosis_of("box").findings["shell"];
  EXPECT_EQ(shell["verdict"], "note");
  EXPECT_THAT(seen(shell), AllOf(HasSubstr("there is no bash"),
                                 HasSubstr("login shell " + lab().user("nobash").shell)));
}

TEST_F(Doctor, SaysHowToGetIntoAMachineThatRefuses) {
  lab::Sshd sshd = start_sshd({.config = {"PasswordAuthentication no"}});
  lab::SshHost stranger = host("box", sshd);
  stranger.identity_file = new_locked_key("").path;
  write_hosts({stranger});
  Diagnosis diagnosis = diagnosis_of("box");
  EXPECT_EQ(diagnosis.code, 1);
  EXPECT_FALSE(diagnosis.healthy);
  EXPECT_EQ(diagnosis.findings["connect"]["verdict"], "problem");
  EXPECT_THAT(seen(diagnosis.findings["connect"]), HasSubstr("Permission denied (publickey)"));
  EXPECT_THAT(fix(diagnosis.findings["connect"]),
              HasSubstr("log in: yonder login box; ssh had no"));
  EXPECT_FALSE(diagnosis.findings.contains("clock")) << "nothing is said of what was not seen";
  const Captured text = doctor({"box"});
  EXPECT_EQ(text.status.code, 1);
  EXPECT_THAT(text.out, ContainsRegex("problem +connect +.*Permission denied"));
  EXPECT_THAT(text.out, HasSubstr("fix: log in: yonder login box; "));
  EXPECT_THAT(text.out, HasSubstr("\n1 problem.\n"));
}

TEST_F(Doctor, SaysWhatToDoAboutAMachineThatIsNotThere) {
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  sshd.stop();
  Diagnosis diagnosis = diagnosis_of("box");
  EXPECT_EQ(diagnosis.code, 1);
  EXPECT_THAT(seen(diagnosis.findings["connect"]), HasSubstr("Connection refused"));
  EXPECT_THAT(fix(diagnosis.findings["connect"]), HasSubstr("is sshd running there"));
}

TEST_F(Doctor, NamesTheCommandThatRepairsAKeyFile) {
  lab::Sshd sshd = start_sshd({.config = {"PasswordAuthentication no"}});
  lab::SshHost plain = host("far", sshd);
  plain.identity_file.clear();
  write_hosts({plain});
  const lab::SshKey open_to_all = new_locked_key("");
  ASSERT_TRUE(sshd.authorize(open_to_all.public_key));
  ASSERT_EQ(::chmod(open_to_all.path.c_str(), 0644), 0);
  write_config_toml(
      concat("[sandbox.box]\nhost = \"far\"\nkey_file = \"", open_to_all.path, "\"\n"));
  Diagnosis before = diagnosis_of("box");
  EXPECT_EQ(before.code, 1);
  EXPECT_EQ(fix(before.findings["key file"]), "chmod 600 " + open_to_all.path);
  EXPECT_EQ(before.findings["connect"]["verdict"], "problem");
  ASSERT_EQ(::chmod(open_to_all.path.c_str(), 0600), 0);
  EXPECT_TRUE(diagnosis_of("box").healthy);
}

TEST_F(Doctor, DoesNotKnowANameThatNobodyHasConfigured) {
  const Captured done = doctor({"nowhere"});
  EXPECT_EQ(done.status.code, 255);
  EXPECT_THAT(done.err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace yonder::e2e
