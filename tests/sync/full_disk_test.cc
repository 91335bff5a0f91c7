// Targets that have no room for everything.
#include <sys/mount.h>

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;

TEST_F(SyncTest, AFullDiskStopsWhatDoesNotFitAndNothingElse) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(there(), "size=12m")) return "mount";
    hang_up();
    write(there("ballast"), std::string(5 * kMiB, 'x'));
    for (int i = 0; i < 20; ++i)
      write(here(concat("f", i)), noise(kMiB, 5U + static_cast<unsigned>(i)));
    write(here("small"), "small");
    const auto report = run(push_request());
    if (!report) return report.error().message;
    if (report->complete() || report->failed.empty()) return "it claims to be complete";
    if (report->failed[0].message.find("No space") == std::string::npos) {
      return "why: " + report->failed[0].message;
    }
    const auto whole = picture(here());
    for (const auto& [path, state] : picture(there())) {
      if (path != "ballast" && whole.at(path) != state) return path + " is there in part";
    }
    if (!temporaries(there()).empty()) return "temporaries are left";
    fs::remove(there("ballast"));
    if (::mount("tmpfs", there().c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0) return "remount";
    const auto second = run(push_request());
    if (!second || !second->complete()) return "the second did not get through";
    if (second->files_sent >= 21) return "it sent everything again";
    if (picture(here()) != picture(there())) return "they differ";
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(SyncTest, ALargeFileForWhichThereIsNoRoomLeavesTheRestToOthers) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(there(), "size=30m")) return "mount";
    hang_up();
    write(here("large"), noise(40 * kMiB, 5));
    write(here("small"), noise(2 * kMiB, 5));
    const auto report = run(push_request());
    if (!report) return report.error().message;
    if (report->failed.size() != 1) return "it is not reported";
    if (report->failed[0].code != Errc::NoRoom) return "nor why";
    if (fs::exists(there("large"))) return "it is there in part";
    if (!temporaries(there()).empty()) return "the disk is still full";
    if (read(there("small")).size() != 2 * kMiB) return "the other one is not there";
    if (::mount("tmpfs", there().c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0) return "remount";
    const auto second = run(push_request());
    if (!second || !second->complete()) return "the second did not get through";
    if (picture(here()) != picture(there())) return "they differ";
    if (!temporaries(there()).empty()) return "temporaries are left";
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(SyncTest, ALargeFileForWhichThereIsNoRoomIsSentOnceOverAllLinks) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(there(), "size=40m")) return "mount";
    set_ways(
        {"perl -e 'while (sysread(STDIN, $b, 65536)) { select(undef, undef, undef, 0.004); "
         "syswrite(STDOUT, $b) }' | sh"});
    write(here("large"), noise(72 * kMiB, 5));
    const auto report = run(push_request());
    if (!report) return report.error().message;
    if (report->links < 2) return "only one link";
    if (report->failed.size() != 1) return "it is not reported";
    if (report->failed[0].code != Errc::NoRoom) return "why: " + report->failed[0].message;
    if (report->bytes_on_wire > 100 * kMiB) return "it was sent again";
    if (!temporaries(there()).empty()) return "the disk is still full";
    return "";
  });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace yonder::sync
