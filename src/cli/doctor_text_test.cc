#include "cli/doctor_text.h"

#include <gtest/gtest.h>

namespace yonder::cli {
namespace {

TEST(DoctorText, GroupsFindingsAndIndentsFixes) {
  const ops::Diagnosis diagnosis{
      .general = {{.subject = "ssh", .seen = "/usr/bin/ssh"}},
      .sandboxes = {
          {.name = "gpu1",
           .findings = {{.verdict = ops::Verdict::Note, .subject = "clock", .seen = "3 s ahead"},
                        {.verdict = ops::Verdict::Problem,
                         .subject = "key file",
                         .seen = "not\nthere\x1b",
                         .fix = "make one"}}}}};
  EXPECT_EQ(doctor_text(diagnosis, false),
            "here\n"
            "  ok       ssh  /usr/bin/ssh\n"
            "\n"
            "gpu1\n"
            "  note     clock     3 s ahead\n"
            "  problem  key file  not / there\\x1b\n"
            "                     fix: make one\n"
            "\n"
            "1 problem.\n");
}

TEST(DoctorText, SaysWhenAllIsWell) {
  const ops::Diagnosis diagnosis{.general = {{.subject = "ssh", .seen = "x"}}};
  EXPECT_EQ(doctor_text(diagnosis, false), "here\n  ok       ssh  x\n\nAll is well.\n");
  EXPECT_NE(doctor_text(diagnosis, true).find("\x1b[32mok"), std::string::npos);
}

}  // namespace
}  // namespace yonder::cli
