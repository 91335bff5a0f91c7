#include "tree/stream.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tree/messages.h"

namespace yonder::tree {
namespace {

BlockReader reader_of(const std::string& bytes, std::size_t piece = 1000) {
  auto position = std::make_shared<std::size_t>(0);
  return BlockReader([&bytes, position, piece](char* buffer, std::size_t size) {
    const std::size_t n = std::min({size, piece, bytes.size() - *position});
    bytes.copy(buffer, n, *position);
    *position += n;
    return Result<std::size_t>(n);
  });
}

struct Said {
  std::uint8_t kind = 0;
  std::string body;
  Squeeze squeeze = Squeeze::Yes;
};

std::vector<Said> random_messages(std::mt19937& random) {
  std::vector<Said> all(random() % 60);
  for (Said& one : all) {
    const std::size_t size = random() % 20 == 0 ? random() % (kMaxBody + 1) : random() % 3000;
    one = {static_cast<std::uint8_t>(random()), std::string(size, 'x'),
           random() % 3 == 0 ? Squeeze::No : Squeeze::Yes};
    if (random() % 2 == 0) {
      for (char& c : one.body) c = static_cast<char>(random());
    }
  }
  return all;
}

std::string written(const std::vector<Said>& all, std::mt19937& random) {
  std::string bytes;
  BlockWriter writer([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  for (const Said& one : all) {
    EXPECT_TRUE(writer.put(one.kind, one.body, one.squeeze));
    if (random() % 10 != 0) continue;
    EXPECT_TRUE(writer.flush());
  }
  EXPECT_TRUE(writer.flush());
  EXPECT_EQ(writer.stored_bytes(), bytes.size());
  return bytes;
}

TEST(Stream, MessagesOfAnySizeComeBack) {
  std::mt19937 random(11);
  for (int i = 0; i < 30; ++i) {
    const auto all = random_messages(random);
    const std::string bytes = written(all, random);
    BlockReader reader = reader_of(bytes, 1 + random() % 100000);
    for (const Said& one : all) {
      const auto message = reader.next();
      ASSERT_TRUE(message) << message.error().message;
      EXPECT_EQ(message->kind, one.kind);
      EXPECT_TRUE(message->body == one.body);
    }
    EXPECT_FALSE(reader.has_more());
    EXPECT_EQ(reader.next().error().code, Errc::LinkLost);
  }
}

std::string text_of(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += "line " + std::to_string(i) + " of a source\n";
  text.resize(size);
  return text;
}

TEST(Stream, NothingIsCompressedWhenItIsNotToBe) {
  std::string bytes;
  BlockWriter writer([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  writer.set_level(kStored);
  const std::string text = text_of(100000);
  ASSERT_TRUE(writer.put(1, text));
  ASSERT_TRUE(writer.put(2, "short"));
  ASSERT_TRUE(writer.flush());
  EXPECT_GT(bytes.size(), text.size());
  EXPECT_FALSE(writer.weighed());
  BlockReader reader = reader_of(bytes);
  EXPECT_TRUE(reader.next()->body == text);
  EXPECT_EQ(reader.next()->body, "short");
}

TEST(Stream, OneBlockIsWeighedAndStillComesBack) {
  std::string bytes;
  BlockWriter writer([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  writer.set_level(kStored);
  writer.weigh_next();
  ASSERT_TRUE(writer.put(1, "too short to tell anything"));
  ASSERT_TRUE(writer.flush());
  EXPECT_FALSE(writer.weighed());
  const std::string text = text_of(100000);
  ASSERT_TRUE(writer.put(1, text));
  ASSERT_TRUE(writer.flush());
  ASSERT_TRUE(writer.weighed());
  EXPECT_GT(writer.weighed()->plain, text.size());
  EXPECT_LT(writer.weighed()->stored, text.size() / 2);
  EXPECT_GT(writer.weighed()->taken, Duration::zero());
  const std::size_t before = bytes.size();
  ASSERT_TRUE(writer.put(1, text));
  ASSERT_TRUE(writer.flush());
  EXPECT_GT(bytes.size() - before, text.size()) << "only one";
  BlockReader reader = reader_of(bytes);
  EXPECT_EQ(reader.next()->body, "too short to tell anything");
  EXPECT_TRUE(reader.next()->body == text);
  EXPECT_TRUE(reader.next()->body == text);
}

TEST(Stream, AMessageThatIsTooLongIsRefused) {
  BlockWriter writer([](std::string_view) { return Result<void>(); });
  EXPECT_FALSE(writer.put(1, std::string(kMaxBody + 1, 'x')));
}

TEST(Stream, GarbledStreamsEndWithAnError) {
  std::mt19937 random(12);
  const std::string whole = written(random_messages(random), random);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = whole.substr(0, random() % (whole.size() + 1));
    for (std::size_t n = random() % 3; n > 0 && !bytes.empty(); --n) {
      const std::size_t limit =
          random() % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 20);
      bytes[random() % limit] = static_cast<char>(random());
    }
    BlockReader reader = reader_of(bytes, 100000);
    while (const auto message = reader.next()) EXPECT_LE(message->body.size(), kMaxBlock);
  }
}

TEST(Stream, AbsurdSizesAreRefusedBeforeAnythingIsKept) {
  for (const std::string& head :
       {std::string("\0\xff\xff\xff\xff\xff\xff\xff\xff", 9),
        std::string("\1\1\0\0\0\xff\xff\xff\x7f", 9), std::string("\1\0\0\0\0\0\0\0\0", 9),
        std::string("\2\1\0\0\0\1\0\0\0", 9)}) {
    BlockReader reader = reader_of(head);
    EXPECT_EQ(reader.next().error().code, Errc::Protocol);
  }
}

template <class Message>
void mutate(const Message& message, std::mt19937& random) {
  const std::string whole = pack_message(message);
  ASSERT_TRUE(unpack_message<Message>(whole));
  EXPECT_EQ(pack_message(*unpack_message<Message>(whole)), whole);
  EXPECT_FALSE(unpack_message<Message>(whole + "x"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(unpack_message<Message>(whole.substr(0, size)));
  }
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)unpack_message<Message>(bytes);
  }
}

TEST(Stream, EveryMessageComesBackAndEveryTruncatedOneIsAnError) {
  std::mt19937 random(13);
  const Seen seen{.exists = true, .type = Type::Link, .size = 5, .mtime_ns = -1};
  const FileHead head{
      .path = "a/b", .mode = 0644, .mtime_ns = -7, .size = 9, .expected = seen, .origin = 77};
  mutate(OpenTree{.path = "~/x",
                  .base = "y",
                  .file = "z",
                  .role = Role::Target,
                  .precious = {"/p", "/q"},
                  .near_link = true},
         random);
  mutate(RootState{.path = "/x", .exists = true, .file = "f", .home = "/h"}, random);
  mutate(ScanTree{.rules = "r", .hash = true}, random);
  mutate(Directory{1, "d", seen}, random);
  mutate(SymbolicLink{1, head, "t"}, random);
  mutate(Twin{1, head, "t", true, 8}, random);
  mutate(Removal{1, "r", seen}, random);
  mutate(DirectoryEnd{1, "d", 0755, -9, {{"user.a", "1"}}}, random);
  mutate(Attributes{1, "d", 0755, -9, seen, 0600, {{"user.a", "1"}}}, random);
  mutate(FileStart{3, head, 4}, random);
  mutate(FileEnd{3, Hash{1, 2}, "p", true}, random);
  mutate(PartEnd{3, head, {{1, Hash{1, 2}}, {7, Hash{3, 4}}}, false, true}, random);
  mutate(DataRuns{3, {{0, 2}, {5, 1}}}, random);
  mutate(Wanted{3, "p", seen, 2, true, Hash{3, 4}}, random);
  mutate(PartHave{3, {{1, Hash{3, 4}}, {2, Hash{5, 6}}}}, random);
  mutate(Failure{3, "conflict", "why"}, random);
  mutate(AllDone{3, "code", "problem", "batch", 5}, random);
}

TEST(Stream, ACountWithoutItsListIsAnErrorAndNoAllocation) {
  const std::string bytes = Packer().number(3).number(~0ULL >> 1U).take();
  EXPECT_FALSE(unpack_message<PartHave>(bytes));
}

TEST(Stream, SkipsAndTextsAreChecked) {
  const std::vector<Skip> skips{{"a", SkipReason::BadRules, "x", true},
                                {"b/c", SkipReason::Special, "", false}};
  EXPECT_EQ(unpack_skips(pack_skips(skips))->at(1).path, "b/c");
  EXPECT_FALSE(unpack_skips(pack_skips({{"../a", SkipReason::Excluded, "", false}})));
  EXPECT_FALSE(unpack_skips(Packer().text("a").number(9).text("").flag(false).take()));
  EXPECT_EQ(unpack_texts(pack_texts({"", "a"}))->size(), 2U);
  EXPECT_FALSE(unpack_texts(Packer().number(5).take() + "abc"));
}

}  // namespace
}  // namespace yonder::tree
