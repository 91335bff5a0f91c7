#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/clean_text.h"
#include "base/text.h"
#include "fuzz/mutator.h"
#include "fuzz/target.h"

// The short form of scripts/fuzz: what is known to be telling, and some mutations of it, the same
// every time.
namespace yonder::fuzz {
namespace {

constexpr std::uint32_t kSeed = 20260101;
constexpr int kMutations = 1500;
constexpr std::size_t kLongest = 8192;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<std::string> corpus_of(const Target& target) {
  std::vector<std::filesystem::path> files;
  const auto directory = std::filesystem::path(YONDER_FUZZ_CORPUS) / target.name;
  // Where there are only samples there is no such directory.
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(directory, missing)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const auto& file : files) corpus.push_back(text_of(file));
  if (target.samples != nullptr) {
    for (auto& sample : target.samples()) corpus.push_back(std::move(sample));
  }
  return corpus;
}

class ForeignBytes : public ::testing::TestWithParam<Target> {
 protected:
  static void look(const std::string& bytes) {
    try {
      GetParam().look(bytes);
    } catch (const std::exception& e) {
      FAIL() << e.what() << ", for: " << printable(bytes).substr(0, 2000);
    }
  }
};

TEST_P(ForeignBytes, AreReadOrRefusedAndNeverBreakAPromise) {
  const auto corpus = corpus_of(GetParam());
  ASSERT_FALSE(corpus.empty());
  look("");
  for (const auto& bytes : corpus) look(bytes);
  Mutator mutator(kSeed);
  for (int i = 0; i < kMutations && !HasFatalFailure(); ++i) {
    const std::string& from = corpus[mutator.below(corpus.size())];
    look(mutator.mutate(from.substr(0, kLongest), corpus[mutator.below(corpus.size())]));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ForeignBytes, ::testing::ValuesIn(targets()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace yonder::fuzz
