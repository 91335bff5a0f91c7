#include "ops/git_sync_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::ops {
namespace {

using ::testing::ElementsAre;

const std::string kA(40, 'a');
const std::string kB(40, 'b');

// Records as the scripts print them.
std::string records(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& record : all) {
    text += record;
    text += '\0';
  }
  return text;
}

std::string repository(const std::vector<std::string>& more) {
  std::vector<std::string> all{"yonder-git-sync 1", "path=/x"};
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), {"state=repository", "done"});
  return records(all);
}

TEST(GitReport, ReadsWhatIsThere) {
  const auto far = parse_far_repository(
      repository({"bare=false", "head=" + kA, "ref=refs/heads/main", "tip=" + kA, "has=yes",
                  "history=commit " + kA + "\nfirst = subject\ncommit " + kB, "more=" + kB,
                  "refs=" + kA + " \n" + kA + " " + kB, "changes", " M a b", "D  x", ""}));
  ASSERT_TRUE(far) << far.error().message;
  EXPECT_EQ(far->head, kA);
  EXPECT_TRUE(far->has_commit);
  ASSERT_EQ(far->history.size(), 2U);
  EXPECT_EQ(far->history[0].subject, "first = subject");
  EXPECT_EQ(far->history[1].subject, "");
  EXPECT_THAT(far->known, ElementsAre(kB, kA));
  EXPECT_THAT(far->dirty, ElementsAre("a b", "x"));
  EXPECT_EQ(far->changes, records({" M a b", "D  x"}));
}

TEST(GitReport, TakesPathsForNothingElse) {
  const auto far = parse_far_repository(repository({"changes", " M state=missing", " M done", ""}));
  ASSERT_TRUE(far);
  EXPECT_EQ(far->state, "repository");
  EXPECT_THAT(far->dirty, ElementsAre("state=missing", "done"));
}

TEST(GitReport, RefusesWhatIsBroken) {
  const std::vector<std::string> broken{
      "",
      "hello",
      records({"yonder-git-sync 2", "path=/x", "state=repository", "done"}),
      records({"yonder-git-sync 1", "path=/x", "state=repository"}),
      records({"yonder-git-sync 1", "state=repository", "done"}),
      records({"yonder-git-sync 1", "path=x", "state=repository", "done"}),
      records({"yonder-git-sync 1", "path=/x", "done"}),
      repository({"head=--upload-pack=evil"}),
      repository({"tip=" + kA + "0"}),
      repository({"more=" + kA + "\n--all"}),
      repository({"refs=x"}),
      repository({"shallow=" + std::string(40, 'G')}),
      repository({"history=commit x\ny"}),
      repository({"history=" + kA}),
      repository({"changes", "M", ""}),
      records({"yonder-git-sync 1", "path=/x", "changes", " M a"}),
  };
  for (const auto& text : broken) EXPECT_FALSE(parse_far_repository(text)) << text;
}

TEST(GitReport, ReadsHowItWent) {
  const auto done = parse_far_outcome(
      records({"yonder-git-sync 1", "in_the_way", "a", "b\nc", "", "", "code=3", "outcome=ok",
               "step=x", "head=" + kA, "ref=", "tip=", "stash=" + kB, "done"}));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->outcome, "ok");
  EXPECT_EQ(done->code, "3");
  EXPECT_EQ(done->stash, kB);
  EXPECT_THAT(done->in_the_way, ElementsAre("a", "b\nc"));
  EXPECT_FALSE(parse_far_outcome(records({"yonder-git-sync 1", "done"})));
  EXPECT_FALSE(parse_far_outcome(records({"yonder-git-sync 1", "outcome=ok", "head=x", "done"})));
}

}  // namespace
}  // namespace yonder::ops
