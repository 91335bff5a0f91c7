#include "mcp/bounded_json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace yonder::mcp {
namespace {

std::string repeat(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

std::string problem(std::string_view text, const JsonBounds& bounds = {}) {
  auto parsed = parse_bounded_json(text, bounds);
  return parsed ? "" : parsed.error().message;
}

TEST(BoundedJson, KeepsTheOrderOfKeys) {
  auto parsed = parse_bounded_json(R"({"b":1,"a":[true,null,"x",-2,2.5]})");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(dump_json(*parsed), R"({"b":1,"a":[true,null,"x",-2,2.5]})");
}

TEST(BoundedJson, RefusesWhatIsNotJson) {
  for (const std::string_view text :
       {"", "{", "nope", "{\"a\":1}{", "[1,]", "\"\xff\"", "1e999", "\"\\ud800\"", "{'a':1}"}) {
    EXPECT_NE(problem(text), "") << text;
  }
}

TEST(BoundedJson, TakesTheDepthItPromisesAndNotOneMore) {
  EXPECT_EQ(problem(repeat("[", 200) + repeat("]", 200)), "");
  EXPECT_EQ(problem(repeat("[", 201) + repeat("]", 201)), "nested deeper than 200 levels");
}

TEST(BoundedJson, SurvivesAHundredThousandOpenBrackets) {
  EXPECT_EQ(problem(repeat("[", 100'000)), "nested deeper than 200 levels");
  EXPECT_EQ(problem(repeat("{\"a\":", 100'000)), "nested deeper than 200 levels");
  EXPECT_EQ(problem(repeat("[", 100'000) + repeat("]", 100'000)), "nested deeper than 200 levels");
}

TEST(BoundedJson, CountsKeysOfEachObjectByItself) {
  const JsonBounds two{.keys = 2};
  EXPECT_EQ(problem(R"({"a":{"c":1,"d":2},"b":{"e":1,"f":2}})", two), "");
  EXPECT_EQ(problem(R"({"a":1,"b":{"c":1},"d":2})", two), "an object has more than 2 keys");
}

TEST(BoundedJson, RefusesAMillionKeysAtOnce) {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += concat("\"", i, "\":0,");
  EXPECT_EQ(problem(text), "an object has more than 1000 keys");
}

TEST(BoundedJson, BoundsTheNumberOfValues) {
  EXPECT_EQ(problem("[0,0,0]", {.values = 4}), "");
  EXPECT_EQ(problem("[0,0,0,0]", {.values = 4}), "more than 4 values");
}

}  // namespace
}  // namespace yonder::mcp
