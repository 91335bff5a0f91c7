#include "tree/pack_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace yonder::tree {
namespace {

using ::testing::HasSubstr;

RuleSet some_rules() {
  RuleSet rules;
  add_defaults(rules);
  EXPECT_TRUE(rules.add("", "!./#a\\ ", {"excludes", 3}));
  EXPECT_TRUE(rules.add("", "/x", {"exclude_file .yonderignore", 1}, Level::ExcludeFile));
  EXPECT_TRUE(rules.add_file("sub", "\\#b\n\xff*\n!**/c/\n", "sub/.gitignore"));
  EXPECT_TRUE(rules.add_file("", "d\n", ".gitignore"));
  return rules;
}

TEST(PackRules, WhatIsUnpackedIsWhatWasPacked) {
  const RuleSet rules = some_rules();
  const std::string packed = pack_rules(rules);
  const auto unpacked = unpack_rules(packed);
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  EXPECT_EQ(unpacked->size(), rules.size());
  EXPECT_EQ(pack_rules(*unpacked), packed);
  const Verdict verdict = unpacked->judge("#a ", false);
  ASSERT_NE(verdict.rule, nullptr);
  EXPECT_FALSE(verdict.excluded);
  EXPECT_EQ(RuleSet::describe(*verdict.rule), "`!./#a\\ ` (excludes:3)");
  EXPECT_TRUE(unpacked->judge("sub/\xffz", false).excluded);
  EXPECT_FALSE(unpacked->judge("\xffz", false).excluded);
}

TEST(PackRules, APatternThatEndsWithACarriageReturnArrivesAsItIs) {
  RuleSet rules;
  ASSERT_TRUE(rules.add_file("", "a\r\r\n", ".gitignore"));
  const auto unpacked = unpack_rules(pack_rules(rules));
  ASSERT_TRUE(unpacked);
  EXPECT_TRUE(rules.judge("a\r", false).excluded);
  EXPECT_TRUE(unpacked->judge("a\r", false).excluded);
  EXPECT_FALSE(unpacked->judge("a", false).excluded);
}

TEST(PackRules, NoRulesAreRulesToo) {
  const auto unpacked = unpack_rules(pack_rules(RuleSet()));
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->size(), 0U);
}

TEST(PackRules, BytesThatAreCutAnywhereAreRefusedOrFewer) {
  const std::string packed = pack_rules(some_rules());
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const auto unpacked = unpack_rules(std::string_view(packed).substr(0, size));
    if (unpacked) {
      EXPECT_LT(unpacked->size(), some_rules().size());
    } else {
      EXPECT_EQ(unpacked.error().code, Errc::Protocol) << size;
    }
  }
}

TEST(PackRules, ChangedBytesNeverDoHarm) {
  const std::string packed = pack_rules(some_rules());
  for (std::size_t at = 0; at < packed.size(); ++at) {
    for (const char byte : {'\0', '\x01', '\x7f', '\xff', '['}) {
      std::string changed = packed;
      changed[at] = byte;
      const auto unpacked = unpack_rules(changed);
      if (unpacked) unpacked->judge_with_parents("sub/a/b", false);
    }
  }
}

TEST(PackRules, TooMuchIsRefused) {
  const std::string zero(4, '\0');
  const std::string one("\1\0\0\0", 4);
  const std::string rule = std::string(1, '\3') + zero + zero + one + "x" + zero;
  std::string many = "YR1\n";
  for (std::size_t i = 0; i < kMaxRules; ++i) many += rule;
  EXPECT_TRUE(unpack_rules(many));
  EXPECT_THAT(unpack_rules(many + rule).error().message, HasSubstr("10000"));
  const std::string long_size("\2\x10\0\0", 4);  // 4098: one more than a line may have
  EXPECT_THAT(unpack_rules("YR1\n\3" + zero + zero + long_size + std::string(4098, 'x') + zero)
                  .error()
                  .message,
              HasSubstr("too long"));
  EXPECT_THAT(unpack_rules("YR1\n\4" + zero + zero + one + "x" + zero).error().message,
              HasSubstr("level"));
  EXPECT_THAT(unpack_rules("YR2\n").error().message, HasSubstr("begin"));
}

}  // namespace
}  // namespace yonder::tree
