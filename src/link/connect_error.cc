#include "link/connect_error.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/clean_text.h"
#include "base/far_text.h"
#include "base/quote.h"
#include "base/text.h"

namespace yonder::link {
namespace {

struct Phrase {
  std::string_view text;
  Errc code;
  std::string_view hint;
};

// The first that matches counts: a changed key also fails the verification.
constexpr std::array kPhrases{
    Phrase{
        "REMOTE HOST IDENTIFICATION HAS CHANGED", Errc::HostKey,
        "the machine's key is not the known one; find out why before you remove the old key with "
        "ssh-keygen -R"},
    Phrase{"Host key verification failed", Errc::HostKey, "look at the key and accept it: "},
    Phrase{"Permission denied", Errc::AuthNeeded, "log in: "},
    Phrase{"Too many authentication failures", Errc::AuthNeeded,
           "set key_file for this sandbox, or log in: "},
    Phrase{"No supported authentication methods", Errc::AuthNeeded, "log in: "},
    Phrase{"Could not resolve hostname", Errc::Unreachable, "check the host's name"},
    Phrase{"Connection refused", Errc::Unreachable,
           "is sshd running there, and is the port right?"},
    Phrase{"timed out", Errc::Unreachable, "is the machine up and the network reachable?"},
};

// The last words; the first ones are often banners.
std::string last_words(std::string_view errors) {
  constexpr std::size_t kShown = 600;
  const std::string_view text = trim(errors);
  return quoted_far_text(text.size() > kShown ? text.substr(text.size() - kShown) : text, kShown);
}

// A server's banner comes with what ssh says, so that all of it is told as said.
std::string who_said_what(const std::string& errors, const std::string& noise) {
  if (!trim(errors).empty()) return concat("ssh said: ", last_words(errors));
  if (!trim(noise).empty()) return concat("the machine said: ", last_words(noise));
  return "the connection ended without a word";
}

// Every line of it, as a list: what people compare with what they know of the machine must be
// whole.
std::string all_lines(std::string_view errors) {
  constexpr std::size_t kMost = 4096;
  std::string text;
  for (const auto& line : split(clean_text(trim(errors.substr(0, kMost))).text, '\n')) {
    if (!trim(line).empty()) text += concat("\n  | ", printable(trim(line)));
  }
  return text;
}

}  // namespace

std::string login_command(const SandboxSpec& spec) {
  return ShellText("yonder login").arg(spec.name).str();
}

Error explain_command_trouble(const SandboxSpec& spec, const std::string& trouble) {
  return {Errc::AuthNeeded, concat("'", spec.name, "' asks for a password, and ", trouble),
          concat("run the password_command of this sandbox by hand: it must print the password and "
                 "end, without asking anything; or log in: ",
                 login_command(spec))};
}

Error add_missing_agent(Error error, const std::vector<std::string>& environment) {
  constexpr std::string_view kVariable = "SSH_AUTH_SOCK=";
  const bool has_agent =
      std::any_of(environment.begin(), environment.end(), [&](const std::string& entry) {
        return entry.starts_with(kVariable) && entry.size() > kVariable.size();
      });
  if (has_agent || error.code != Errc::AuthNeeded) return error;
  error.hint += "; ssh had no agent to ask for keys: SSH_AUTH_SOCK is not set, and none was found";
  return error;
}

Error explain_failure(const SandboxSpec& spec, const std::string& errors,
                      const std::string& noise) {
  Error error{Errc::Unreachable,
              concat("cannot connect to '", spec.name, "': ", who_said_what(errors, noise)),
              ShellText("look closer with: yonder doctor").arg(spec.name).str()};
  for (const auto& phrase : kPhrases) {
    if (errors.find(phrase.text) == std::string::npos) continue;
    error.code = phrase.code;
    error.hint = phrase.hint;
    if (error.hint.ends_with(": ")) error.hint += login_command(spec);
    if (phrase.code == Errc::HostKey) {
      error.message = concat("cannot connect to '", spec.name, "': ssh said:", all_lines(errors));
    }
    break;
  }
  return error;
}

}  // namespace yonder::link
