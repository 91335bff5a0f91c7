#include "outpost/packed_record.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>

#include "outpost/given_back.h"
#include "outpost/list_runs.h"
#include "outpost/remove_run.h"
#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

using std::chrono::hours;
using ::testing::EndsWith;
using ::testing::StartsWith;

class PackedRecords : public RunTest {
 protected:
  // Its supervisor has only the disk to wait for.
  static Packing packed(const RunRecord& record, bool may_cut = true) {
    Packing done = Packing::Later;
    EXPECT_TRUE(testing::eventually([&] {
      done = pack_run(record, may_cut);
      return done != Packing::Later;
    }));
    return done;
  }
  RunRecord ended(const wire::StartRequest& request) const {
    auto record = start(request);
    wait_for_end(record);
    EXPECT_TRUE(
        testing::eventually([&] { return !observe(record, around_.boot_id).supervisor_lives; }));
    return record;
  }
  RunRecord ended(const std::string& command) const { return ended(request(command)); }
  std::vector<std::string> left_in(const char* folder) const {
    return names_in(around_.state_dir + "/" + folder);
  }
};

TEST_F(PackedRecords, AreOneSmallFileAndComeBackAsTheyWere) {
  const auto record = ended("echo hi; echo no >&2; exit 3");
  const auto before = observe(record, around_.boot_id, {.label = true});
  ASSERT_EQ(packed(record), Packing::Done);
  EXPECT_TRUE(is_packed(record));
  EXPECT_LT(std::filesystem::file_size(record.directory()), 4096U);
  EXPECT_TRUE(left_in("spares").empty());
  struct stat info {};
  ASSERT_EQ(::lstat(record.directory().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);

  const auto found = find_run(around_, record.id());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(wire::encode(observe(*found, around_.boot_id, {.label = true})), wire::encode(before));
  EXPECT_EQ(text_of(record, "out"), "hi\n");
  EXPECT_EQ(text_of(record, "err"), "no\n");
  EXPECT_TRUE(left_in("spares").empty());
}

TEST_F(PackedRecords, AreListedAsTheyWere) {
  const auto record = ended("exit 3");
  const auto before = labelled_facts(record, around_.boot_id);
  ASSERT_EQ(packed(record), Packing::Done);
  const auto facts = facts_of_packed(record, around_.boot_id);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(wire::encode(*facts), wire::encode(before));
  EXPECT_TRUE(is_packed(record));
}

TEST_F(PackedRecords, KeepBothEndsOfALongOutputAndSayWhatIsGone) {
  const auto record = ended("printf head; head -c 1000000 /dev/zero | tr '\\0' .; printf tail");
  EXPECT_EQ(packed(record, false), Packing::Never) << "its starter may not have it yet";
  ASSERT_EQ(packed(record, true), Packing::Done);
  ASSERT_TRUE(unpack_run(record));
  const auto facts = observe(record, around_.boot_id);
  EXPECT_EQ(facts.out_bytes, 1000008U);
  EXPECT_EQ(facts.out_gone.from, kPackedOfEachEnd);
  EXPECT_EQ(facts.out_gone.to, 1000008U - kPackedOfEachEnd);
  EXPECT_TRUE(facts.err_gone.empty());
  const std::string out = text_of(record, "out");
  EXPECT_THAT(out, StartsWith("head.."));
  EXPECT_THAT(out, EndsWith("..tail"));
  EXPECT_EQ(out[kPackedOfEachEnd - 1], '.');
  EXPECT_EQ(out[facts.out_gone.to], '.');
}

TEST_F(PackedRecords, OfAKeyLoseNothingAndGoOnAnswering) {
  auto wanted = request("echo once >> ran; echo answer");
  wanted.key = "k";
  const auto record = ended(wanted);
  ASSERT_EQ(packed(record), Packing::Done);
  wanted.run_id = new_run_id().str();
  const auto again = start_run(around_, wanted);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(again->record.id(), record.id());
  EXPECT_EQ(text_of(again->record, "out"), "answer\n");
  EXPECT_EQ(scratch_.read("ran"), "once\n");

  auto other = request("head -c 1000000 /dev/zero");
  other.key = "long";
  EXPECT_EQ(packed(ended(other)), Packing::Never);
}

TEST_F(PackedRecords, ThatCannotComeBackKeepTheirKey) {
  auto wanted = request("echo once >> ran");
  wanted.key = "k";
  const auto record = ended(wanted);
  ASSERT_EQ(packed(record), Packing::Done);
  std::filesystem::resize_file(record.directory(), 10);
  wanted.run_id = new_run_id().str();
  EXPECT_FALSE(start_run(around_, wanted));
  EXPECT_EQ(scratch_.read("ran"), "once\n");
}

TEST_F(PackedRecords, AreNotMadeOfWhatIsInUse) {
  const auto running = start("sleep 1000");
  wait_until_alive(running);
  EXPECT_EQ(pack_run(running, true), Packing::Never);

  const auto leaving = start("sleep 1000 >&- 2>&- & echo $! > left");
  wait_for_end(leaving);
  EXPECT_EQ(pack_run(leaving, true), Packing::Never);
  ::kill(pid_from("left"), SIGKILL);

  const auto followed = ended("echo hi");
  const auto out = open_file(followed.path("out"), O_RDONLY);
  ASSERT_TRUE(out && ::flock(out->get(), LOCK_SH) == 0);
  EXPECT_EQ(pack_run(followed, true), Packing::Later);
}

TEST_F(PackedRecords, AreBoundedAndTheOldestGoFirst) {
  std::vector<RunRecord> records;
  for (int i = 0; i < 6; ++i) {
    auto wanted = request("true");
    if (i == 0) wanted.key = "k";
    records.push_back(ended(wanted));
    ASSERT_EQ(packed(records.back()), Packing::Done);
    testing::make_older(records.back().directory(), std::chrono::minutes(6 - i));
  }
  const auto unpacked = ended("true");
  bound_packed(around_.state_dir, {.files = 2});
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(path_exists(records[static_cast<std::size_t>(i)].directory()), i == 0 || i > 3) << i;
  }
  EXPECT_TRUE(unpacked.exists());
  bound_packed(around_.state_dir, {.bytes = 1});
  EXPECT_TRUE(is_packed(records[0])) << "it has a key";
  EXPECT_FALSE(is_packed(records[5]));
}

TEST_F(PackedRecords, AreRemovedWhenTheirTimeIsOver) {
  auto keyed = request("true");
  keyed.key = "k";
  const std::vector<RunRecord> records{ended("true"), ended("true"), ended(keyed)};
  for (const auto& record : records) ASSERT_EQ(packed(record), Packing::Done);
  testing::make_older(records[0].directory(), hours(2));
  testing::make_older(records[2].directory(), hours(2));
  last_collected(hours(1000));
  collect_leftovers(around_.state_dir, scratch_.write("bin/outpost-x", "x", 0700));
  EXPECT_FALSE(path_exists(records[0].directory()));
  EXPECT_TRUE(is_packed(records[1]));
  EXPECT_TRUE(is_packed(records[2]));
}

}  // namespace
}  // namespace yonder::outpost
