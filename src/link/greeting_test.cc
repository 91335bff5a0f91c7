#include "link/greeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "link/boot_script.h"
#include "wire/handshake.h"

namespace yonder::link {
namespace {

using ::testing::ElementsAre;

const std::string kNonce = "aaaabbbbccccddddeeee";
const std::string kMarker = wire::handshake_marker(kNonce);

TEST(GreetingReader, SkipsNoiseWithAndWithoutANewlineAndKeepsIt) {
  for (const std::string noise :
       {"", "motd\n", "no newline", "a\x01YONDER-b ", "\x01", "\x01\x01YO"}) {
    GreetingReader reader(kNonce);
    reader.feed(noise + kMarker + " ready\nrest");
    EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Ready) << noise;
    EXPECT_EQ(reader.noise(), noise);
    EXPECT_EQ(reader.take_rest(), "rest");
  }
}

TEST(GreetingReader, UnderstandsEveryLineHoweverItIsSplit) {
  const std::string bytes = "hi\n" + kMarker + " tried /a: no\n" + kMarker +
                            " need Linux x86_64 1\nmore" + kMarker + " ready\nFRAMES";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    GreetingReader reader(kNonce);
    std::vector<GreetingReader::Kind> kinds;
    GreetingReader::Need need;
    for (const auto& piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
      reader.feed(piece);
      if (!kinds.empty() && kinds.back() == GreetingReader::Kind::Ready) break;
      for (auto event = reader.next(); event.kind != GreetingReader::Kind::Nothing;
           event = reader.next()) {
        kinds.push_back(event.kind);
        if (event.kind == GreetingReader::Kind::Need) need = event.need;
        if (event.kind == GreetingReader::Kind::Ready) break;
      }
    }
    ASSERT_THAT(kinds, ElementsAre(GreetingReader::Kind::Need, GreetingReader::Kind::Ready)) << cut;
    EXPECT_EQ(need.machine, "x86_64");
    EXPECT_TRUE(need.gzip);
    EXPECT_THAT(reader.tried(), ElementsAre("/a: no"));
    EXPECT_EQ(reader.noise(), "hi\nmore");
    EXPECT_EQ(reader.take_rest(), "FRAMES");
  }
}

TEST(GreetingReader, TellsAllOfAShortNoise) {
  GreetingReader reader(kNonce);
  reader.feed("This account is currently not available.\n");
  EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Nothing);
  EXPECT_EQ(reader.noise(), "This account is currently not available.\n");
}

TEST(GreetingReader, IsNotFooledByAnEchoOfTheScriptOrByAnOlderSession) {
  GreetingReader reader(kNonce);
  reader.feed(boot_script(kNonce, {}));
  reader.feed(wire::handshake_marker("zzzzzzzzzzzzzzzzzzzz") + " ready\n");
  EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Nothing);
}

TEST(GreetingReader, TellsThatNoPlaceWorks) {
  GreetingReader reader(kNonce);
  reader.feed(kMarker + " failed\n");
  EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Failed);
}

TEST(GreetingReader, IgnoresLinesThatItDoesNotKnow) {
  GreetingReader reader(kNonce);
  reader.feed(kMarker + " need\n" + kMarker + " need a b c d\n" + kMarker + " readyx\n" + kMarker +
              " \n" + kMarker + " tried\n" + kMarker + " ready\n");
  EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Ready);
}

TEST(GreetingReader, MakesForeignWordsPrintable) {
  GreetingReader reader(kNonce);
  reader.feed(kMarker + " tried /a\x1b[31m: \xff\n" + kMarker + " need Li\x07nux x 0\n");
  const auto event = reader.next();
  EXPECT_EQ(event.need.system, "Li\\x07nux");
  EXPECT_FALSE(event.need.gzip);
  EXPECT_THAT(reader.tried(), ElementsAre("/a\\x1b[31m: \\xff"));
}

TEST(GreetingReader, BoundsEverythingItKeeps) {
  GreetingReader reader(kNonce);
  for (int i = 0; i < 1000; ++i) {
    reader.feed(std::string(1000, 'n') + "\n");
    ASSERT_EQ(reader.next().kind, GreetingReader::Kind::Nothing);
  }
  EXPECT_EQ(reader.noise().size(), 8192U);
  for (int i = 0; i < 100; ++i) reader.feed(kMarker + " tried /x: y\n");
  reader.next();
  EXPECT_EQ(reader.tried().size(), 16U);
}

TEST(GreetingReader, GivesUpALineWithoutEndAndStillHearsTheNext) {
  GreetingReader reader(kNonce);
  for (int i = 0; i < 100; ++i) {
    reader.feed((i == 0 ? kMarker + " tried " : "") + std::string(1000, 'x'));
    ASSERT_EQ(reader.next().kind, GreetingReader::Kind::Nothing);
  }
  reader.feed(kMarker + " ready\n");
  EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Ready);
}

TEST(GreetingReader, RefusesALineThatIsTooLongHoweverItIsCut) {
  const std::string text = kMarker + " need " + std::string(5000, 'x') + " y 1\n";
  for (const std::size_t piece : {text.size(), std::size_t{1000}}) {
    GreetingReader reader(kNonce);
    for (std::size_t at = 0; at < text.size(); at += piece) {
      reader.feed(text.substr(at, piece));
      EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Nothing) << "in pieces of " << piece;
    }
    reader.feed(kMarker + " ready\n");
    EXPECT_EQ(reader.next().kind, GreetingReader::Kind::Ready);
  }
}

TEST(GreetingReader, KeepsLittleOfMarkersWithoutANewline) {
  GreetingReader reader(kNonce);
  std::string markers;
  while (markers.size() < 16384) markers += kMarker + " ";
  for (int i = 0; i < 1000; ++i) {
    reader.feed(markers);
    ASSERT_EQ(reader.next().kind, GreetingReader::Kind::Nothing);
  }
  EXPECT_LE(reader.noise().size(), 8192U);
  EXPECT_LE(reader.take_rest().size(), 8192U);
}

}  // namespace
}  // namespace yonder::link
