#include "outpost/outbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "base/scratch_test.h"

namespace yonder::outpost {
namespace {

class Outboxes : public ::testing::Test {
 protected:
  std::shared_ptr<const Fd> file(const std::string& content) const {
    auto opened = open_file(scratch_.write("file", content), O_RDONLY);
    EXPECT_TRUE(opened);
    return std::make_shared<const Fd>(*std::move(opened));
  }
  // All that comes out of a pipe that takes little at a time.
  static std::string sent(Outbox& outbox) {
    auto pipe = make_pipe();
    EXPECT_TRUE(pipe && set_nonblocking(pipe->write));
    std::string all;
    std::thread reader([&] {
      std::string piece(10000, '\0');
      while (true) {
        const auto n = read_some(pipe->read, piece.data(), piece.size());
        if (!n || *n == 0) return;
        all.append(piece, 0, *n);
      }
    });
    while (!outbox.empty()) EXPECT_TRUE(outbox.flush(pipe->write));
    pipe->write.reset();
    reader.join();
    return all;
  }

  testing::Scratch scratch_;
};

TEST_F(Outboxes, SendPartsOfFilesBetweenOtherFramesInOrder) {
  const std::string content = std::string(100000, 'a') + std::string(100000, 'b');
  const auto from = file(content);
  Outbox outbox;
  std::string wanted;
  for (std::uint64_t offset = 0; offset < content.size(); offset += 40000) {
    outbox.frame(wire::Kind::Pong, 3, "pong");
    wire::append_frame(wanted, wire::Kind::Pong, 3, "pong");
    outbox.data(7, {.channel = wire::Channel::Out, .offset = offset},
                FilePart{.file = from, .offset = offset, .size = 40000});
    wire::append_data(wanted, 7, {.channel = wire::Channel::Out, .offset = offset},
                      content.substr(offset, 40000));
  }
  EXPECT_FALSE(outbox.empty());
  EXPECT_EQ(sent(outbox), wanted);
  EXPECT_TRUE(outbox.empty());
}

TEST_F(Outboxes, CountPartsOfFilesAsWellWhenTheyAskForRoom) {
  const auto from = file("x");
  Outbox outbox;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(outbox.has_room());
    outbox.data(1, {}, FilePart{.file = from, .offset = 0, .size = wire::kMaxDataBytes + 9});
  }
  EXPECT_FALSE(outbox.has_room());
}

TEST_F(Outboxes, KeepFramesWholeWhenAFileWasCut) {
  const auto from = file("0123456789");
  Outbox outbox;
  outbox.data(1, {}, FilePart{.file = from, .offset = 0, .size = 10});
  outbox.frame(wire::Kind::Pong, 1, "");
  ASSERT_EQ(::truncate((scratch_ / "file").c_str(), 4), 0);
  std::string wanted;
  wire::append_data(wanted, 1, {}, "0123" + std::string(6, '\0'));
  wire::append_frame(wanted, wire::Kind::Pong, 1, "");
  EXPECT_EQ(sent(outbox), wanted);
}

}  // namespace
}  // namespace yonder::outpost
