#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clean_text.h"
#include "base/scratch_test.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "tree/random_tree_test.h"
#include "tree/rules.h"

// Git is asked about the same trees.
namespace yonder::tree {
namespace {

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

  void write(const RandomTree& tree, const std::string& prefix) const {
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
    const auto ran = run_captured(options, input, std::size_t{1} << 28U, testing::patience());
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

RuleSet rules_of(const RandomTree& tree, const std::string& prefix) {
  RuleSet rules;
  for (const auto& [directory, content] : tree.ignore_files) {
    const std::string file = directory.empty() ? ".gitignore" : directory + "/.gitignore";
    const auto added = rules.add_file(directory, content, prefix + file);
    EXPECT_TRUE(added) << added.error().message;
  }
  return rules;
}

void add_questions(const RandomTree& tree, const std::string& prefix, unsigned seed,
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
  constexpr unsigned kTrees = 300;
  const GitRepository git;
  std::vector<Question> questions;
  const auto prefix_of = [](unsigned seed) { return concat("t", seed, "/"); };
  for (unsigned seed = first_seed(); seed < first_seed() + kTrees; ++seed) {
    const RandomTree tree = TreeGenerator(seed).tree();
    git.write(tree, prefix_of(seed));
    add_questions(tree, prefix_of(seed), seed, questions);
  }
  const Tally tally = compare(git, questions, prefix_of);
  EXPECT_EQ(tally.disagreements, 0U);
  EXPECT_GT(questions.size(), 5'000U);
  EXPECT_GT(tally.matched, questions.size() / 10);  // or the trees would prove little
  EXPECT_LT(tally.matched, questions.size());
}

void add_paths(std::vector<std::string>& paths, const std::string& above, int depth) {
  for (const char* name : {"a", "b", "aab"}) {
    paths.push_back(above + name);
    if (depth > 1) add_paths(paths, above + name + "/", depth - 1);
  }
}

TEST(RulesAgainstGit, StarsAcrossDirectoriesGetTheSameAnswers) {
  constexpr unsigned kPatterns = 500;
  const GitRepository git;
  std::vector<Question> questions;
  const auto prefix_of = [](unsigned seed) { return concat("p", seed, "/"); };
  for (unsigned seed = first_seed(); seed < first_seed() + kPatterns; ++seed) {
    RandomTree tree;
    // No directory is left out, so that the pattern has to judge every path itself.
    tree.ignore_files[""] = TreeGenerator(seed).starry_pattern() + "\n!*/\n";
    add_paths(tree.files, "", 4);
    git.write(tree, prefix_of(seed));
    add_questions(tree, prefix_of(seed), seed, questions);
  }
  const Tally tally = compare(git, questions, prefix_of);
  EXPECT_EQ(tally.disagreements, 0U);
  EXPECT_GT(tally.matched, questions.size() / 20);
  EXPECT_LT(tally.matched, questions.size() / 2);
}

TEST(RulesAgainstGit, ATreeAtTheRootOfARepositoryGetsTheSameAnswers) {
  for (unsigned seed = 100'001; seed <= 100'020; ++seed) {
    const GitRepository git;
    const RandomTree tree = TreeGenerator(seed).tree();
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
    RandomTree tree;
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
