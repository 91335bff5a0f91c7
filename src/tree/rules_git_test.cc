#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clean_text.h"
#include "base/scratch_test.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "tree/rules.h"

// Git is asked about the same trees. Names and patterns are made from few letters, so that they
// meet often.
namespace yonder::tree {
namespace {

// Directories exist; of files only the names are asked about, which is enough for git.
struct Tree {
  std::map<std::string, std::string> ignore_files;  // directory → content
  std::vector<std::string> directories;
  std::vector<std::string> files;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Tree tree() {
    Tree tree;
    add_directory(tree, "", 0);
    return tree;
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

  void add_directory(Tree& tree, const std::string& path, int depth) {
    if (depth == 0 || one_in(3)) tree.ignore_files[path] = ignore_file();
    std::set<std::string> taken;
    for (int entry = 0; entry < 7; ++entry) {
      const std::string chosen = name();
      if (!taken.insert(chosen).second) continue;
      const std::string below_path = path.empty() ? chosen : path + "/" + chosen;
      if (depth < 3 && one_in(2)) {
        tree.directories.push_back(below_path);
        add_directory(tree, below_path, depth + 1);
      } else {
        tree.files.push_back(below_path);
      }
    }
  }

  std::mt19937 random_;
};

struct Answer {
  std::string source;  // "" where no rule matched
  int line = 0;
  std::string pattern;
  bool operator==(const Answer&) const = default;
};

std::string show(const Answer& answer) {
  if (answer.source.empty()) return "no rule";
  return concat(printable(answer.source), ":", answer.line, " `", printable(answer.pattern), "`");
}

// A repository that holds many trees, for one process of git costs more than all its answers.
class GitRepository {
 public:
  GitRepository() {
    std::filesystem::create_directories(scratch_ / "home");
    std::filesystem::create_directories(root());
    run({"init", "-q", "--template="}, "");
  }

  std::string root() const { return scratch_ / "work"; }

  void write(const Tree& tree, const std::string& prefix) const {
    std::filesystem::create_directories(root() + "/" + prefix);
    for (const auto& directory : tree.directories) {
      std::filesystem::create_directories(root() + "/" + prefix + directory);
    }
    for (const auto& [directory, content] : tree.ignore_files) {
      const std::string file = directory.empty() ? ".gitignore" : directory + "/.gitignore";
      scratch_.write("work/" + prefix + file, content);
    }
  }

  std::vector<Answer> ask(const std::vector<std::string>& paths) const {
    std::string input;
    for (const auto& path : paths) input += "./" + path + '\0';
    const auto fields = split(run({"check-ignore", "-v", "-n", "-z", "--stdin"}, input), '\0');
    std::vector<Answer> answers;
    for (std::size_t i = 0; i + 3 < fields.size(); i += 4) {
      answers.push_back({fields[i], std::atoi(fields[i + 1].c_str()), fields[i + 2]});
    }
    EXPECT_EQ(answers.size(), paths.size());
    answers.resize(paths.size());
    return answers;
  }

 private:
  std::string run(const std::vector<std::string>& arguments, const std::string& input) const {
    SpawnOptions options{.argv = {"git", "-C", root(), "-c", "core.excludesFile="},
                         .environment = {"HOME=" + (scratch_ / "home"), "GIT_CONFIG_NOSYSTEM=1",
                                         "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C"}};
    if (const char* path = std::getenv("PATH")) {
      options.environment.push_back(std::string("PATH=") + path);
    }
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    const auto ran = run_captured(options, input, std::size_t{1} << 28U,
                                  Deadline::after(std::chrono::seconds(60)));
    if (!ran) {
      ADD_FAILURE() << "these tests need git: " << ran.error().message;
      return {};
    }
    // check-ignore says 1 where nothing is ignored.
    EXPECT_TRUE(!ran->status.signaled && ran->status.code <= 1) << ran->err;
    return ran->out;
  }

  testing::Scratch scratch_;
};

struct Question {
  unsigned seed = 0;
  std::string path;  // within the tree
  bool is_directory = false;
  Answer ours;
  bool excluded = false;
};

RuleSet rules_of(const Tree& tree, const std::string& prefix) {
  RuleSet rules;
  for (const auto& [directory, content] : tree.ignore_files) {
    const std::string file = directory.empty() ? ".gitignore" : directory + "/.gitignore";
    const auto added = rules.add_file(directory, content, prefix + file);
    EXPECT_TRUE(added) << added.error().message;
  }
  return rules;
}

void add_questions(const Tree& tree, const std::string& prefix, unsigned seed,
                   std::vector<Question>& questions) {
  const RuleSet rules = rules_of(tree, prefix);
  const auto ask = [&](const std::string& path, bool is_directory) {
    Question question{.seed = seed, .path = path, .is_directory = is_directory};
    const Verdict verdict = rules.judge_with_parents(path, is_directory);
    question.excluded = verdict.excluded;
    if (verdict.rule != nullptr) {
      const RuleOrigin& origin = verdict.rule->origin;
      question.ours = {origin.source, origin.line, verdict.rule->text};
    }
    questions.push_back(std::move(question));
  };
  for (const auto& directory : tree.directories) ask(directory, true);
  for (const auto& file : tree.files) ask(file, false);
}

struct Tally {
  std::size_t matched = 0;
  std::size_t disagreements = 0;
};

Tally compare(const GitRepository& git, const std::vector<Question>& questions,
              const std::function<std::string(unsigned)>& prefix_of) {
  std::vector<std::string> paths;
  for (const Question& question : questions) {
    paths.push_back(prefix_of(question.seed) + question.path);
  }
  const auto answers = git.ask(paths);
  Tally tally;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question& asked = questions[i];
    if (!answers[i].source.empty()) ++tally.matched;
    const bool excluded = !answers[i].source.empty() && !answers[i].pattern.starts_with('!');
    if (answers[i] == asked.ours && excluded == asked.excluded) continue;
    if (++tally.disagreements > 20) continue;
    ADD_FAILURE() << "seed " << asked.seed << (asked.is_directory ? ", directory `" : ", file `")
                  << printable(asked.path) << "`: git says " << show(answers[i]) << "; we say "
                  << show(asked.ours);
  }
  return tally;
}

unsigned first_seed() {
  const char* seed = std::getenv("YONDER_RULES_SEED");
  return seed == nullptr ? 1 : static_cast<unsigned>(std::strtoul(seed, nullptr, 10));
}

TEST(RulesAgainstGit, ManyTreesGetTheSameAnswers) {
  constexpr unsigned kTrees = 500;
  const GitRepository git;
  std::vector<Question> questions;
  const auto prefix_of = [](unsigned seed) { return concat("t", seed, "/"); };
  for (unsigned seed = first_seed(); seed < first_seed() + kTrees; ++seed) {
    const Tree tree = Generator(seed).tree();
    git.write(tree, prefix_of(seed));
    add_questions(tree, prefix_of(seed), seed, questions);
  }
  const Tally tally = compare(git, questions, prefix_of);
  EXPECT_EQ(tally.disagreements, 0U);
  EXPECT_GT(questions.size(), 10'000U);
  EXPECT_GT(tally.matched, questions.size() / 4);  // or the trees would prove little
  EXPECT_LT(tally.matched, questions.size());
}

TEST(RulesAgainstGit, ATreeAtTheRootOfARepositoryGetsTheSameAnswers) {
  for (unsigned seed = 100'001; seed <= 100'020; ++seed) {
    const GitRepository git;
    const Tree tree = Generator(seed).tree();
    git.write(tree, "");
    std::vector<Question> questions;
    add_questions(tree, "", seed, questions);
    compare(git, questions, [](unsigned) { return ""; });
  }
}

TEST(RulesAgainstGit, EveryByteIsInTheSameClasses) {
  static constexpr std::array<std::string_view, 20> kClasses{
      "[[:alnum:]]", "[[:alpha:]]",   "[[:blank:]]", "[[:cntrl:]]", "[[:digit:]]",
      "[[:graph:]]", "[[:lower:]]",   "[[:print:]]", "[[:punct:]]", "[[:space:]]",
      "[[:upper:]]", "[[:xdigit:]]",  "[!a-z]",      "[^\\]-a]",    "[]-a]",
      "[a-c-e]",     "[[:digit:]-z]", "[\\\\-a]",    "[z-a]",       "[!!-~]"};
  const GitRepository git;
  std::vector<Question> questions;
  const auto prefix_of = [](unsigned number) { return concat("c", number, "/"); };
  for (unsigned number = 0; number < kClasses.size(); ++number) {
    Tree tree;
    tree.ignore_files[""] = concat("x", kClasses[number], "\n");
    for (int byte = 1; byte < 256; ++byte) {
      if (byte != '/') tree.files.push_back(concat("x", static_cast<char>(byte)));
    }
    git.write(tree, prefix_of(number));
    add_questions(tree, prefix_of(number), number, questions);
  }
  EXPECT_EQ(compare(git, questions, prefix_of).disagreements, 0U);
}

}  // namespace
}  // namespace yonder::tree
