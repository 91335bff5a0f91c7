#include "tree/hash.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scratch_test.h"
#include "tree/scan.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kMiB = 1024UL * 1024;

class HashTest : public ::testing::Test {
 protected:
  Fd make(const std::string& name) const {
    return Fd(::open((scratch_ / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  testing::Scratch scratch_;
};

TEST_F(HashTest, HolesCountAsTheZerosTheyAre) {
  std::string content(9 * kMiB + 5, '\0');
  const Fd file = make("sparse");
  ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(content.size())), 0);
  for (const std::size_t at : {0UL, 3000000UL, 9UL * 1024 * 1024}) {
    content.replace(at, 4, "data");
    ASSERT_EQ(::pwrite(file.get(), "data", 4, static_cast<off_t>(at)), 4);
  }
  EXPECT_EQ(*hash_of_range(file.get(), 0, content.size()), hash_of_bytes(content));
  EXPECT_EQ(*hash_of_range(file.get(), 12345, 5000000),
            hash_of_bytes(std::string_view(content).substr(12345, 5000000)));
  EXPECT_EQ(hash_of_range(file.get(), 0, content.size() + 1).error().code, Errc::Conflict);
}

TEST_F(HashTest, WhoeverIsToldToStopStopsAlsoInAHole) {
  const Fd file = make("huge");
  if (::ftruncate(file.get(), off_t{1} << 43U) != 0) GTEST_SKIP() << "no such files here";
  int asked = 0;
  const auto stopped = [&] { return ++asked > 3; };
  EXPECT_EQ(hash_of_range(file.get(), 0, 1ULL << 43U, stopped).error().code, Errc::Cancelled);
  EXPECT_EQ(asked, 4);
  const Fd root(::open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(list_one(root.get(), "huge", {.hash = true}, stopped).error().code, Errc::Cancelled);
  asked = 0;
  const auto scanned = scan(root.get(), {.hash = true},
                            {.on_entry = [](Entry&& entry) { ADD_FAILURE() << entry.path; },
                             .on_skip = [](Skip&& skip) { ADD_FAILURE() << skip.path; },
                             .stopped = stopped});
  EXPECT_EQ(scanned.error().code, Errc::Cancelled);
}

TEST_F(HashTest, WhoeverIsToldToStopStopsInTheMiddleOfAFile) {
  const Fd file = make("large");
  const std::string content(4 * kMiB, 'x');
  ASSERT_TRUE(write_all(file, content));
  int asked = 0;
  const auto stopped = [&] { return ++asked > 3; };
  EXPECT_EQ(hash_of_range(file.get(), 0, content.size(), stopped).error().code, Errc::Cancelled);
  EXPECT_EQ(*hash_of_range(file.get(), 0, content.size()), hash_of_bytes(content));
}

}  // namespace
}  // namespace yonder::tree
