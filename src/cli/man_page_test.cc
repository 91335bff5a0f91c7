#include "cli/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/subprocess.h"
#include "cli/help_text.h"
#include "cli/parse.h"

namespace yonder::cli {
namespace {

using ::testing::HasSubstr;

std::string page_of(const std::string& help) {
  return man_page({.name = "yonder-try", .help = help, .see_also = {"yonder", "ssh"}}, "0.1.0");
}

const std::string kStart = "Try it\nUsage: yonder try [NAME]\n       yonder try --all\n\n";

TEST(ManPage, BeginsWithNameAndSynopsis) {
  const std::string page = page_of(kStart);
  EXPECT_THAT(page, HasSubstr(".SH NAME\nyonder\\-try \\- try it\n"));
  EXPECT_THAT(page, HasSubstr("yonder try [NAME]\nyonder try \\-\\-all\n"));
  EXPECT_THAT(page, HasSubstr("\"yonder 0.1.0\""));
  EXPECT_THAT(page, HasSubstr(".SH SEE ALSO\n\\fByonder\\fR(1),\n\\fBssh\\fR(1)\n"));
}

TEST(ManPage, PutsTheDescriptionBeforeTheOptions) {
  const std::string page = page_of(kStart +
                                   "Options:\n  --cwd DIR     Start there\n\n"
                                   "It tries.\n\nExit status: 0 when it worked.\n");
  EXPECT_THAT(page, HasSubstr(".SH DESCRIPTION\n.PP\nIt tries.\n.SH OPTIONS\n"
                              ".TP\n\\fB\\-\\-cwd DIR\\fR\nStart there\n"
                              ".SH EXIT STATUS\n.PP\n0 when it worked.\n"));
}

TEST(ManPage, JoinsASecondColumnThatGoesOn) {
  const std::string page = page_of(kStart +
                                   "Environment:\n  A_LONG_NAME, ANOTHER\n"
                                   "                 one thing\n"
                                   "  SHORT          another\n"
                                   "                 thing\n"
                                   "                   as.it = is\n");
  EXPECT_THAT(page, HasSubstr("\\fBA_LONG_NAME, ANOTHER\\fR\none thing\n"));
  EXPECT_THAT(page, HasSubstr("\\fBSHORT\\fR\nanother thing\n.EX\n  as.it = is\n.EE\n"));
}

TEST(ManPage, ShowsExamplesAsTheyAre) {
  const std::string page =
      page_of(kStart + "Examples:\n  yonder try -- 'a\\b' `c` ~/d\n  ./e | f\n");
  EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n.PP\n.EX\n"
                              "yonder try \\-\\- \\(aqa\\eb\\(aq \\(gac\\(ga \\(ti/d\n"
                              "\\&./e | f\n.EE\n"));
}

TEST(ManPage, KeepsASentenceThatEndsInAColonApartFromTitles) {
  const std::string sentence =
      "It refuses, and it says what would have been lost if it had not done so:";
  const std::string page = page_of(kStart + sentence + "\n  --force   says otherwise\n\n" +
                                   "First steps:\n  yonder try\n");
  EXPECT_THAT(page, HasSubstr(".PP\n" + sentence + "\n.TP\n"));
  EXPECT_THAT(page, HasSubstr(".SS First steps\n"));
}

TEST(ManPage, DescribesWhatHasOnlyASummary) {
  EXPECT_THAT(page_of(kStart), HasSubstr(".SH DESCRIPTION\n.PP\nTry it.\n"));
}

// Every page of the program, read by the program that shows them.
TEST(ManPage, IsReadByGroffWithoutAComplaint) {
  std::vector<ManTopic> topics{{.name = "yonder", .help = top_help(), .see_also = {"ssh"}}};
  for (const auto& command : command_shapes()) {
    topics.push_back({.name = "yonder-" + command.name, .help = command.help});
  }
  for (const auto& topic : topics) {
    const auto result = run_captured(
        {.argv = {"groff", "-man", "-Tutf8", "-ww"}, .environment = {"PATH=/usr/bin:/bin"}},
        man_page(topic, "0.1.0"), 1 << 20, Deadline::after(std::chrono::seconds(20)));
    if (!result || result->status.code == 127) GTEST_SKIP() << "there is no groff";
    EXPECT_TRUE(result->status.success()) << topic.name;
    EXPECT_EQ(result->err, "") << topic.name;
    EXPECT_THAT(result->out, HasSubstr(topic.name + " - ")) << topic.name;
  }
}

}  // namespace
}  // namespace yonder::cli
