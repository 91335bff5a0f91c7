#include "base/id.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder {
namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t kRunLetters = 16;

}  // namespace

std::string random_letters(std::size_t letters) {
  std::string out(letters, 'a');
  std::array<unsigned char, 64> bytes{};
  for (std::size_t done = 0; done < letters;) {
    const std::size_t wanted = std::min(bytes.size(), letters - done);
    // Cannot fail for requests this small once the system has booted; if it does, ids would repeat.
    if (::getentropy(bytes.data(), wanted) != 0) std::abort();
    for (std::size_t i = 0; i < wanted; ++i) out[done + i] = kAlphabet[bytes.at(i) & 31U];
    done += wanted;
  }
  return out;
}

RunId new_run_id() {
  return RunId("r-" + random_letters(kRunLetters));
}

Result<RunId> parse_run_id(std::string_view text) {
  const bool well_formed = text.size() == kRunLetters + 2 && text.starts_with("r-") &&
                           std::all_of(text.begin() + 2, text.end(), [](char c) {
                             return kAlphabet.find(c) != std::string_view::npos;
                           });
  if (well_formed) return RunId(std::string(text));
  return Error{Errc::InvalidArgument,
               concat("'", printable(text.substr(0, 64)), "' is not a run id"),
               "a run id looks like r-abcdefghijklmnop, as returned by the call that started it"};
}

}  // namespace yonder
