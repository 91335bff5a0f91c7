#include <array>

#include "tree/rules.h"

namespace yonder::tree {
namespace {

// `.git` is a file in a worktree and in a submodule, and as useless elsewhere as the directory.
constexpr std::array<std::string_view, 6> kUseless{".git",         ".idea/", ".vscode/",
                                                   "__pycache__/", "*.pyc",  "node_modules/"};

// No `*.pem`: certificates are often wanted. Examples of settings hold no secrets.
constexpr std::array<std::string_view, 11> kSecrets{
    ".env",       ".env.*",   "!.env.example", "!.env.sample", "!.env.template",     "id_rsa",
    "id_ed25519", "id_ecdsa", "id_dsa",        ".netrc",       "**/.aws/credentials"};

void add_all(RuleSet& rules, const auto& patterns, std::string_view source) {
  for (const std::string_view pattern : patterns) {
    // Fails only in a set that is full, which then says so to whoever adds the user's rules.
    [[maybe_unused]] const auto added =
        rules.add("", pattern, {std::string(source)}, Level::Defaults);
  }
}

}  // namespace

void add_defaults(RuleSet& rules) {
  add_all(rules, kUseless, kBuiltIn);
  add_all(rules, kSecrets, kBuiltInSecret);
}

}  // namespace yonder::tree
