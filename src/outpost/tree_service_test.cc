#include "outpost/tree_service.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "base/scratch_test.h"
#include "base/text.h"
#include "tree/messages.h"
#include "tree/part.h"

namespace yonder::outpost {
namespace {

namespace fs = std::filesystem;
using namespace tree;

// Everything that the near side says lies in a file, and nobody hears the answers.
class TreeServiceTest : public ::testing::Test {
 protected:
  TreeServiceTest() {
    for (const char* name : {"root", "outside", "home", "state"}) {
      fs::create_directory(scratch_ / name);
    }
    scratch_.write("outside/precious", "precious");
    around_.home = scratch_ / "home";
    around_.state_dir = scratch_ / "state";
  }

  Result<std::string> serve(const std::string& bytes) const {
    Fd input(::open(scratch_.write("input", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    Fd output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    WorkerChannel channel(1, std::move(input), std::move(output));
    return serve_tree(around_, channel);
  }

  std::string outside() const {
    std::string all;
    for (const auto& item : fs::directory_iterator(scratch_ / "outside")) {
      struct stat info {};
      ::lstat(item.path().c_str(), &info);
      all += concat(item.path().filename().string(), " ", std::int64_t{info.st_mtim.tv_sec}, " ",
                    std::int64_t{info.st_mtim.tv_nsec}, " ", static_cast<unsigned>(info.st_mode),
                    scratch_.read("outside/" + item.path().filename().string()), "\n");
    }
    return all;
  }
  std::vector<std::string> temporaries() const {
    std::vector<std::string> found;
    for (const auto& item : fs::recursive_directory_iterator(scratch_ / "root")) {
      const std::string name = item.path().filename().string();
      if (name.starts_with(kTemporaryPrefix) && name.find("part-") == std::string::npos) {
        found.push_back(name);
      }
    }
    return found;
  }

  testing::Scratch scratch_;
  Surroundings around_;
};

class Talker {
 public:
  explicit Talker(std::uint64_t seed)
      : random_(seed), out_([this](std::string_view piece) {
          bytes_ += piece;
          return Result<void>();
        }) {}

  std::string talk(const std::string& root, std::size_t count) {
    say(Kind::Open, OpenTree{.path = root,
                             .role = one_in(2) ? Role::Target : Role::Source,
                             .keep_replaced = one_in(2)});
    EXPECT_TRUE(out_.flush());
    opened_ = bytes_.size();
    for (; count > 0; --count) one();
    EXPECT_TRUE(out_.flush());
    return std::move(bytes_);
  }
  // What comes before says where the tree is, and whoever garbles that works elsewhere.
  std::size_t opened() const { return opened_; }

 private:
  bool one_in(std::size_t n) { return random_() % n == 0; }
  std::string path() {
    static const std::vector<std::string> kPaths{"a",
                                                 "b",
                                                 "d",
                                                 "d/x",
                                                 "d/e/y",
                                                 "link",
                                                 "link/x",
                                                 "link/precious",
                                                 "../outside/precious",
                                                 "..",
                                                 "/etc/passwd",
                                                 "",
                                                 "d/../../outside/x",
                                                 "large",
                                                 "a/b"};
    return kPaths[random_() % kPaths.size()];
  }
  Seen seen() {
    if (one_in(2)) return {};
    return {.exists = true, .type = static_cast<Type>(random_() % 4), .size = random_() % 3};
  }
  FileHead head() {
    static const std::vector<std::uint64_t> kSizes{0, 1, 5, kLargeFile, ~0ULL, 1ULL << 62U};
    return {.path = path(),
            .mode = 0644,
            .size = kSizes[random_() % kSizes.size()],
            .expected = seen()};
  }
  template <class Message>
  void say(Kind kind, const Message& message) {
    EXPECT_TRUE(send(out_, kind, message));
  }
  void raw(Kind kind, std::string_view body) { EXPECT_TRUE(send_raw(out_, kind, body)); }

  void file() {
    const FileStart start{number_, head(), random_() % 3};
    say(one_in(3) ? Kind::Segment : one_in(4) ? Kind::DeltaSegment : Kind::File, start);
    for (std::size_t n = random_() % 3; n > 0; --n) {
      if (one_in(3)) {
        raw(Kind::Hole, Packer().number(one_in(4) ? ~0ULL >> 2U : random_() % 9).take());
      } else {
        raw(Kind::Bytes, std::string(random_() % 9, 'x'));
      }
    }
    if (one_in(10)) return one();
    say(Kind::EndFile,
        FileEnd{number_, hash_of_bytes("xxxxx"), one_in(5) ? "broken" : "", one_in(2)});
  }

  void get(const Wanted& wanted) {
    if (one_in(4)) {
      raw(Kind::OldFile, one_in(2) ? "" : Packer().number(one_in(2) ? ~0ULL : 30).take());
      raw(Kind::Bytes, std::string(random_() % 30, 'x'));
      raw(Kind::Done, "");
      return say(Kind::GetDelta, wanted);
    }
    say(one_in(2) ? Kind::Get : Kind::GetSegment, wanted);
  }

  void one() {
    ++number_;
    const Wanted wanted{number_, path(), seen(), random_() % 3, one_in(2), {}};
    switch (random_() % 16) {
      case 0: return say(Kind::MakeDirectory, Directory{number_, path(), seen()});
      case 1: return say(Kind::MakeLink, SymbolicLink{number_, head(), "../outside"});
      case 2: return say(Kind::MakeTwin, Twin{number_, head(), path(), one_in(2), number_ - 1});
      case 3: return say(Kind::MakeLink, SymbolicLink{number_, head(), path()});
      case 4: return say(Kind::Remove, Removal{number_, path(), seen()});
      case 5: return say(Kind::FinishDirectory, DirectoryEnd{number_, path(), 0755, 0, {}});
      case 6: return say(Kind::SetAttributes, Attributes{number_, path(), 0600, 0, seen(), {}});
      case 7: return say(Kind::AskPart, FileStart{number_, head(), 0});
      case 8:
        return say(Kind::FinishPart, PartEnd{number_, head(), {{1, Hash{}}}, true, one_in(4)});
      case 9: return get(wanted);
      case 10: return say(Kind::Sign, wanted);
      case 11: return raw(Kind::HashFiles, pack_texts({path(), path()}));
      case 12: return raw(Kind::Flush, Packer().number(1).take());
      case 13: return say(Kind::Scan, ScanTree{.hash = one_in(2), .twins = true});
      default: return file();
    }
  }

  std::mt19937_64 random_;
  std::string bytes_;
  std::size_t opened_ = 0;
  BlockWriter out_;
  std::uint64_t number_ = 0;
};

TEST_F(TreeServiceTest, WhateverIsSaidNothingOutsideIsTouched) {
  const std::string before = outside();
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    fs::remove_all(scratch_ / "root");
    fs::create_directory(scratch_ / "root");
    fs::create_symlink(scratch_ / "outside", scratch_ / "root/link");
    scratch_.write("root/a", "x");
    scratch_.write("root/d/x", "xx");
    (void)serve(Talker(seed).talk(scratch_ / "root", 40));
    ASSERT_EQ(outside(), before) << seed;
    ASSERT_TRUE(temporaries().empty()) << seed;
  }
}

TEST_F(TreeServiceTest, GarbledStreamsEndItWithoutACrash) {
  std::mt19937_64 random(9);
  const std::string before = outside();
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Talker talker(seed);
    std::string bytes = talker.talk(scratch_ / "root", 20);
    for (std::size_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = talker.opened() + random() % (bytes.size() - talker.opened());
      bytes[at] = static_cast<char>(random());
    }
    (void)serve(bytes.substr(0, random() % 2 == 0 ? bytes.size() : random() % bytes.size()));
    ASSERT_EQ(outside(), before) << seed;
    ASSERT_TRUE(temporaries().empty()) << seed;
  }
}

TEST_F(TreeServiceTest, AnOrderInTheMiddleOfAFileIsRefused) {
  std::string bytes;
  BlockWriter out([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  const FileHead head{.path = "large", .mode = 0600, .size = kLargeFile};
  ASSERT_TRUE(send(out, Kind::Open, OpenTree{.path = scratch_ / "root", .role = Role::Target}));
  ASSERT_TRUE(send(out, Kind::Segment, FileStart{1, head, 0}));
  ASSERT_TRUE(send(out, Kind::FinishPart, PartEnd{2, head, {}}));
  ASSERT_TRUE(send_raw(out, Kind::Bytes, "x"));
  ASSERT_TRUE(out.flush());
  EXPECT_EQ(serve(bytes).error().code, Errc::Protocol);
}

TEST_F(TreeServiceTest, NothingIsDoneBeforeTheTreeIsOpen) {
  std::string bytes;
  BlockWriter out([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  ASSERT_TRUE(send(out, Kind::MakeDirectory, Directory{1, "x", {}}));
  ASSERT_TRUE(out.flush());
  EXPECT_EQ(serve(bytes).error().code, Errc::Protocol);
}

}  // namespace
}  // namespace yonder::outpost
