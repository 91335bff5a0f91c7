#include <algorithm>
#include <array>

#include "base/text.h"
#include "link/askpass_broker.h"

namespace yonder::link {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  while (!text.empty()) {
    const auto start = std::find_if_not(text.begin(), text.end(), is_space);
    const auto end = std::find_if(start, text.end(), is_space);
    if (start != end) tokens.emplace_back(start, end);
    text = std::string_view(end, text.end());
  }
  return tokens;
}

// The runs of letters and digits: "2FA-code" gives "2fa" and "code".
bool has_word(std::string_view lower, std::string_view word) {
  const auto in_word = [&](std::size_t i) {
    return i < lower.size() &&
           ((lower[i] >= 'a' && lower[i] <= 'z') || (lower[i] >= '0' && lower[i] <= '9'));
  };
  for (std::size_t at = lower.find(word); at != std::string_view::npos;
       at = lower.find(word, at + 1)) {
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + word.size())) return true;
  }
  return false;
}

// "(alice@host) Password: " → "Password: ". ssh marks what the server wrote in this way, so that a
// server cannot make its question look like one of ssh's own.
std::string_view without_account(std::string_view prompt) {
  if (!prompt.starts_with('(')) return prompt;
  const std::size_t end = prompt.find(") ");
  if (end == std::string_view::npos) return prompt;
  const std::string_view account = prompt.substr(1, end - 1);
  if (!contains(account, "@") || std::any_of(account.begin(), account.end(), is_space)) {
    return prompt;
  }
  return prompt.substr(end + 2);
}

bool is_host_key_question(std::string_view prompt) {
  return contains(prompt, "want to continue connecting") ||
         prompt.starts_with("Please type 'yes'") || prompt.starts_with("Accept updated hostkeys?");
}

// Only whole and at the start: this secret is for ssh itself and must never reach a server.
bool is_key_passphrase_question(std::string_view prompt) {
  return prompt.starts_with("Enter passphrase for key '") && trim(prompt).ends_with("':");
}

bool is_one_time_question(std::string_view lower) {
  constexpr std::array<std::string_view, 6> kParts{"one-time",     "one time",  "two-factor",
                                                   "verification", "tokencode", "authenticator"};
  constexpr std::array<std::string_view, 16> kWords{
      "otp", "totp", "hotp", "oath", "pin",     "code",    "passcode",  "token",
      "2fa", "mfa",  "duo",  "sms",  "yubikey", "securid", "challenge", "response"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return contains(lower, part); }) ||
         std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return has_word(lower, word); });
}

// "alice@host's password: ", "Password: ", "LDAP password for alice:". Every word must be one that
// is known to change nothing: "New password:" and "Your password has expired" ask for something
// else.
bool is_password_question(std::string_view lower) {
  constexpr std::array<std::string_view, 17> kHarmless{
      "please",  "enter",    "your",   "the",       "unix",   "ldap",
      "ad",      "kerberos", "login",  "ssh",       "domain", "network",
      "account", "system",   "active", "directory", "user"};
  std::string_view line = trim(lower);
  if (contains(line, "\n")) return false;
  while (line.ends_with(':')) line = trim(line.substr(0, line.size() - 1));
  auto words = tokens_of(line);
  if (words.size() >= 3 && words[words.size() - 2] == "for") words.resize(words.size() - 2);
  if (!words.empty() && words.front().ends_with("'s")) words.erase(words.begin());
  if (words.empty() || words.back() != "password") return false;
  words.pop_back();
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(kHarmless.begin(), kHarmless.end(), word) != kHarmless.end();
  });
}

// What ssh itself asks with "alice@host's password: ". Names are free, so no word of them counts.
bool is_ssh_password_question(std::string_view prompt) {
  constexpr std::string_view kEnd = "'s password: ";
  if (!prompt.ends_with(kEnd)) return false;
  const std::string_view account = prompt.substr(0, prompt.size() - kEnd.size());
  return contains(account, "@") && std::none_of(account.begin(), account.end(), is_space);
}

QuestionKind kind_of(std::string_view prompt) {
  if (is_host_key_question(prompt)) return QuestionKind::HostKey;
  if (prompt.starts_with("Allow ") || prompt.starts_with("Confirm user presence")) {
    return QuestionKind::Confirmation;
  }
  if (is_key_passphrase_question(prompt)) return QuestionKind::KeyPassphrase;
  if (is_ssh_password_question(prompt)) return QuestionKind::Password;
  const std::string lower = to_lower(without_account(prompt));
  if (prompt.starts_with("Enter PIN for") || is_one_time_question(lower)) {
    return QuestionKind::OneTimeCode;
  }
  if (is_password_question(lower)) return QuestionKind::Password;
  return QuestionKind::Unknown;
}

}  // namespace

Question classify_question(std::string_view prompt, std::string_view hint) {
  Question question{.kind = kind_of(prompt), .prompt = std::string(prompt)};
  if (hint == "none" || prompt.starts_with("Confirm user presence")) {
    question.kind = QuestionKind::Confirmation;
    question.reply = ReplyForm::None;
  } else if (hint == "confirm" || question.kind == QuestionKind::Confirmation) {
    question.kind = QuestionKind::Confirmation;
    question.reply = ReplyForm::YesOrNo;
  }
  return question;
}

}  // namespace yonder::link
