#include <gtest/gtest.h>

#include "link/askpass_broker.h"

namespace yonder::link {
namespace {

struct Case {
  std::string_view prompt;
  QuestionKind kind;
};

TEST(ClassifyQuestion, KnowsWhatOpenSshItselfAsks) {
  for (const auto& [prompt, kind] : {
           Case{"alice@host's password: ", QuestionKind::Password},
           Case{"alice@2001:db8::1's password: ", QuestionKind::Password},
           Case{"alice@corp.example@gw's password: ", QuestionKind::Password},
           Case{"otp@new-token.example's password: ", QuestionKind::Password},
           Case{"Enter passphrase for key '/home/alice/.ssh/id_ed25519': ",
                QuestionKind::KeyPassphrase},
           Case{"Enter passphrase for key '/keys/new password code': ",
                QuestionKind::KeyPassphrase},
           Case{"Enter PIN for ECDSA-SK key /home/alice/.ssh/id_ecdsa_sk: ",
                QuestionKind::OneTimeCode},
           Case{"Enter PIN for 'my card': ", QuestionKind::OneTimeCode},
           Case{"The authenticity of host 'h (1.2.3.4)' can't be established.\n"
                "ED25519 key fingerprint is SHA256:abc.\n"
                "This key is not known by any other names.\n"
                "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
                QuestionKind::HostKey},
           Case{"Are you sure you want to continue connecting (yes/no)? ", QuestionKind::HostKey},
           Case{"Please type 'yes', 'no' or the fingerprint: ", QuestionKind::HostKey},
           Case{"Please type 'yes' or 'no': ", QuestionKind::HostKey},
           Case{"Accept updated hostkeys? (yes/no): ", QuestionKind::HostKey},
           Case{"Allow use of key id_ed25519?\nKey fingerprint SHA256:abc.",
                QuestionKind::Confirmation},
           Case{"Confirm user presence for key ED25519-SK SHA256:abc", QuestionKind::Confirmation},
           Case{"Enter alice@host's old password: ", QuestionKind::Unknown},
           Case{"Enter alice@host's new password: ", QuestionKind::Unknown},
           Case{"Retype alice@host's new password: ", QuestionKind::Unknown},
       }) {
    EXPECT_EQ(classify_question(prompt).kind, kind) << prompt;
  }
}

TEST(ClassifyQuestion, KnowsWhatServersAsk) {
  for (const auto& [prompt, kind] : {
           Case{"(alice@host) Password: ", QuestionKind::Password},
           Case{"Password:", QuestionKind::Password},
           Case{"password: ", QuestionKind::Password},
           Case{"(alice@host) Password for alice@host:", QuestionKind::Password},
           Case{"(alice@host) alice's password:", QuestionKind::Password},
           Case{"(alice@host) Enter your LDAP password: ", QuestionKind::Password},
           Case{"(otp@code.example) Password: ", QuestionKind::Password},
           Case{"(alice@host) One-time password (OATH) for `alice': ", QuestionKind::OneTimeCode},
           Case{"One-time password (OATH) for `alice': ", QuestionKind::OneTimeCode},
           Case{"Verification code: ", QuestionKind::OneTimeCode},
           Case{"(alice@host) Verification code: ", QuestionKind::OneTimeCode},
           Case{"(alice@host) Password & verification code: ", QuestionKind::OneTimeCode},
           Case{"(alice@host) Password + OTP: ", QuestionKind::OneTimeCode},
           Case{"(a@h) Duo two-factor login for alice\n\nEnter a passcode or select one of the "
                "following options:\n\n 1. Duo Push to XXX-1234\n\nPasscode or option (1-3): ",
                QuestionKind::OneTimeCode},
           Case{"Enter PASSCODE: ", QuestionKind::OneTimeCode},
           Case{"(alice@host) YubiKey for `alice': ", QuestionKind::OneTimeCode},
       }) {
    EXPECT_EQ(classify_question(prompt).kind, kind) << prompt;
  }
}

TEST(ClassifyQuestion, DoesNotClaimToKnowWhatItDoesNot) {
  for (const std::string_view prompt : {
           "",
           " ",
           ":",
           "\n",
           "'s",
           "Your password has expired. You must change your password now.\nOld password: ",
           "(alice@host) Your password has expired. Password: ",
           "(alice@host) Old password: ",
           "(alice@host) New password: ",
           "(alice@host) Current password: ",
           "(alice@host) (current) UNIX password: ",
           "(alice@host) Retype new password: ",
           "(alice@host) Password again: ",
           "(alice@host) Password for the other machine: ",
           "(alice@host) Username: ",
           "Passwords are fun",
           "What is the password? ",
           "Please say something.\nPassword: ",
       }) {
    EXPECT_EQ(classify_question(prompt).kind, QuestionKind::Unknown) << prompt;
  }
}

TEST(ClassifyQuestion, IsNotFooledByAServerThatAsksForThePassphrase) {
  EXPECT_EQ(classify_question("(alice@host) Enter passphrase for key '/root/.ssh/id': ").kind,
            QuestionKind::Unknown);
  EXPECT_EQ(classify_question("Hello.\nEnter passphrase for key '/root/.ssh/id': ").kind,
            QuestionKind::Unknown);
}

TEST(ClassifyQuestion, BelievesTheHintAboutTheFormOfTheReply) {
  EXPECT_EQ(classify_question("alice@host's password: ").reply, ReplyForm::Text);
  const auto allow = classify_question("Allow shared connection to host?", "confirm");
  EXPECT_EQ(allow.kind, QuestionKind::Confirmation);
  EXPECT_EQ(allow.reply, ReplyForm::YesOrNo);
  EXPECT_EQ(classify_question("alice@host's password: ", "confirm").kind,
            QuestionKind::Confirmation);
  const auto touch = classify_question("Please touch it", "none");
  EXPECT_EQ(touch.kind, QuestionKind::Confirmation);
  EXPECT_EQ(touch.reply, ReplyForm::None);
  EXPECT_EQ(classify_question("Confirm user presence for key x").reply, ReplyForm::None);
}

}  // namespace
}  // namespace yonder::link
