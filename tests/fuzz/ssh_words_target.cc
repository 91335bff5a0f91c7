#include "base/text.h"
#include "fuzz/target.h"
#include "link/connect_error.h"
#include "sandbox/fast_ciphers.h"
#include "sandbox/ssh_option.h"
#include "sandbox/ssh_settings.h"

// What ssh prints: its settings, and why it did not connect, with a server's banner in between.
namespace yonder::fuzz {
namespace {

void ssh_words(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::string errors(pieces.piece());
  const std::string noise(pieces.rest());
  const Error error = link::explain_failure({.name = "gpu1"}, errors, noise);
  require_printable(error.message, "why it failed can be shown");
  require_printable(error.hint, "and what to do");
  require(error.message.size() <= 4096, "and it is short");
  const std::string value = sandbox::setting_in(bytes, "ciphers");
  require(value.empty() || bytes.find(value) != std::string_view::npos, "no setting is made up");
  const std::string faster = sandbox::faster_order(value);
  require(faster.empty() || split(faster, ',').size() == split(value, ',').size(),
          "only the order of ciphers is changed");
  for (const auto& word : sandbox::pipe_overrides(bytes))
    require_printable(word, "an option is text");
  if (const auto option = sandbox::ssh_path_option("IdentityFile", errors)) {
    require(option->find_first_of("\r\n") == std::string::npos, "an option is one line");
  }
}

const Registered kSshWords("ssh_words", ssh_words);

}  // namespace
}  // namespace yonder::fuzz
