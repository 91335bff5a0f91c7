// What a sync leaves that was given up.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using testing::eventually;

constexpr int kManyFiles = 6000;
constexpr int kExtras = 1000;

// Thousands of files that are to be replaced, and others that are to go.
class CancelTest : public SyncTest {
 protected:
  CancelTest() {
    use_memory();
    for (int i = 0; i < kManyFiles; ++i) write(there(concat("f", i)), "the old one!");
    request_ = push_request();
    request_.options.delete_extras = true;
    request_.options.confirm_delete = kExtras;
  }
  void make_work() {
    new_ += "!";
    for (int i = 0; i < kManyFiles; ++i) write(here(concat("f", i)), new_);
    for (int i = 0; i < kExtras; ++i) write(there(concat("extra", i)), "x");
  }
  // Closed on exec: links are being started meanwhile, and would seem to work in there.
  bool has_begun() const {
    const auto text = read_file(there("f0"), 100);
    return text && *text == new_;
  }
  int extras() const {
    int count = 0;
    for (int i = 0; i < kExtras; ++i) count += fs::exists(there(concat("extra", i))) ? 1 : 0;
    return count;
  }
  int replaced() const {
    int count = 0;
    for (int i = 0; i < kManyFiles; ++i) count += read(there(concat("f", i))) == new_ ? 1 : 0;
    return count;
  }
  SyncRequest request_;
  std::string new_ = "the new one";
};

TEST_F(CancelTest, WhatIsThereWhenItSaysCancelledIsWhatStays) {
  Result<SyncReport> report = SyncReport{};
  std::map<std::string, std::string> then;
  // One that was done before the person had come is tried again.
  for (const Deadline deadline = testing::patience(); report && !deadline.expired();) {
    make_work();
    const CancelSource cancel;
    std::thread person([&] {
      EXPECT_TRUE(eventually([&] { return has_begun(); }));
      cancel.cancel();
    });
    report = run(request_, {.cancel = cancel.token()});
    then = picture(there());
    person.join();
  }
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::Cancelled) << report.error().message;
  EXPECT_TRUE(eventually([&] { return !somebody_works_in(there()); }));
  EXPECT_TRUE(picture(there()) == then) << "the far side went on";
  EXPECT_EQ(extras(), kExtras) << "something was removed before the rest was there";
  EXPECT_LT(replaced(), kManyFiles);
  // And the same call brings it to its end.
  const auto again = run(request_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->complete());
  EXPECT_EQ(extras(), 0);
}

// It takes minutes to read, though it is nothing but a hole.
bool make_hole(const std::string& path) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  return file && ::ftruncate(file.get(), off_t{4} << 40U) == 0;
}

TEST_F(SyncTest, WhoeverReadsAHugeFileStopsWhenHeIsTold) {
  use_memory();
  for (const bool pushes : {true, false}) {
    if (!make_hole(pushes ? here("huge") : there("huge"))) GTEST_SKIP() << "no such files here";
    const CancelSource cancel;
    std::thread person([&] {
      EXPECT_TRUE(eventually([&] { return somebody_works_in(there()); }));
      cancel.cancel();
    });
    SyncRequest request = pushes ? push_request() : pull_request();
    request.options.checksum = true;
    const auto report = run(request, {.cancel = cancel.token()});
    person.join();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Errc::Cancelled) << report.error().message;
    EXPECT_TRUE(eventually([&] { return !somebody_works_in(there()); }));
    fs::remove(here("huge"));
  }
}

}  // namespace
}  // namespace yonder::sync
