#include "tree/entry.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <random>

#include "base/text.h"

namespace yonder::tree {
namespace {

std::vector<Entry> sample() {
  std::vector<Entry> entries{
      {.path = "a", .type = Type::Directory, .mode = 0755, .mtime_ns = -5},
      {.path = "a/b", .mode = 01777, .size = ~0ULL, .mtime_ns = countable(INT64_MAX), .twins = 3},
      {.path = "a/bc\n\xff",
       .mode = 0,
       .size = 0,
       .mtime_ns = countable(INT64_MIN),
       .hash = Hash{1, ~0ULL}},
      {.path = "k",
       .mode = 0600,
       .size = 2,
       .twins = 4,
       .hash = Hash{2, 3},
       .attributes = {{"user.a", std::string("\0x", 2)}, {"user.b", ""}},
       .has_more = true,
       .changed_ns = countable(INT64_MAX)},
      {.path = "kk", .attributes_unread = true, .changed_ns = -7},
      {.path = "l", .type = Type::Link, .mode = 0777, .target = "../x"},
      {.path = std::string(255, 'n') + "/" + std::string(255, 'm'), .mode = 0644, .size = 1}};
  return entries;
}

std::string packed(const std::vector<Entry>& entries) {
  EntryPacker packer;
  for (const auto& entry : entries) packer.add(entry);
  return packer.take();
}

std::vector<std::string> parts_of(const std::string& path) {
  return split(path, '/');
}

TEST(Entries, ComeBackAsTheyWere) {
  EXPECT_EQ(unpack_entries(packed(sample())), sample());
  EXPECT_EQ(unpack_entries("")->size(), 0U);
}

TEST(Entries, NoAttributeOfAFarSideIsMoreThanAUsersOwn) {
  const std::vector<UserAttributes> refused{
      {{"security.capability", "x"}},
      {{"system.posix_acl_access", "x"}},
      {{"user.", "x"}},
      {{std::string("user.a\0b", 8), "x"}},
      {{"user.a", std::string(kMostAttributeBytes, 'x')}},
      UserAttributes(kMostAttributes + 1, UserAttribute{"user.a", "x"})};
  for (const auto& attributes : refused) {
    EXPECT_FALSE(unpack_entries(packed({{.path = "a", .attributes = attributes}})));
  }
}

TEST(Entries, HaveAllThatTheSourceHasWhateverElseIsThere) {
  const UserAttributes two{{"user.a", "1"}, {"user.b", "2"}};
  EXPECT_TRUE(has_all(two, {}));
  EXPECT_TRUE(has_all(two, {{"user.b", "2"}}));
  EXPECT_FALSE(has_all(two, {{"user.b", "3"}}));
  EXPECT_FALSE(has_all({}, two));
}

TEST(Entries, TimesOfAFarSideCanBeCountedWith) {
  constexpr std::int64_t kSeconds = 5LL * 1000 * 1000 * 1000;
  const auto entries = unpack_entries(
      packed({{.path = "a", .mtime_ns = INT64_MAX}, {.path = "b", .mtime_ns = INT64_MIN}}));
  ASSERT_TRUE(entries);
  EXPECT_LT(entries->at(0).mtime_ns, INT64_MAX - kSeconds);
  EXPECT_GT(entries->at(1).mtime_ns, INT64_MIN + kSeconds);
  struct stat late {};
  late.st_mtim.tv_sec = INT64_MAX;
  EXPECT_EQ(mtime_of(late), entries->at(0).mtime_ns);
  Packer out;
  pack(out, {.exists = true, .mtime_ns = INT64_MIN});
  Unpacker in(out.bytes());
  EXPECT_EQ(unpack_seen(in).mtime_ns, entries->at(1).mtime_ns);
}

TEST(Entries, APackerBeginsAnewAfterItWasTaken) {
  EntryPacker packer;
  packer.add(sample()[0]);
  packer.take();
  packer.add(sample()[1]);
  EXPECT_EQ(unpack_entries(packer.take())->at(0), sample()[1]);
}

TEST(Entries, MutationsAreAnErrorOrAListOfGoodPaths) {
  std::mt19937 random(3);
  const std::string whole = packed(sample());
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = whole.substr(0, random() % (whole.size() + 1));
    for (std::size_t n = random() % 4; n > 0 && !bytes.empty(); --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const auto entries = unpack_entries(bytes);
    if (!entries) continue;
    for (const auto& entry : *entries) {
      EXPECT_FALSE(entry.path.empty());
      for (const auto& part : parts_of(entry.path)) {
        EXPECT_TRUE(!part.empty() && part != "." && part != "..");
      }
    }
  }
}

TEST(Entries, BadPathsAreRefused) {
  for (const std::string& path :
       {std::string(""), std::string("/a"), std::string(".."), std::string("a/../b"),
        std::string("a//b"), std::string("a/"), std::string("./a"), std::string("a\0b", 3),
        std::string(256, 'n')}) {
    EXPECT_FALSE(unpack_entries(packed({{.path = path}}))) << path;
  }
}

TEST(Entries, FewBytesCannotStandForGigabytesOfPaths) {
  std::string path;
  for (int i = 0; i < 250; ++i) path += (i == 0 ? "" : "/") + std::string(250, 'x');
  EntryPacker packer;
  Entry entry{.path = path};
  bool full = false;
  for (int i = 0; i < 1000; ++i) {  // the same path, again and again
    packer.add(entry);
    full = full || packer.is_full(1024UL * 1024);
  }
  EXPECT_TRUE(full);
  const std::string bytes = packer.take();
  EXPECT_LT(bytes.size(), 100000U);
  EXPECT_FALSE(unpack_entries(bytes));
}

TEST(Entries, AFullListIsBelieved) {
  EntryPacker packer;
  int count = 0;
  while (!packer.is_full(1024UL * 1024))
    packer.add({.path = concat(std::string(200, 'x'), count++)});
  EXPECT_EQ(unpack_entries(packer.take())->size(), static_cast<std::size_t>(count));
}

TEST(Entries, TheOrderIsThatOfAWalk) {
  std::mt19937 random(5);
  static constexpr std::string_view kLetters = "a.-/\xff!";
  const auto by_parts = [](const std::string& a, const std::string& b) {
    return parts_of(a) < parts_of(b);
  };
  std::vector<std::string> paths;
  while (paths.size() < 2000) {
    std::string path;
    for (std::size_t n = 1 + random() % 7; n > 0; --n) path += kLetters[random() % kLetters.size()];
    if (path.front() != '/' && path.back() != '/' && path.find("//") == std::string::npos) {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end(), by_parts);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    EXPECT_TRUE(comes_before(paths[i - 1], paths[i])) << paths[i - 1] << " " << paths[i];
    EXPECT_FALSE(comes_before(paths[i], paths[i - 1]));
    EXPECT_FALSE(comes_before(paths[i], paths[i]));
  }
}

TEST(Entries, WhatWasSeenComesBackAndAnUnknownKindIsAnError) {
  for (const Seen& seen :
       {Seen{}, Seen{.exists = true, .type = Type::Special, .size = 1, .mtime_ns = -1}}) {
    Packer out;
    pack(out, seen);
    Unpacker in(out.bytes());
    EXPECT_EQ(unpack_seen(in), seen);
    EXPECT_TRUE(in.done());
  }
  const std::string bytes = Packer().number(5).take();
  Unpacker in(bytes);
  EXPECT_FALSE(unpack_seen(in).exists);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace yonder::tree
