#include "mcp/protocol.h"

#include <gtest/gtest.h>

namespace yonder::mcp {
namespace {

TEST(Negotiate, KeepsWhatTheClientAskedForWhenWeSpeakIt) {
  for (const auto* name : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(name_of(negotiate(name)), name);
  }
}

TEST(Negotiate, OffersOurNewestForAnythingElse) {
  for (const auto* name : {"2024-10-07", "2026-07-28", "2099-01-01", "", "latest"}) {
    EXPECT_EQ(name_of(negotiate(name)), "2025-11-25") << name;
  }
}

TEST(EraOf, IsModernOnlyWhenTheRequestCarriesItsVersion) {
  const auto era = [](const char* params) { return era_of(Json::parse(params)); };
  EXPECT_EQ(era(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})"),
            Era::Modern);
  EXPECT_EQ(era(R"({})"), Era::Legacy);
  EXPECT_EQ(era(R"({"_meta":{"progressToken":1}})"), Era::Legacy);
  EXPECT_EQ(era(R"({"_meta":"io.modelcontextprotocol/protocolVersion"})"), Era::Legacy);
  EXPECT_EQ(era(R"({"protocolVersion":"2026-07-28"})"), Era::Legacy);
}

}  // namespace
}  // namespace yonder::mcp
