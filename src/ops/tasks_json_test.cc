#include <gtest/gtest.h>

#include "base/text.h"
#include "ops/tasks.h"

namespace yonder::ops {
namespace {

TaskList long_list(int tasks) {
  TaskList list;
  for (int i = 0; i < tasks; ++i) {
    TaskInfo task{.sandbox = "gpu1",
                  .run_id = RunId(concat("r-", i)),
                  .command = std::string(4096, 'c'),
                  .description = std::string(4096, 'd')};
    task.status.state = i == tasks - 1 ? RunState::Running : RunState::Exited;
    task.status.left_running.resize(40);
    for (auto& process : task.status.left_running) process.command = std::string(4096, 'p');
    list.tasks.push_back(task);
  }
  return list;
}

TEST(PageJson, ShowsFiftyShortTasksAndHowManyFollow) {
  const Json page = page_json(long_list(500), {});
  EXPECT_EQ(page["tasks"].size(), 50U);
  EXPECT_EQ(page["more"], 450);
  EXPECT_LT(dump_json(page).size(), 150'000U);
  EXPECT_EQ(page["tasks"][0]["run_id"], "r-499") << "what still runs comes first";
  EXPECT_EQ(page["tasks"][1]["run_id"], "r-0");
  EXPECT_EQ(page["tasks"][1]["command"], std::string(200, 'c') + "...");
}

TEST(PageJson, ShowsTheRestOfAList) {
  const Json rest = page_json(long_list(120), {.skip = 100, .limit = 50});
  EXPECT_EQ(rest["tasks"].size(), 20U);
  EXPECT_EQ(rest["more"], 0);
  EXPECT_EQ(rest["tasks"][0]["run_id"], "r-99");
  const Json nothing = page_json(long_list(3), {.skip = 1000, .limit = 50});
  EXPECT_EQ(nothing["tasks"].size(), 0U);
  EXPECT_EQ(nothing["more"], 0);
}

}  // namespace
}  // namespace yonder::ops
