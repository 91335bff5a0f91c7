#include "fuzz/target.h"
#include "tree/pack_rules.h"
#include "tree/rules.h"

// An ignore file out of a stranger's tree; the second piece is a path to be judged by it.
namespace yonder::fuzz {
namespace {

void ignore_file(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::string_view text = pieces.piece();
  tree::RuleSet rules;
  if (!rules.add_file("sub/dir", text, "sub/dir/.gitignore")) return;
  if (!rules.add_file("", text, ".gitignore", tree::Level::ExcludeFile)) return;
  const std::string packed = tree::pack_rules(rules);
  const auto again = tree::unpack_rules(packed);
  require(again && tree::pack_rules(*again) == packed, "rules get there as they are");
  const std::string path(pieces.rest());
  for (const bool is_directory : {false, true}) {
    const auto verdict = rules.judge(path, is_directory);
    require(verdict.excluded == again->judge(path, is_directory).excluded, "both ends judge alike");
    if (verdict.rule != nullptr) {
      require_printable(tree::RuleSet::describe(*verdict.rule), "a rule can be shown");
    }
  }
}

const Registered kIgnoreFile("ignore_file", ignore_file);

}  // namespace
}  // namespace yonder::fuzz
