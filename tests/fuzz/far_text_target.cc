#include "base/base64.h"
#include "base/clean_text.h"
#include "base/far_text.h"
#include "base/repeats.h"
#include "base/text.h"
#include "base/utf8.h"
#include "fuzz/target.h"

// Output of programs and words of machines, before a model or a person gets to see them.
namespace yonder::fuzz {
namespace {

// Several lines, with tabs.
void require_clean(const std::string& text) {
  for (const auto& line : split(text, '\n')) {
    for (const auto& field : split(line, '\t')) {
      require_printable(field, "clean text holds no control characters");
    }
  }
}

void far_text(std::string_view bytes) {
  const auto clean = clean_text(bytes);
  require_clean(clean.text);
  require(clean.text.size() <= 3 * bytes.size(), "clean text is not much longer");
  require_clean(clean_text(clean.text).text);
  HeadTail stream(5, 7);
  stream.append(bytes);
  require(stream.head().size() + stream.left_out() + stream.tail().size() == bytes.size(),
          "every byte is kept or counted");
  require_clean(clean_text(stream).text);
  require_clean(fold_repeats(clean.text));
  require_printable(printable(bytes), "a name can be shown");
  const std::string quoted = quoted_far_text(bytes, 40);
  require_printable(quoted, "words of a machine can be shown");
  require(quoted.size() <= 40 * 4 + 20, "and are bounded");
  require(quoted.find('\'', 1) >= quoted.size() - 1, "and do not leave their quotes");
  require_printable(far_name(bytes), "a machine's name can be shown");
  require(is_utf8(repair_utf8(bytes).text), "repaired text is UTF-8");
  require(is_utf8(shown_name(bytes)), "the name of a file is UTF-8");
  require(from_base64(to_base64(bytes)) == std::string(bytes), "base64 is decoded as what it was");
  if (const auto decoded = from_base64(bytes)) {
    require(decoded->size() <= bytes.size(), "base64 is longer than what it says");
  }
}

const Registered kFarText("far_text", far_text);

}  // namespace
}  // namespace yonder::fuzz
