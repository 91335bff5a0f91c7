#include "cli/place_words.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "cli/parsing_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PlaceWords, AColonBeforeAnySlashNamesAMachine) {
  struct Case {
    const char* word;
    const char* machine;
    const char* path;
  };
  const std::vector<Case> cases{
      {"gpu1:exp", "gpu1", "exp"},
      {"gpu1:", "gpu1", ""},
      {"gpu1:/scratch/x", "gpu1", "/scratch/x"},
      {"gpu1:~/exp", "gpu1", "~/exp"},
      {"gpu1:a:b", "gpu1", "a:b"},
      {"me@10.0.0.7:exp", "me@10.0.0.7", "exp"},
      {"[::1]:exp", "[::1]", "exp"},
      {"me@[fe80::1%eth0]:exp", "me@[fe80::1%eth0]", "exp"},
      {"[gpu1]:exp", "gpu1", "exp"},
      {"[me@host:2222]:exp", "me@host:2222", "exp"},
      {"ssh://me@host:2222/exp/a", "ssh://me@host:2222", "exp/a"},
      {"ssh://host//scratch", "ssh://host", "/scratch"},
      {"ssh://[::1]:22", "ssh://[::1]:22", ""},
      // Paths.
      {"", "", ""},
      {"exp", "", "exp"},
      {"./a:b", "", "./a:b"},
      {"/a:b", "", "/a:b"},
      {"a/b:c", "", "a/b:c"},
      {":a", "", ":a"},
      {"~/a:b", "", "~/a:b"},
      {"[a", "", "[a"},
      {"[a:b", "", "[a:b"},
  };
  for (const auto& c : cases) {
    const PlaceWord place = split_place(c.word);
    EXPECT_EQ(place.machine, c.machine) << c.word;
    EXPECT_EQ(place.path, c.path) << c.word;
  }
}

std::string shown(const Result<std::vector<Copy>>& copies) {
  if (!copies) return copies.error().message + " | " + copies.error().hint;
  std::vector<std::string> lines;
  for (const auto& copy : *copies) {
    lines.push_back(concat(copy.sandbox, " ", copy.source, " > ", copy.target));
  }
  return join(lines, "; ");
}

TEST(PlaceWords, PushUnderstandsEveryWayToNameItsMachine) {
  struct Case {
    const char* named;
    Words words;
    const char* what;
  };
  const std::vector<Case> cases{
      {"", {"src", "gpu1:exp"}, "gpu1 src > exp"},
      {"", {"src", "gpu1:"}, "gpu1 src > ."},
      {"", {"./a:b", "gpu1:exp"}, "gpu1 ./a:b > exp"},
      {"", {"a", "b/", "x/c", "gpu1:exp"}, "gpu1 a > exp/a; gpu1 b/ > exp/b; gpu1 x/c > exp/c"},
      {"", {"a", "b", "gpu1:/"}, "gpu1 a > /a; gpu1 b > /b"},
      {"", {"a", "b", "gpu1:"}, "gpu1 a > a; gpu1 b > b"},
      {"", {"src", "exp"}, " src > exp"},
      {"", {"gpu1", "src", "exp"}, "gpu1 src > exp"},
      {"", {"gpu1", "a", "b", "exp"}, "gpu1 a > exp/a; gpu1 b > exp/b"},
      {"gpu1", {"src", "exp"}, "gpu1 src > exp"},
      {"gpu1", {"a", "b", "exp"}, "gpu1 a > exp/a; gpu1 b > exp/b"},
      {"gpu1", {"src", "gpu1:exp"}, "gpu1 src > exp"},
      {"", {"gpu1", "src", "./a:b"}, "gpu1 src > ./a:b"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(shown(push_words(c.named, c.words)), c.what) << ::testing::PrintToString(c.words);
  }
}

TEST(PlaceWords, PushRefusesWhatCouldMeanTwoThings) {
  EXPECT_THAT(shown(push_words("gpu2", {"src", "gpu1:exp"})),
              HasSubstr("two machines are named: gpu2 and gpu1"));
  EXPECT_THAT(shown(push_words("", {"a:b", "gpu1:exp"})), HasSubstr("./a:b"));
  EXPECT_THAT(shown(push_words("", {"gpu1:exp", "here"})), HasSubstr("yonder pull"));
  EXPECT_THAT(shown(push_words("", {"", "a", "b"})), HasSubstr("name is empty"));
  EXPECT_THAT(shown(push_words("", {"./a", "b", "exp"})), HasSubstr("NAME:PATH"));
  EXPECT_THAT(shown(push_words("", {"a", "x/a", "gpu1:exp"})), HasSubstr("called 'a'"));
  EXPECT_THAT(shown(push_words("", {"a", "..", "gpu1:exp"})), HasSubstr("'..' has no name"));
}

TEST(PlaceWords, PullUnderstandsEveryWayToNameItsMachine) {
  struct Case {
    const char* named;
    Words words;
    const char* what;
  };
  const std::vector<Case> cases{
      {"", {"gpu1:exp", "."}, "gpu1 exp > ."},
      {"", {"gpu1:", "home"}, "gpu1 . > home"},
      {"", {"gpu1:a", "gpu1:x/b", "DIR"}, "gpu1 a > DIR/a; gpu1 x/b > DIR/b"},
      {"", {"gpu1:a", "gpu2:b", "DIR/"}, "gpu1 a > DIR/a; gpu2 b > DIR/b"},
      {"", {"exp", "."}, " exp > ."},
      {"", {"gpu1", "exp", "."}, "gpu1 exp > ."},
      {"", {"gpu1", "a", "b", "DIR"}, "gpu1 a > DIR/a; gpu1 b > DIR/b"},
      {"gpu1", {"a", "gpu1:b", "DIR"}, "gpu1 a > DIR/a; gpu1 b > DIR/b"},
      {"gpu1", {"exp", "./a:b"}, "gpu1 exp > ./a:b"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(shown(pull_words(c.named, c.words)), c.what) << ::testing::PrintToString(c.words);
  }
  EXPECT_THAT(shown(pull_words("", {"gpu1:a", "a:b"})), HasSubstr("./a:b"));
  EXPECT_THAT(shown(pull_words("gpu2", {"gpu1:a", "b"})), HasSubstr("two machines"));
  EXPECT_THAT(shown(pull_words("", {"gpu1:a", "b", "DIR"})), HasSubstr("'b' names no machine"));
  EXPECT_THAT(shown(pull_words("", {"gpu1:a", "gpu1:", "DIR"})), HasSubstr("'.' has no name"));
}

TEST(PlaceWords, EveryCommandTakesTheMachineInTheSameWays) {
  struct Case {
    Words words;
    const char* sandbox;
    const char* path;
  };
  for (const auto& c : std::vector<Case>{{{"ls", "gpu1:"}, "gpu1", "."},
                                         {{"ls", "gpu1:dir"}, "gpu1", "dir"},
                                         {{"ls", "gpu1", "dir"}, "gpu1", "dir"},
                                         {{"ls", "gpu1", "gpu1:dir"}, "gpu1", "dir"},
                                         {{"ls", "--sandbox", "gpu1", "dir"}, "gpu1", "dir"},
                                         {{"ls", "gpu1:x", "--sandbox", "gpu1"}, "gpu1", "x"},
                                         {{"ls", "./a:b"}, "", "./a:b"},
                                         {{"ls", "dir"}, "", "dir"}}) {
    const auto ls = parsed<LsOptions>(c.words);
    EXPECT_EQ(ls.sandbox, c.sandbox) << ::testing::PrintToString(c.words);
    EXPECT_EQ(ls.path, c.path) << ::testing::PrintToString(c.words);
  }
  const auto cat = parsed<CatOptions>({"cat", "gpu1:a", "gpu1:b"});
  EXPECT_EQ(cat.sandbox, "gpu1");
  EXPECT_THAT(cat.paths, ElementsAre("a", "b"));
  for (const Words& words : {Words{"write", "gpu1:f"}, Words{"write", "gpu1", "f"}}) {
    EXPECT_EQ(parsed<WriteOptions>(words).sandbox, "gpu1");
    EXPECT_EQ(parsed<WriteOptions>(words).path, "f");
  }
  for (const Words& words : {Words{"edit", "gpu1:f"}, Words{"edit", "gpu1", "f"}}) {
    EXPECT_EQ(parsed<EditOptions>(words).sandbox, "gpu1");
    EXPECT_EQ(parsed<EditOptions>(words).path, "f");
  }
  for (const Words& words : {Words{"grep", "a:b", "gpu1:dir"}, Words{"grep", "gpu1", "a:b", "dir"},
                             Words{"grep", "--sandbox", "gpu1", "a:b", "dir"}}) {
    const auto grep = parsed<GrepOptions>(words);
    EXPECT_EQ(grep.sandbox, "gpu1");
    EXPECT_EQ(grep.pattern, "a:b");
    EXPECT_EQ(grep.path, "dir");
  }
  for (const Words& words : {Words{"git-sync", "gpu1:x"}, Words{"git-sync", "gpu1", "x"},
                             Words{"git-sync", "--sandbox", "gpu1", "x"}}) {
    EXPECT_EQ(parsed<GitSyncOptions>(words).request.sandbox, "gpu1");
    EXPECT_EQ(parsed<GitSyncOptions>(words).request.remote_path, "x");
  }
}

TEST(PlaceWords, RunsAndBatchesAreNamedWithTheirMachineToo) {
  const auto logs = parsed<LogsOptions>({"logs", "gpu1:nightly"});
  EXPECT_EQ(logs.which.sandbox, "gpu1");
  EXPECT_THAT(logs.which.runs, ElementsAre("nightly"));
  EXPECT_THAT(parsed<StopOptions>({"stop", "gpu1:a", "gpu1:b"}).which.runs, ElementsAre("a", "b"));
  EXPECT_THAT(refusal({"stop", "gpu1:"}), HasSubstr("missing behind the name"));
  for (const Words& words :
       {Words{"restore", "gpu1:2026", "a:b"}, Words{"restore", "gpu1", "2026", "a:b"},
        Words{"restore", "--sandbox", "gpu1", "2026", "a:b"}}) {
    const auto restore = parsed<RestoreOptions>(words);
    EXPECT_EQ(restore.sandbox, "gpu1");
    EXPECT_EQ(restore.batch, "2026");
    EXPECT_THAT(restore.paths, ElementsAre("a:b"));
  }
  for (const Words& words : {Words{"restore", "gpu1:"}, Words{"restore", "gpu1"}}) {
    EXPECT_EQ(parsed<RestoreOptions>(words).sandbox, "gpu1");
    EXPECT_EQ(parsed<RestoreOptions>(words).batch, "");
  }
  EXPECT_EQ(parsed<RestoreOptions>({"restore", "20261116T081502-k3fa"}).sandbox, "");
}

TEST(PlaceWords, TheOptionSaysTheSameAsTheNameWhereThereIsNoPath) {
  EXPECT_EQ(parsed<ExecOptions>({"exec", "--sandbox", "gpu1", "--", "true"}).sandbox, "gpu1");
  EXPECT_EQ(parsed<ExecOptions>({"exec", "me@host:2222", "--", "true"}).sandbox, "me@host:2222");
  EXPECT_EQ(parsed<RunOptions>({"run", "--sandbox", "gpu1", "--", "true"}).sandbox, "gpu1");
  EXPECT_EQ(parsed<PsOptions>({"ps", "--sandbox", "gpu1"}).sandbox, "gpu1");
  EXPECT_EQ(parsed<DoctorOptions>({"doctor", "--sandbox", "gpu1"}).sandbox, "gpu1");
  EXPECT_EQ(parsed<LoginOptions>({"login", "--sandbox", "gpu1"}).sandbox, "gpu1");
  EXPECT_THAT(parsed<GpusOptions>({"gpus", "a", "--sandbox", "b"}).sandboxes,
              ElementsAre("a", "b"));
}

TEST(PlaceWords, TwoMachinesAreAUsageError) {
  for (const Words& words :
       {Words{"exec", "gpu1", "--sandbox", "gpu2", "--", "true"},
        Words{"ps", "a", "--sandbox", "b"}, Words{"ls", "gpu1:x", "--sandbox", "gpu2"},
        Words{"ls", "gpu1", "gpu2:x"}, Words{"cat", "gpu1:a", "gpu2:b"},
        Words{"grep", "x", "gpu1:d", "--sandbox", "gpu2"},
        Words{"restore", "gpu1:2026", "--sandbox", "gpu2"},
        Words{"logs", "gpu1:r-abcd", "--sandbox", "gpu2"},
        Words{"push", "a", "gpu1:b", "--sandbox", "gpu2"},
        Words{"git-sync", "gpu1:x", "--sandbox", "gpu2"}}) {
    EXPECT_THAT(refusal(words), HasSubstr("two machines are named"))
        << ::testing::PrintToString(words);
  }
  EXPECT_THAT(refusal({"cat", "gpu1:a", "b"}), HasSubstr("give it as gpu1:b"));
}

}  // namespace
}  // namespace yonder::cli
