#include "outpost/worker.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/text.h"
#include "outpost/serve_client_test.h"
#include "tree/messages.h"

namespace yonder::outpost {
namespace {

namespace fs = std::filesystem;
using testing::eventually;
using ::testing::HasSubstr;
using namespace tree;

class WorkerTest : public ServeTest {
 protected:
  struct Stream {
    std::uint64_t sent = 0;
    std::uint64_t credit = wire::kInitialCredit;
    std::string answer;
    bool over = false;
    std::string error;
  };

  // What comes for whichever stream, until it is so.
  template <class Condition>
  bool take_until(Condition is_so) {
    while (!is_so()) {
      const auto frame = next_frame();
      if (!frame) return false;
      Stream& stream = streams_[frame->stream];
      if (frame->kind == wire::Kind::Credit) stream.credit += *wire::parse_credit(frame->payload);
      if (frame->kind == wire::Kind::Data) {
        const auto data = wire::parse_data(frame->payload);
        stream.answer += data->bytes;
        if (grants_) grant(frame->stream, static_cast<std::uint32_t>(data->bytes.size()));
      }
      if (frame->kind == wire::Kind::Reply) stream.over = true;
      if (frame->kind == wire::Kind::Error) {
        stream.over = true;
        stream.error = wire::decode_error(frame->payload).message;
      }
    }
    return true;
  }
  void say(wire::StreamId id, std::string_view bytes) {
    Stream& stream = streams_[id];
    while (!bytes.empty()) {
      ASSERT_TRUE(take_until([&] { return stream.credit > 0 || stream.over; }));
      if (stream.over) return;
      const std::string_view piece = bytes.substr(
          0, std::min<std::uint64_t>({stream.credit, wire::kMaxDataBytes, bytes.size()}));
      give_input(id, stream.sent, piece);
      stream.sent += piece.size();
      stream.credit -= piece.size();
      bytes.remove_prefix(piece.size());
    }
  }
  template <class Talk>
  static std::string blocks(Talk talk) {
    std::string bytes;
    BlockWriter out([&](std::string_view piece) {
      bytes += piece;
      return Result<void>();
    });
    talk(out);
    EXPECT_TRUE(out.flush());
    return bytes;
  }
  std::string open_root(Role role) const {
    return blocks([&](BlockWriter& out) {
      EXPECT_TRUE(send(out, Kind::Open, OpenTree{.path = scratch_ / "root", .role = role}));
    });
  }
  static std::string flush_order(std::uint64_t token) {
    return blocks([&](BlockWriter& out) {
      EXPECT_TRUE(send_raw(out, Kind::Flush, Packer().number(token).take()));
    });
  }
  using ServeTest::send;
  template <class Message>
  static Result<void> send(BlockWriter& out, Kind kind, const Message& message) {
    return tree::send(out, kind, message);
  }
  std::size_t temporaries() const {
    std::size_t count = 0;
    for (const auto& item : fs::directory_iterator(scratch_ / "root")) {
      count += item.path().filename().string().starts_with(kTemporaryPrefix) ? 1 : 0;
    }
    return count;
  }
  std::vector<pid_t> workers() const {
    std::vector<pid_t> found;
    std::ifstream children(
        concat("/proc/", std::to_string(server_), "/task/", std::to_string(server_), "/children"));
    for (pid_t pid = 0; children >> pid;) found.push_back(pid);
    return found;
  }
  // A file that has begun and does not end.
  std::string half_a_file(std::size_t size) const {
    return open_root(Role::Target) + blocks([&](BlockWriter& out) {
             const FileHead head{.path = "f", .mode = 0600, .size = size};
             EXPECT_TRUE(send(out, Kind::File, FileStart{1, head, 0}));
             EXPECT_TRUE(send_raw(out, Kind::Bytes, std::string(1000, 'x')));
           });
  }

  std::map<wire::StreamId, Stream> streams_;
  bool grants_ = true;
};

TEST_F(WorkerTest, TakesMoreThanAnyPipeHoldsAndAnswers) {
  const std::string piece(200000, 'x');
  std::string bytes = open_root(Role::Target) + blocks([&](BlockWriter& out) {
                        const FileHead head{.path = "f", .mode = 0600, .size = 100 * piece.size()};
                        EXPECT_TRUE(send(out, Kind::File, FileStart{1, head, 0}));
                        Hasher hasher;
                        for (int i = 0; i < 100; ++i) {
                          hasher.add(piece);
                          EXPECT_TRUE(send_raw(out, Kind::Bytes, piece, Squeeze::No));
                        }
                        EXPECT_TRUE(send(out, Kind::EndFile, FileEnd{1, hasher.result(), ""}));
                      });
  ask(5, wire::TreeRequest{});
  say(5, bytes + flush_order(9));
  ASSERT_TRUE(take_until([&] { return streams_[5].answer.size() > 20; }));
  ASSERT_TRUE(eventually([&] { return fs::exists(scratch_ / "root/f"); }));
  EXPECT_EQ(fs::file_size(scratch_ / "root/f"), 100 * piece.size());
  send(wire::Kind::End, 5, "");
  EXPECT_TRUE(take_until([&] { return streams_[5].over; }));
  EXPECT_EQ(streams_[5].error, "");
}

TEST_F(WorkerTest, SendsNoMoreThanTheNearSideTakes) {
  fs::create_directory(scratch_ / "root");
  std::string content(5000000, '\0');
  std::mt19937 random(1);
  for (char& c : content) c = static_cast<char>(random());
  scratch_.write("root/f", content);
  const auto entry = [&] {
    const Fd root(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return *list_one(root.get(), "f", {});
  }();
  grants_ = false;
  ask(5, wire::TreeRequest{});
  say(5, open_root(Role::Source) + blocks([&](BlockWriter& out) {
           EXPECT_TRUE(
               send(out, Kind::Get, Wanted{.number = 1, .path = "f", .expected = seen_as(entry)}));
           EXPECT_TRUE(send_raw(out, Kind::Flush, Packer().number(1).take()));
         }));
  // The link serves others while that one waits for us.
  ask(7, wire::TreeRequest{});
  say(7, open_root(Role::Source));
  ASSERT_TRUE(take_until([&] { return !streams_[7].answer.empty(); }));
  EXPECT_LE(streams_[5].answer.size(), wire::kInitialCredit);
  grants_ = true;
  grant(5, 100000);
  EXPECT_TRUE(take_until([&] { return streams_[5].answer.size() >= content.size(); }));
}

TEST_F(WorkerTest, AProcessThatWasKilledIsAnErrorThatSaysSo) {
  ask(5, wire::TreeRequest{});
  say(5, half_a_file(5000));
  ASSERT_TRUE(eventually(
      [&] { return !workers().empty() && fs::exists(scratch_ / "root") && temporaries() == 1; }));
  for (const pid_t pid : workers()) ::kill(pid, SIGKILL);
  ASSERT_TRUE(take_until([&] { return streams_[5].over; }));
  EXPECT_THAT(streams_[5].error, HasSubstr("was ended"));
  ask(6, wire::TreeRequest{});
  say(6, open_root(Role::Target));
  EXPECT_TRUE(take_until([&] { return !streams_[6].answer.empty(); }));
}

TEST_F(WorkerTest, ACancelledOneTidiesUpAndEnds) {
  ask(5, wire::TreeRequest{});
  say(5, half_a_file(5000));
  ASSERT_TRUE(eventually([&] { return fs::exists(scratch_ / "root") && temporaries() == 1; }));
  send(wire::Kind::Cancel, 5, "");
  EXPECT_TRUE(eventually([&] { return workers().empty() && temporaries() == 0; }));
  EXPECT_FALSE(fs::exists(scratch_ / "root/f"));
}

TEST_F(WorkerTest, ALostLinkLeavesNothingBehind) {
  ask(5, wire::TreeRequest{});
  say(5, half_a_file(5000));
  ASSERT_TRUE(eventually([&] { return fs::exists(scratch_ / "root") && temporaries() == 1; }));
  disconnect();
  EXPECT_TRUE(eventually([&] { return temporaries() == 0; }));
}

// So many orders that most still wait in the pipe when the first is done.
constexpr int kOrders = 20000;
std::string many_directories(const std::string& open, int count) {
  std::string bytes = open;
  BlockWriter out([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  for (int i = 0; i < count; ++i) {
    const Directory order{static_cast<std::uint64_t>(i), concat("d", i), {}};
    EXPECT_TRUE(tree::send(out, Kind::MakeDirectory, order));
  }
  EXPECT_TRUE(out.flush());
  return bytes;
}

TEST_F(WorkerTest, WhatWasNotDoneWhenItIsCancelledIsNotDoneAndTheEndIsTold) {
  const auto count = [&] {
    return std::distance(fs::directory_iterator(scratch_ / "root"), fs::directory_iterator());
  };
  // One that was faster than this test is tried again.
  const Deadline deadline = testing::patience();
  wire::StreamId stream = 4;
  do {
    ASSERT_FALSE(deadline.expired()) << "all of it is done in spite of the cancellation";
    fs::remove_all(scratch_ / "root");
    ask(++stream, wire::TreeRequest{});
    say(stream, many_directories(open_root(Role::Target), kOrders));
    ASSERT_TRUE(eventually([&] { return fs::exists(scratch_ / "root/d0"); }));
    send(wire::Kind::Cancel, stream, "");
    ASSERT_TRUE(take_until([&] { return streams_[stream].over; }));
  } while (count() == kOrders);
  const auto then = count();
  EXPECT_TRUE(eventually([&] { return workers().empty(); }));
  EXPECT_EQ(count(), then);
}

TEST_F(WorkerTest, OnlyAnOrderlyEndMeansThatAllOfItIsWanted) {
  // They may stay as zombies: they have ended when they have nothing open any more.
  const auto has_ended = [](pid_t pid) {
    std::error_code gone;
    return fs::directory_iterator(concat("/proc/", pid, "/fd"), gone) == fs::directory_iterator();
  };
  ask(5, wire::TreeRequest{});
  say(5, many_directories(open_root(Role::Target), 3000));
  send(wire::Kind::End, 5, "");
  ASSERT_TRUE(take_until([&] { return streams_[5].over; }));
  EXPECT_EQ(streams_[5].error, "");
  EXPECT_TRUE(fs::exists(scratch_ / "root/d2999"));
  // One that was faster than this test is tried again.
  const Deadline deadline = testing::patience();
  do {
    ASSERT_FALSE(deadline.expired()) << "all of it is done although the link ends";
    reconnect();
    streams_.clear();
    fs::remove_all(scratch_ / "root");
    ask(6, wire::TreeRequest{});
    say(6, many_directories(open_root(Role::Target), kOrders));
    ASSERT_TRUE(eventually([&] { return fs::exists(scratch_ / "root/d0"); }));
    const auto at_work = workers();
    disconnect();
    ASSERT_TRUE(eventually([&] { return std::all_of(at_work.begin(), at_work.end(), has_ended); }));
  } while (fs::exists(scratch_ / concat("root/d", kOrders - 1)));
}

TEST_F(WorkerTest, ManyWorkAtOnce) {
  for (wire::StreamId id = 1; id <= 20; ++id) ask(id, wire::TreeRequest{});
  for (wire::StreamId id = 1; id <= 20; ++id) {
    say(id, open_root(Role::Target) + blocks([&](BlockWriter& out) {
              EXPECT_TRUE(send(out, Kind::MakeDirectory, Directory{1, concat("d", id), {}}));
              EXPECT_TRUE(send_raw(out, Kind::Flush, Packer().number(id).take()));
            }));
    send(wire::Kind::End, id, "");
  }
  for (wire::StreamId id = 1; id <= 20; ++id) {
    ASSERT_TRUE(take_until([&] { return streams_[id].over; }));
    EXPECT_EQ(streams_[id].error, "");
    EXPECT_TRUE(fs::is_directory(scratch_ / concat("root/d", id)));
  }
  EXPECT_TRUE(eventually([&] { return workers().empty(); }));
}

}  // namespace
}  // namespace yonder::outpost
