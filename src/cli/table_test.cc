#include "cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/hosts_table.h"
#include "cli/one_line.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;

TEST(Table, AlignsItsColumnsAndLeavesNoSpacesBehind) {
  EXPECT_EQ(aligned_table({"A", "LONG", "C"}, {{"aaa", "b", ""}, {"", "bb", "c"}}, 80, false),
            "A    LONG  C\n"
            "aaa  b\n"
            "     bb    c\n");
}

TEST(Table, CountsCharactersNotBytes) {
  EXPECT_EQ(aligned_table({"X", "Y"}, {{"äö", "1"}, {"ab", "2"}}, 80, false),
            "X   Y\näö  1\nab  2\n");
}

TEST(Table, CutsTheWidestColumnsToFit) {
  EXPECT_EQ(aligned_table({"A", "B"}, {{"abc", "0123456789abcdef"}}, 15, false),
            "A    B\nabc  012345678…\n");
  EXPECT_EQ(aligned_table({"A", "B"}, {{"a", "ääääääääääää"}}, 12, false), "A  B\na  ääääääää…\n");
}

TEST(Table, NeverCutsItsFirstColumn) {
  EXPECT_EQ(aligned_table({"BATCH", "WHAT"}, {{"20261116T081502-k3fa", "0123456789"}}, 12, false),
            "BATCH                 WHAT\n20261116T081502-k3fa  0123456…\n");
  EXPECT_EQ(aligned_table({"A"}, {{"ääääääääääää"}}, 9, false), "A\nääääääääääää\n");
}

TEST(Table, StaysReadableOnAVeryNarrowScreen) {
  EXPECT_EQ(aligned_table({"A", "B"}, {{"abcdefgh", "0123456789"}}, 3, false),
            "A         B\nabcdefgh  0123456…\n");
}

TEST(Table, ShowsItsHeaderInBoldOnlyWhenAskedTo) {
  EXPECT_EQ(aligned_table({"A"}, {}, 80, true), "\x1b[1mA\x1b[0m\n");
}

TEST(TabSeparated, IsOneLineForEachRow) {
  EXPECT_EQ(tab_separated({{"a", "b"}, {"c", "-"}}), "a\tb\nc\t-\n");
  EXPECT_EQ(tab_separated({}), "");
}

TEST(OneLine, MakesForeignTextHarmless) {
  EXPECT_EQ(one_line("first\r\n\n second\tthird \n"), "first / second third");
  EXPECT_EQ(one_line("\x1b[2Jx"), "\\x1b[2Jx");
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(or_dash(""), "-");
  EXPECT_EQ(or_dash("x"), "x");
}

ops::SandboxList some_sandboxes() {
  ops::SandboxStatus gpu;
  gpu.spec.name = "gpu1";
  gpu.spec.host = "10.0.0.7";
  gpu.spec.user = "me";
  gpu.spec.port = 2222;
  gpu.spec.origin = "config.toml:3";
  gpu.is_active = true;
  gpu.connection_alive = true;
  gpu.round_trip_ms = 1.26;
  ops::SandboxStatus down = gpu;
  down.spec.name = "down";
  down.spec.user.clear();
  down.spec.port = 0;
  down.is_active = false;
  down.connection_alive = false;
  down.round_trip_ms.reset();
  down.connection_error = Error{Errc::Unreachable, "no\nroute\x1b", ""};
  ops::SandboxStatus local;
  local.spec.name = "local";
  local.spec.backend = Backend::Local;
  local.spec.origin = "built in";
  return {.active = "gpu1", .sandboxes = {gpu, down, local}};
}

TEST(Hosts, ShowsPeopleWhatAnswered) {
  const HostsTable table = hosts_table(some_sandboxes(), true);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[0],
              ElementsAre("*", "gpu1", "ssh", "10.0.0.7", "me", "2222", "ok, 1.3 ms"));
  EXPECT_THAT(table.rows[1],
              ElementsAre(" ", "down", "ssh", "10.0.0.7", "-", "-", "failed: no / route\\x1b"));
  EXPECT_EQ(table.rows[2].back(), "not asked");
  EXPECT_EQ(table.header.size(), table.rows[0].size());
  EXPECT_EQ(hosts_table(some_sandboxes(), false).rows[0].back(), "config.toml:3");
}

TEST(Hosts, GivesProgramsTheSameNumberOfFieldsInEachLine) {
  const auto rows = hosts_fields(some_sandboxes(), true);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0], ElementsAre("gpu1", "ssh", "10.0.0.7", "me", "2222", "*", "config.toml:3",
                                   "ok", "1.3", "-"));
  EXPECT_THAT(rows[1], ElementsAre("down", "ssh", "10.0.0.7", "-", "-", "-", "config.toml:3",
                                   "failed", "-", "no / route\\x1b"));
  EXPECT_THAT(rows[2],
              ElementsAre("local", "local", "-", "-", "-", "-", "built in", "-", "-", "-"));
  EXPECT_EQ(hosts_fields(some_sandboxes(), false)[0].size(), 7U);
}

TEST(Hosts, SaysToPeopleWhyAMachineFailedWhereTheTableMayCutIt) {
  EXPECT_THAT(hosts_notes(some_sandboxes(), true), ElementsAre("down: no / route\\x1b"));
  EXPECT_TRUE(hosts_notes(some_sandboxes()).empty());
}

TEST(Hosts, SaysHowAPersonLogsInWhereOneIsNeeded) {
  ops::SandboxList list = some_sandboxes();
  EXPECT_TRUE(hosts_notes(list).empty());
  list.sandboxes[1].connection_error =
      Error{Errc::AuthNeeded, "Permission denied", "log in: yonder login down"};
  EXPECT_THAT(hosts_notes(list), ElementsAre("down: log in: yonder login down"));
}

}  // namespace
}  // namespace yonder::cli
