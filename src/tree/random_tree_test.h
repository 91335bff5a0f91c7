#pragma once

#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::tree {

// Directories exist; of files only the names are asked about, which is enough for git.
struct RandomTree {
  std::map<std::string, std::string> ignore_files;  // directory → content
  std::vector<std::string> directories;
  std::vector<std::string> files;
};

// Names and patterns are made from few letters, so that they meet often.
class TreeGenerator {
 public:
  explicit TreeGenerator(unsigned seed) : random_(seed) {}

  RandomTree tree() {
    RandomTree tree;
    add_directory(tree, "", 0);
    return tree;
  }

  // Few letters and many stars, for paths of a few letters.
  std::string starry_pattern() {
    static constexpr std::array<std::string_view, 12> kParts{
        "**", "**", "**", "*", "a", "b", "a*", "*b", "?", "a*b", "*a*", "[!b]*"};
    std::string out = one_in(4) ? "/" : "";
    out += pick(kParts);
    for (std::size_t more = 1 + below(4); more > 0; --more) {
      out += (one_in(8) ? "\\/" : "/") + pick(kParts);
    }
    return out;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <std::size_t N>
  std::string pick(const std::array<std::string_view, N>& from) {
    return std::string(from[below(N)]);
  }

  std::string name() {
    static constexpr std::array<std::string_view, 27> kNames{
        "a",  "b",  "ab", "ba", "aab",  "a.b",      "b.a",  ".a",  "[",
        "]",  "\\", "*",  "?",  "!",    "#",        " ",    "a ",  "a  b",
        "#a", "!a", "-",  "^",  "\xff", "\xc3\xa4", "a\\b", "[a]", "A"};
    return one_in(4) ? pick(kNames) + pick(kNames) : pick(kNames);
  }

  std::string atom() {
    static constexpr std::array<std::string_view, 38> kAtoms{"*",           "*",
                                                             "*",           "?",
                                                             "**",          "a",
                                                             "b",           "ab",
                                                             "a.b",         ".",
                                                             "[ab]",        "[!a]",
                                                             "[^b]",        "[a-b]",
                                                             "[]a]",        "[a",
                                                             "[[:alpha:]]", "[[:punct:]]",
                                                             "[[:no:]]",    "[[:a]",
                                                             "[a-]",        "[!]]",
                                                             "[\\]]",       "[--a]",
                                                             "[a-\\b]",     "[a-[:digit:]]",
                                                             "\\a",         "\\*",
                                                             "\\?",         "\\[",
                                                             "\\\\",        "\\ ",
                                                             "\\",          " ",
                                                             "!",           "#",
                                                             "\xff",        "[\x80-\xff]"};
    return pick(kAtoms);
  }

  std::string part() {
    if (one_in(4)) return name();
    if (one_in(6)) return one_in(4) ? "***" : "**";
    std::string out;
    for (std::size_t atoms = 1 + below(3); atoms > 0; --atoms) out += atom();
    return out;
  }

  std::string noise() {
    static constexpr std::string_view kLetters = "aabb.**??[]!^-\\\\//# :\t";
    std::string out;
    for (std::size_t size = 1 + below(8); size > 0; --size) out += kLetters[below(kLetters.size())];
    return out;
  }

  std::string pattern() {
    std::string out = one_in(4) ? "!" : "";
    if (one_in(5)) out += "/";
    if (one_in(12)) out += one_in(2) ? "\\!" : "\\#";
    if (one_in(5)) {
      out += noise();
    } else {
      out += part();
      for (std::size_t more = below(3); more > 0; --more) out += (one_in(8) ? "\\/" : "/") + part();
    }
    if (one_in(5)) out += "/";
    return out;
  }

  // Older gits take `x**/y` for `x` followed by `**/y`, against their own manual. Newer ones do
  // not, and neither do we; so no pattern has two stars right behind its plain beginning.
  static bool versions_differ(std::string_view pattern) {
    const std::size_t wild = pattern.find_first_of("*?[\\");
    return wild != std::string_view::npos && wild > 0 && pattern.substr(wild).starts_with("**") &&
           pattern[wild - 1] != '/' && pattern.substr(0, wild) != "!";
  }

  std::string line() {
    std::string out = pattern();
    while (versions_differ(out)) out = pattern();
    if (one_in(8)) out += std::string(1 + below(2), ' ');
    if (one_in(20)) out += "\t";
    if (one_in(12)) out += "\r";
    return out;
  }

  std::string ignore_file() {
    std::string out = one_in(10) ? "\xef\xbb\xbf" : "";
    for (std::size_t lines = 1 + below(5); lines > 0; --lines) out += line() + "\n";
    if (one_in(5)) out += one_in(2) ? "# a" : "\r\n\n";
    if (one_in(5)) out += line();
    return out;
  }

  // Few directories, for each has to be made on a disk that may be busy.
  void add_directory(RandomTree& tree, const std::string& path, int depth) {
    if (depth == 0 || one_in(3)) tree.ignore_files[path] = ignore_file();
    std::set<std::string> taken;
    for (int entry = 0; entry < 7; ++entry) {
      const std::string chosen = name();
      if (!taken.insert(chosen).second) continue;
      const std::string below_path = path.empty() ? chosen : path + "/" + chosen;
      if (depth < 3 && one_in(4)) {
        tree.directories.push_back(below_path);
        add_directory(tree, below_path, depth + 1);
      } else {
        tree.files.push_back(below_path);
      }
    }
  }

  std::mt19937 random_;
};

}  // namespace yonder::tree
