#include "fuzz/target.h"
#include "tree/line_diff.h"
#include "tree/text_edit.h"

// A file, and an edit of it.
namespace yonder::fuzz {
namespace {

void edits(std::string_view bytes) {
  Pieces pieces(bytes);
  const bool all = pieces.byte() % 2 == 1;
  const std::string before(pieces.piece());
  const std::string old_text(pieces.piece());
  const std::string new_text(pieces.rest());
  const auto edited =
      tree::apply_edits(before, {{.old_text = old_text, .new_text = new_text, .replace_all = all}});
  if (!edited) return;
  require(edited->text.size() == before.size() + edited->replacements * new_text.size() -
                                     edited->replacements * old_text.size(),
          "every replacement is counted, and nothing else has changed");
  const auto diff = tree::line_diff(before, edited->text, 2000);
  require(diff.text.size() <= 4000, "a difference is bounded");
  require(before == edited->text || !diff.text.empty(), "a change makes a difference");
}

const Registered kEdits("edits", edits);

}  // namespace
}  // namespace yonder::fuzz
