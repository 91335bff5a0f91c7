#include <gmock/gmock.h>
#include <sys/stat.h>

#include "outpost/packed_record.h"
#include "outpost/serve_client_test.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kMiB = 1024UL * 1024;

// What the far side keeps of a run that is followed, and for how long.
class ServeKept : public ServeTest {
 protected:
  void confirm_end(const RunRecord& record, bool owner = true) {
    send(wire::Kind::Taken, 1,
         wire::encode(wire::TakenNote{.run_id = record.id(), .owner = owner}));
  }
  RunRecord record_of(const wire::StartRequest& request) const {
    return {around_.state_dir, *parse_run_id(request.run_id)};
  }
  static std::uint64_t on_disk(const RunRecord& record, const char* file) {
    struct stat info {};
    EXPECT_EQ(::stat(record.path(file).c_str(), &info), 0);
    return static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  // Takes so many bytes without confirming one, and returns them.
  std::string take_bytes(wire::StreamId stream, std::uint64_t wanted) {
    std::string bytes;
    while (bytes.size() < wanted) {
      const auto frame = next_frame();
      if (!frame) {
        ADD_FAILURE() << "no more after " << bytes.size();
        break;
      }
      if (frame->stream == stream && frame->kind == wire::Kind::Data) {
        bytes += wire::parse_data(frame->payload)->bytes;
      }
    }
    return bytes;
  }
  static std::string printing(std::uint64_t bytes) {
    return "head -c " + std::to_string(bytes) + " /dev/zero | tr '\\0' .";
  }
};

TEST_F(ServeKept, AnEndThatWasConfirmedLeavesOneFileThatAnswersAsBefore) {
  const auto wanted = request("echo hi; exit 3");
  ask(1, wanted);
  ASSERT_TRUE(take_answer(1).facts->exit);
  const auto record = record_of(wanted);
  confirm_end(record);
  ASSERT_TRUE(testing::eventually([&] { return is_packed(record); }));
  ask(2, wire::FollowRequest{.run_id = record.id()});
  const auto answer = take_answer(2);
  ASSERT_TRUE(answer.facts);
  EXPECT_EQ(answer.facts->exit->code, 3);
  EXPECT_EQ(answer.bytes.at(wire::Channel::Out), "hi\n");
}

TEST_F(ServeKept, AConfirmationThatIsTheLastWordOfALinkCounts) {
  const auto wanted = request("echo hi");
  ask(1, wanted);
  take_answer(1);
  confirm_end(record_of(wanted));
  disconnect();
  EXPECT_TRUE(testing::eventually([&] { return is_packed(record_of(wanted)); }));
}

TEST_F(ServeKept, WithoutAConfirmationEverythingStays) {
  const auto wanted = request("echo hi");
  ask(1, wanted);
  take_answer(1);
  const auto confirmed = request("true");
  ask(2, confirmed);
  take_answer(2);
  confirm_end(record_of(confirmed));
  ASSERT_TRUE(testing::eventually([&] { return is_packed(record_of(confirmed)); }));
  EXPECT_EQ(text_of(record_of(wanted), "out"), "hi\n");
}

TEST_F(ServeKept, OutputThatWasConfirmedIsGivenBackToTheDisk) {
  auto wanted =
      request(printing(40 * kMiB) + "; while [ ! -e go ]; do sleep 0.01; done; printf end");
  ask(1, wanted);
  const auto record = record_of(wanted);
  std::uint64_t received = 0;
  while (received < 40 * kMiB) {
    const auto bytes = take_bytes(1, 1);
    received += bytes.size();
    grant(1, static_cast<std::uint32_t>(bytes.size()));
  }
  EXPECT_TRUE(testing::eventually([&] { return on_disk(record, "out") < 10 * kMiB; }))
      << on_disk(record, "out");

  ask(2, wire::FollowRequest{.run_id = record.id()});
  scratch_.write("go", "");
  const auto later = take_answer(2);
  const auto& gone = later.facts->out_gone;
  EXPECT_EQ(gone.from, 0U);
  EXPECT_GT(gone.to, 30 * kMiB);
  EXPECT_EQ(later.skipped.at(wire::Channel::Out), gone.to) << "no zeros in their place";
  EXPECT_EQ(later.bytes.at(wire::Channel::Out).find_first_not_of('.'), 40 * kMiB - gone.to);
  EXPECT_EQ(later.facts->out_bytes, 40 * kMiB + 3);
}

TEST_F(ServeKept, OutputThatWasNotConfirmedStays) {
  auto wanted = request(printing(20 * kMiB));
  ask(1, wanted);
  const auto record = record_of(wanted);
  wait_for_end(record);
  for (int i = 0; i < 2; ++i) {
    take_bytes(1, wire::kStreamCredit);
    grant(1, wire::kStreamCredit);
  }
  take_bytes(1, wire::kStreamCredit);
  grant(1, kMiB);  // of seven MiB that were sent, five are confirmed now
  take_bytes(1, kMiB);
  ASSERT_TRUE(testing::eventually([&] { return path_exists(record.path("gone")); }));
  // As after a lost link: what was sent, and not confirmed, is asked for again.
  reconnect();
  ask(1,
      wire::FollowRequest{.run_id = record.id(), .owner = true, .follow = {.out_from = 5 * kMiB}});
  const auto answer = take_answer(1);
  EXPECT_EQ(answer.skipped.at(wire::Channel::Out), 5 * kMiB) << "counted from the first byte";
  EXPECT_TRUE(answer.bytes.at(wire::Channel::Out) == std::string(15 * kMiB, '.'));
}

TEST_F(ServeKept, WhatSomebodyElseConfirmsStays) {
  auto wanted = request(printing(20 * kMiB) + "; while [ ! -e go ]; do sleep 0.01; done");
  ask(1, wanted);
  const auto record = record_of(wanted);
  ask(2, wire::FollowRequest{.run_id = record.id()});
  std::uint64_t received = 0;
  while (received < 20 * kMiB) {
    const auto bytes = take_bytes(2, 1);
    received += bytes.size();
    grant(2, static_cast<std::uint32_t>(bytes.size()));
  }
  scratch_.write("go", "");
  take_answer(2);
  EXPECT_GE(on_disk(record, "out"), 20 * kMiB);
  EXPECT_FALSE(path_exists(record.path("gone")));
}

TEST_F(ServeKept, AKeyKeepsTheWholeOutput) {
  auto wanted = request(printing(20 * kMiB));
  wanted.key = "k";
  ask(1, wanted);
  take_answer(1);
  EXPECT_GE(on_disk(record_of(wanted), "out"), 20 * kMiB);
}

TEST_F(ServeKept, BetweenTheEndsThatAModelSeesTheOutputIsGivenBack) {
  auto wanted = request("printf head; " + printing(40 * kMiB) +
                        "; while [ ! -e go ]; do sleep 0.01; done; printf tail");
  wanted.follow = {.head = 100, .tail = 100};
  ask(1, wanted);
  const auto record = record_of(wanted);
  ASSERT_TRUE(testing::eventually([&] { return record.size_of("out") == 40 * kMiB + 4; }));
  EXPECT_TRUE(testing::eventually([&] { return on_disk(record, "out") < 10 * kMiB; }));
  scratch_.write("go", "");
  const auto answer = take_answer(1);
  EXPECT_EQ(answer.bytes.at(wire::Channel::Out),
            "head" + std::string(96, '.') + std::string(96, '.') + "tail");
  EXPECT_EQ(answer.facts->out_bytes, 40 * kMiB + 8);
  EXPECT_GE(answer.facts->out_gone.from, kMiB);
  EXPECT_LE(answer.facts->out_gone.to, 39 * kMiB + 8);

  ask(2, wire::FollowRequest{.run_id = record.id()});
  const auto all = take_answer(2);
  const auto& gone = all.facts->out_gone;
  EXPECT_EQ(all.skipped.at(wire::Channel::Out), gone.to - gone.from);
  EXPECT_EQ(all.bytes.at(wire::Channel::Out).find('\0'), std::string::npos);
}

}  // namespace
}  // namespace yonder::outpost
