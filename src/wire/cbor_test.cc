#include "wire/cbor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "wire/archive.h"
#include "wire/hex_test.h"

namespace yonder::wire {

enum class Colour : std::uint8_t { Red, Green };
constexpr Colour last_of(Colour) {
  return Colour::Green;
}
struct Inner {
  std::int64_t number = 0;
};
struct Sample {
  bool flag = false;
  std::uint64_t count = 0;
  int small = 0;
  std::string text;
  Colour colour = Colour::Red;
  std::optional<std::int64_t> maybe;
  std::vector<Inner> list;
  std::map<std::string, std::string> names;
};
template <class A>
void fields(A& a, Inner& m) {
  a("number", m.number);
}
template <class A>
void fields(A& a, Sample& m) {
  a("flag", m.flag);
  a("count", m.count);
  a("small", m.small);
  a("text", m.text);
  a("colour", m.colour);
  a("maybe", m.maybe);
  a("list", m.list);
  a("names", m.names);
}

namespace {

using ::testing::HasSubstr;

std::string complaint(const std::string& cbor) {
  const auto checked = check_cbor_shape(cbor);
  return checked ? "" : checked.error().message;
}

TEST(CborGuard, LetsOrdinaryMessagesPass) {
  for (const std::string_view hex :
       {"a0", "80", "00", "1818", "1bffffffffffffffff", "3903e7", "6161", "4101", "f6", "f5",
        "fb3ff0000000000000", "a16161820102", "8180"}) {
    EXPECT_EQ(complaint(from_hex(hex)), "") << hex;
  }
}

TEST(CborGuard, RefusesNestingBombsWithoutRecursion) {
  EXPECT_THAT(complaint(std::string(1024UL * 1024, '\x81')), HasSubstr("nested too deep"));
  std::string maps;
  for (int i = 0; i < 100000; ++i) maps += "\xa1\x61\x61";
  EXPECT_THAT(complaint(maps), HasSubstr("nested too deep"));
  EXPECT_EQ(complaint(from_hex("818181818181818181818100")), "") << "eleven levels are fine";
  EXPECT_THAT(complaint(from_hex("81818181818181818181818100")), HasSubstr("nested too deep"));
}

TEST(CborGuard, RefusesWhatIsNotOneWholeItemOfDefiniteLength) {
  for (const std::string_view hex : {
           "",                    // nothing
           "18",                  // a number without its byte
           "1b00",                // a number cut off
           "6261",                // a string cut off
           "7bffffffffffffffff",  // a string that could not exist
           "9bffffffffffffffff",  // a list that could not exist
           "bb8000000000000000",  // a map whose doubled count would be zero
           "8201",                // fewer items than promised
           "a161610",             // a map without its value
           "9f01ff",              // indefinite list
           "bf616101ff",          // indefinite map
           "7f6161ff",            // indefinite string
           "5f4101ff",            // indefinite bytes
           "1c",                  // reserved
           "ff",                  // a break alone
           "c000",                // a tag
           "0000",                // two items
       }) {
    EXPECT_NE(complaint(from_hex(hex)), "") << hex;
  }
}

// Written by somebody else.
std::string cbor_bytes(const nlohmann::json& value) {
  std::string out;
  nlohmann::json::to_cbor(value, out);
  return out;
}

nlohmann::json good_map() {
  return {{"flag", true},
          {"count", 7U},
          {"small", -5},
          {"text", "t"},
          {"colour", 1U},
          {"maybe", nullptr},
          {"list", {{{"number", 3U}}}},
          {"names", {{"a", "b"}}}};
}

std::string reading(const nlohmann::json& map) {
  const auto sample = from_cbor<Sample>(cbor_bytes(map));
  return sample ? "" : sample.error().message;
}

TEST(Reader, FillsEveryField) {
  const auto sample = from_cbor<Sample>(cbor_bytes(good_map()));
  ASSERT_TRUE(sample);
  EXPECT_TRUE(sample->flag);
  EXPECT_EQ(sample->count, 7U);
  EXPECT_EQ(sample->small, -5);
  EXPECT_EQ(sample->colour, Colour::Green);
  EXPECT_EQ(sample->maybe, std::nullopt);
  ASSERT_EQ(sample->list.size(), 1U);
  EXPECT_EQ(sample->list[0].number, 3);
  EXPECT_EQ(sample->names.at("a"), "b");
}

TEST(Writer, WritesWhatEverybodyReads) {
  Sample sample{.flag = true, .small = -70000, .text = "t\n\"\xc3\xa9", .colour = Colour::Green};
  sample.list = {{.number = -1}, {.number = std::numeric_limits<std::int64_t>::min()}};
  sample.names = {{"a", "b"}, {"", std::string(70000, 'x')}};
  for (const std::uint64_t count : {0ULL, 23ULL, 24ULL, 255ULL, 256ULL, 65535ULL, 65536ULL,
                                    4294967295ULL, 4294967296ULL, ~0ULL}) {
    sample.count = count;
    const std::string bytes = to_cbor(sample);
    const auto read = nlohmann::json::from_cbor(bytes, true, false);
    ASSERT_FALSE(read.is_discarded());
    EXPECT_EQ(read["flag"], true);
    EXPECT_EQ(read["count"], count);
    EXPECT_EQ(read["small"], -70000);
    EXPECT_EQ(read["text"], sample.text);
    EXPECT_EQ(read["colour"], 1);
    EXPECT_EQ(read["maybe"], nullptr);
    EXPECT_EQ(read["list"][1]["number"], std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(read["names"], nlohmann::json(sample.names));
    // As short as can be.
    EXPECT_EQ(bytes.size(), cbor_bytes(read).size());
  }
}

TEST(Reader, TakesFieldsInAnyOrder) {
  const auto map = good_map();
  std::vector<std::string> names;
  for (const auto& [name, value] : map.items()) names.push_back(name);
  for (std::size_t first = 0; first < names.size(); ++first) {
    std::rotate(names.begin(), names.begin() + 1, names.end());
    std::string bytes;
    append_cbor_map(bytes, names.size());
    for (const auto& name : names) bytes += cbor_bytes(name) + cbor_bytes(map[name]);
    const auto sample = from_cbor<Sample>(bytes);
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_EQ(to_cbor(*sample), to_cbor(*from_cbor<Sample>(cbor_bytes(map))));
  }
}

TEST(CborItem, IsNothingButWhatItIs) {
  struct Row {
    const char* hex;
    const char* what;
  };
  for (const auto& [hex, what] :
       std::vector<Row>{{"f5", "boolean"},
                        {"f6", "null"},
                        {"f7", "nothing"},      // undefined
                        {"f814", "nothing"},    // false, too long
                        {"f90014", "nothing"},  // a number with a fraction
                        {"fb0000000000000014", "nothing"},
                        {"00", "whole"},
                        {"1bffffffffffffffff", "whole"},
                        {"20", "negative"},
                        {"3b7fffffffffffffff", "negative"},
                        {"3b8000000000000000", "nothing"},  // too small
                        {"60", "text"},
                        {"40", "nothing"},  // bytes
                        {"80", "list"},
                        {"a0", "map"},
                        {"a10000", "nothing"}}) {  // a key that is no text
    const std::string bytes = from_hex(hex);
    const CborItem item(bytes);
    std::string is;
    if (item.is_null()) is += "null";
    if (item.boolean()) is += "boolean";
    if (item.whole_number()) is += "whole";
    if (item.negative_number()) is += "negative";
    if (item.text()) is += "text";
    if (item.list()) is += "list";
    if (item.map()) is += "map";
    EXPECT_EQ(is.empty() ? "nothing" : is, what) << hex;
  }
}

TEST(Reader, IgnoresFieldsItDoesNotKnow) {
  auto map = good_map();
  map["newer"] = {1, 2, 3};
  EXPECT_EQ(reading(map), "");
}

TEST(Reader, NamesTheFieldThatIsMissing) {
  const auto good = good_map();
  for (const auto& [name, value] : good.items()) {
    auto map = good_map();
    map.erase(name);
    EXPECT_EQ(reading(map), "message: field '" + name + "' is missing");
  }
}

TEST(Reader, NamesTheFieldThatIsWrong) {
  struct Row {
    const char* field;
    nlohmann::json value;
    const char* complaint;
  };
  const std::uint64_t large = ~std::uint64_t{0};
  for (const auto& [field, value, expected] :
       std::vector<Row>{{"flag", 1U, "is not a boolean"},
                        {"flag", nullptr, "is not a boolean"},
                        {"count", -1, "is not a whole number"},
                        {"count", 1.0, "is not a whole number"},
                        {"count", "1", "is not a whole number"},
                        {"small", large, "is too large"},
                        {"small", std::int64_t{-3000000000}, "is too small"},
                        {"small", 3000000000U, "is too large"},
                        {"text", 1U, "is not a string"},
                        {"text", nlohmann::json::binary({1, 2}), "is not a string"},
                        {"colour", 2U, "is not a known value"},
                        {"colour", 256U, "is not a known value"},
                        {"colour", -1, "is not a known value"},
                        {"colour", "red", "is not a known value"},
                        {"maybe", "x", "is not a whole number"},
                        {"maybe", large, "is too large"},
                        {"list", nlohmann::json::object(), "is not a list"},
                        {"list", {1U}, "is not a map"},
                        {"names", nlohmann::json::array(), "is not a map"},
                        {"names", {{"a", 1U}}, "is not a string"}}) {
    auto map = good_map();
    map[field] = value;
    EXPECT_THAT(reading(map), HasSubstr(expected)) << field << " = " << value;
  }
}

TEST(Reader, RefusesWhatIsNoMapAtAll) {
  for (const std::string_view hex : {"80", "00", "6161", "f6", "a10102"}) {
    EXPECT_FALSE(from_cbor<Sample>(from_hex(hex))) << hex;
  }
}

}  // namespace
}  // namespace yonder::wire
