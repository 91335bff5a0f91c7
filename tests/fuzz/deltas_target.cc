#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "fuzz/target.h"
#include "tree/delta.h"

// Signatures and deltas of changed files: an old file, and bytes that claim to be one or the other
// of it.
namespace yonder::fuzz {
namespace {

constexpr std::size_t kMostOutput = 4UL * 1024 * 1024;

std::string old_text() {
  std::string text;
  for (int i = 0; i < 900; ++i) text += concat("line ", i * i, "\n");
  return text;
}

// Without a name, and rewound.
Fd file_with(const std::string& text) {
  Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
  require(file && ::pwrite(file.get(), text.data(), text.size(), 0) ==
                      static_cast<ssize_t>(text.size()),
          "a file can be made");
  return file;
}

tree::Pour poured_into(std::string& out) {
  return [&out](std::string_view piece) -> Result<void> {
    out += piece;
    if (out.size() > kMostOutput) return Error{Errc::Protocol, "too much", ""};
    return {};
  };
}

std::string signature_of_old() {
  std::string signature;
  const std::string text = old_text();
  const Fd file = file_with(text);
  require(tree::make_signature(file.get(), text.size(), poured_into(signature)).has_value(),
          "a file has a signature");
  return signature;
}

Result<std::string> patched(const Fd& basis, std::string_view delta) {
  std::string out;
  tree::Patch patch(basis.get(), poured_into(out));
  TRY(patch.add(delta.substr(0, delta.size() / 2)));
  TRY(patch.add(delta.substr(delta.size() / 2)));
  TRY(patch.finish());
  return out;
}

// With the signature of another file, a delta may be long, but it never makes another new file;
// with a wrong one it may, and then its hash tells.
void deltas(std::string_view bytes) {
  static const Fd old_file = file_with(old_text());
  static const std::string signature = signature_of_old();
  Pieces pieces(bytes);
  const std::size_t what = pieces.byte() % 3;
  const std::string_view rest = pieces.rest();
  if (what == 0) {
    const auto out = patched(old_file, rest);
    require(!out || out->size() <= kMostOutput, "what is made of a delta is bounded by its reader");
    return;
  }
  const auto differ = tree::Differ::load(what == 1 ? rest : signature, old_text().size());
  if (!differ) return;
  const std::string new_text = what == 1 ? old_text().substr(100) : std::string(rest);
  const Fd new_file = file_with(new_text);
  std::string read;
  std::string delta;
  const auto made = differ->make_delta({new_file.get(), 0, new_text.size()}, poured_into(read),
                                       poured_into(delta));
  if (!made) return;
  const auto out = patched(old_file, delta);
  require(what == 1 || (out && *out == new_text), "a delta brings the new file");
}

std::vector<std::string> sample_deltas() {
  const std::string new_text = old_text().substr(40, 5000) + "and more";
  const Fd new_file = file_with(new_text);
  std::string read;
  std::string delta;
  const auto differ = tree::Differ::load(signature_of_old(), old_text().size());
  require(differ && differ->make_delta({new_file.get(), 0, new_text.size()}, poured_into(read),
                                       poured_into(delta)),
          "a delta can be made");
  return {std::string(1, '\0') + delta, "\x01" + signature_of_old(), "\x02" + new_text};
}

const Registered kDeltas("deltas", deltas, sample_deltas);

}  // namespace
}  // namespace yonder::fuzz
