#include "tree/delta.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "base/fd.h"
#include "base/scratch_test.h"

namespace yonder::tree {
namespace {

std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

class DeltaTest : public ::testing::Test {
 protected:
  Fd open(const std::string& name, const std::string& content) const {
    return Fd(::open(scratch_.write(name, content).c_str(), O_RDONLY | O_CLOEXEC));
  }
  static Pour into(std::string& text) {
    return [&text](std::string_view bytes) {
      text += bytes;
      return Result<void>();
    };
  }
  std::string delta(const std::string& before, const std::string& after) const {
    const Fd old_file = open("old", before);
    const Fd new_file = open("new", after);
    std::string signature;
    std::string out;
    EXPECT_TRUE(make_signature(old_file.get(), before.size(), into(signature)));
    EXPECT_TRUE(make_delta(signature, before.size(), {new_file.get(), 0, after.size()}, out));
    return out;
  }
  static Result<void> make_delta(std::string_view signature, std::uint64_t old_size,
                                 const Differ::Range& range, std::string& out) {
    TRY_ASSIGN(const Differ differ, Differ::load(signature, old_size));
    std::string read;
    TRY(differ.make_delta(range, into(read), into(out)));
    EXPECT_EQ(read.size(), range.size);
    return {};
  }
  Result<std::string> patched(const std::string& before, std::string_view delta,
                              std::size_t piece = 1000) const {
    const Fd old_file = open("old", before);
    std::string out;
    Patch patch(old_file.get(), into(out));
    for (; !delta.empty(); delta.remove_prefix(std::min(piece, delta.size()))) {
      TRY(patch.add(delta.substr(0, piece)));
    }
    TRY(patch.finish());
    return out;
  }
  testing::Scratch scratch_;
};

TEST_F(DeltaTest, BringsTheNewFileFromTheOldOne) {
  const std::string big = noise(700000, 1);
  std::string inserted = big;
  inserted.insert(333333, "something new");
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"", "new"},
           {"old", ""},
           {big, big},
           {big, inserted},
           {big, big.substr(5)},
           {big, big.substr(350000) + big.substr(0, 350000)},
           {big, noise(300000, 2)}}) {
    const auto out = patched(before, delta(before, after));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_TRUE(*out == after);
  }
  EXPECT_LT(delta(big, inserted).size(), 20000U);
}

TEST_F(DeltaTest, OneSignatureServesManyRanges) {
  constexpr std::size_t kRange = 1024UL * 1024;
  const std::string before = noise(4 * kRange + 777, 1);
  std::string after = before;
  after.replace(2 * kRange + 5, 3, "new");
  const Fd old_file = open("old", before);
  const Fd new_file = open("new", after);
  std::string signature;
  ASSERT_TRUE(make_signature(old_file.get(), before.size(), into(signature)));
  const auto differ = Differ::load(signature, before.size());
  ASSERT_TRUE(differ);
  std::string whole;
  for (std::size_t at = 0; at < after.size(); at += kRange) {
    const std::size_t size = std::min(kRange, after.size() - at);
    std::string read;
    std::string delta;
    ASSERT_TRUE(differ->make_delta({new_file.get(), at, size}, into(read), into(delta)));
    EXPECT_TRUE(read == after.substr(at, size));
    EXPECT_LT(delta.size(), at == 2 * kRange ? 5000U : 50U) << "no block lies across two ranges";
    const auto out = patched(before, delta);
    ASSERT_TRUE(out) << out.error().message;
    whole += *out;
  }
  EXPECT_TRUE(whole == after);
}

TEST_F(DeltaTest, ADeltaThatIsNotWholeIsAnError) {
  const std::string big = noise(100000, 1);
  const std::string whole = delta(big, big.substr(100) + "x");
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 50) {
    EXPECT_FALSE(patched(big, whole.substr(0, size))) << size;
  }
}

TEST_F(DeltaTest, NothingComesAfterTheEndOfADelta) {
  EXPECT_FALSE(patched("old", delta("old", "new") + std::string(5000, 'x'), 100));
}

TEST_F(DeltaTest, GarbledDeltasAndSignaturesDoNotCrash) {
  std::mt19937 random(4);
  const std::string big = noise(50000, 1);
  const std::string whole = delta(big, big.substr(100) + "x");
  std::string signature;
  const Fd old_file = open("old", big);
  ASSERT_TRUE(make_signature(old_file.get(), big.size(), into(signature)));
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)patched(big, bytes);
    bytes = signature;
    bytes[random() % (i % 2 == 0 ? bytes.size() : 12)] = static_cast<char>(random());
    std::string out;
    (void)make_delta(bytes, big.size(), {old_file.get(), 0, big.size()}, out);
  }
  std::string out;
  EXPECT_FALSE(make_delta("", big.size(), {old_file.get(), 0, big.size()}, out));
  EXPECT_FALSE(
      make_delta(signature.substr(0, 11), big.size(), {old_file.get(), 0, big.size()}, out));
}

TEST_F(DeltaTest, ASignatureWithBlocksOfGigabytesIsRefused) {
  const Fd old_file = open("old", "abc");
  std::string signature;
  ASSERT_TRUE(make_signature(old_file.get(), 3, into(signature)));
  signature[4] = '\x7f';
  std::string out;
  EXPECT_FALSE(make_delta(signature, 3, {old_file.get(), 0, 3}, out));
}

// Each of them would be looked for at every byte.
TEST_F(DeltaTest, ASignatureOfMoreBlocksThanTheFileHasIsRefused) {
  const std::string big = noise(5000000, 1);
  const Fd file = open("old", big);
  std::string signature;
  ASSERT_TRUE(make_signature(file.get(), big.size(), into(signature)));
  EXPECT_LE(signature.size(), *longest_signature(big.size()));
  EXPECT_TRUE(Differ::load(signature, big.size()));
  std::string more = signature;
  while (more.size() <= *longest_signature(big.size())) more += signature.substr(12);
  EXPECT_FALSE(Differ::load(more, big.size()));
  std::string finer;  // a smaller file has smaller blocks
  ASSERT_TRUE(make_signature(file.get(), 70000, into(finer)));
  EXPECT_TRUE(Differ::load(finer, 70000));
  EXPECT_FALSE(Differ::load(finer, big.size()));
}

}  // namespace
}  // namespace yonder::tree
