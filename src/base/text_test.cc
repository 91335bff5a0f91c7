#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "base/id.h"
#include "base/json.h"

namespace yonder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Text, ConcatenatesTextAndNumbers) {
  EXPECT_EQ(concat("a", std::string("b"), 'c', -3, 18446744073709551615ULL),
            "abc-318446744073709551615");
  EXPECT_EQ(concat(), "");
}

TEST(Text, SplitsAndJoins) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join({}, ","), "");
}

TEST(Text, TrimsAndLowers) {
  EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(to_lower("AbC\xC3\x84"), "abc\xC3\x84");
}

TEST(Nearest, SuggestsWhatAFingerSlipAwayWasMeant) {
  const std::vector<std::string> known{"host", "port", "user", "timeout_s", "command"};
  EXPECT_EQ(nearest("prot", known), "port");
  EXPECT_EQ(nearest("HOST", known), "host");
  EXPECT_EQ(nearest("comand", known), "command");
  EXPECT_EQ(nearest("timeouts", known), "timeout_s");
  EXPECT_EQ(nearest("zzz", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("host", {}), "");
}

TEST(HumanBytes, ShowsThreeDigitsAndAUnit) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(5ULL << 30U), "5.0 GiB");
  EXPECT_EQ(human_bytes(std::numeric_limits<unsigned long long>::max()), "16.0 EiB");
}

TEST(RunIds, AreNewEachTimeAndReadBack) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto id = new_run_id();
    EXPECT_TRUE(seen.insert(id.str()).second);
    const auto parsed = parse_run_id(id.str());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, id);
  }
  EXPECT_EQ(random_letters(200).size(), 200U);
  EXPECT_EQ(random_letters(0), "");
}

TEST(RunIds, AreNothingElse) {
  for (const std::string text :
       {"", "r-", "r-abcdefghijklmno", "r-abcdefghijklmnopq", "R-abcdefghijklmnop",
        "r-abcdefghijklmno1", "r-abcdefghijklmno/", "r-../../../../../..", "x-abcdefghijklmnop",
        "r-abcdefghijklmno\n"}) {
    const auto parsed = parse_run_id(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::InvalidArgument);
    EXPECT_THAT(parsed.error().message, Not(HasSubstr("\n")));
  }
}

TEST(Json, IsReadOrRefusedWithoutQuotingIt) {
  EXPECT_EQ((*parse_json(R"({"b":1,"a":[null,true]})", "x"))["b"], 1);
  EXPECT_EQ(dump_json(*parse_json(R"({"b":1,"a":2})", "x")), R"({"b":1,"a":2})")
      << "keys keep their order";
  for (const std::string text : {"", "{", "{\"a\":}", "nul", "\"\xff\"", "1e999", "[1,]", "{} x"}) {
    const auto value = parse_json(text, "the request");
    ASSERT_FALSE(value) << text;
    EXPECT_THAT(value.error().message, HasSubstr("the request"));
  }
}

TEST(Json, IsValidOnOneLineWhateverBytesAreInside) {
  EXPECT_EQ(dump_json(Json{{"k", "a\xff\nb"}}), "{\"k\":\"a\xEF\xBF\xBD\\nb\"}");
}

TEST(ErrorCodes, HaveNamesThatReadBack) {
  for (int code = 0; code <= static_cast<int>(Errc::Internal); ++code) {
    EXPECT_EQ(errc_from_name(name_of(static_cast<Errc>(code))), static_cast<Errc>(code));
  }
  EXPECT_EQ(errc_from_name("no such code"), Errc::Protocol);
  EXPECT_TRUE(is_retryable(Errc::Unreachable));
  EXPECT_FALSE(is_retryable(Errc::AuthNeeded));
  EXPECT_EQ((Error{Errc::NotFound, "inner", "hint"}).context("outer").message, "outer: inner");
  EXPECT_EQ(errno_error("open x", ENOENT).code, Errc::NotFound);
  EXPECT_EQ(errno_error("mkdir x", EEXIST).code, Errc::Conflict);
}

}  // namespace
}  // namespace yonder
