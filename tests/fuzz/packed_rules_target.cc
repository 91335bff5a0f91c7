#include "fuzz/again.h"
#include "tree/pack_rules.h"
#include "tree/rules.h"

// Sync rules as they come from the near side.
namespace yonder::fuzz {
namespace {

void packed_rules(std::string_view bytes) {
  const auto rules = tree::unpack_rules(bytes);
  if (!rules) return;
  require(rules->size() <= tree::kMaxRules, "there is an end to rules");
  for (const char* path : {"a", "src/main.o", "a/b/c/.env", "x\xff/[y]*"}) {
    const auto verdict = rules->judge_with_parents(path, false);
    require(!verdict.excluded || verdict.rule != nullptr, "what is left out is so by a rule");
    if (verdict.rule != nullptr) {
      require_printable(tree::RuleSet::describe(*verdict.rule), "a rule can be shown");
    }
  }
  same_again(bytes, tree::unpack_rules, tree::pack_rules);
}

std::vector<std::string> sample_packed_rules() {
  tree::RuleSet rules;
  tree::add_defaults(rules);
  tree::RuleSet few;
  require(few.add("", "!*.o", {"excludes", 1}).has_value() &&
              few.add_file("sub", "/a\n#c\n**/b/\n[a-z]?*\n", ".gitignore").has_value(),
          "these are rules");
  return {tree::pack_rules(rules), tree::pack_rules(few)};
}

const Registered kPackedRules("packed_rules", packed_rules, sample_packed_rules);

}  // namespace
}  // namespace yonder::fuzz
