#include "wire/file_messages.h"

#include <gtest/gtest.h>

#include <random>

#include <nlohmann/json.hpp>

#include "wire/cbor.h"
#include "wire/file_samples_test.h"
#include "wire/hex_test.h"
#include "wire/messages.h"

namespace yonder::wire {
namespace {

// Made from RFC 8949, as those of the other messages; with sorted keys.
constexpr std::string_view kList =
    "a5696d61785f6465707468026b6d61785f656e747269657307626f706966696c655f6c6973746470"
    "617468617069726563757273697665f5";
constexpr std::string_view kRead =
    "a86a66697273745f6c696e6503656c696e657304696d61785f627974657302666f66667365740162"
    "6f706966696c655f7265616464706174686170647461696c056977616e745f68617368f4";
constexpr std::string_view kWrite =
    "a766617070656e64f567636f6e74656e746200636e6372656174655f706172656e7473f56d657870"
    "65637465645f6861736860646d6f64651901a4626f706a66696c655f777269746564706174686170";
constexpr std::string_view kEdit =
    "a465656469747381a3686e65775f74657874616e686f6c645f74657874616f6b7265706c6163655f"
    "616c6cf56d65787065637465645f686173686168626f706966696c655f6564697464706174686170";
constexpr std::string_view kSearch =
    "ac6e636173655f73656e736974697665f467636f6e7465787401676578636c756465826165616667"
    "696e636c756465816169676c69746572616cf56e6d61785f6c696e655f6279746573036b6d61785f"
    "6d61746368657302626f706b66696c655f73656172636864706174686170677061747465726e6172"
    "6774696d655f6d73046d7573655f67697469676e6f7265f4";
constexpr std::string_view kMove =
    "a56e6372656174655f706172656e7473f56466726f6d6161626f706966696c655f6d6f7665696f76"
    "65727772697465f562746f6162";
constexpr std::string_view kDelete =
    "a3626f706b66696c655f64656c6574656470617468617069726563757273697665f5";
constexpr std::string_view kMakeDirectory =
    "a4646d6f64651901e8626f706e6d616b655f6469726563746f727967706172656e7473f464706174"
    "686170";
constexpr std::string_view kTrash =
    "a36562617463686162696d61785f706174687309626f706a74726173685f6c697374";
constexpr std::string_view kRestore =
    "a36562617463686162626f706d74726173685f726573746f7265657061746873816170";
constexpr std::string_view kEmptyTrash = "a26762617463686573816162626f706b74726173685f656d707479";
constexpr std::string_view kListed =
    "a567656e747269657381a66b6c696e6b5f7461726765746174646d6f64651901ff686d74696d655f"
    "6e7325647061746861656473697a6505647479706502666572726f727381a2647061746861786672"
    "6561736f6e61726470617468622f7065746f74616c08697472756e6361746564f5";
constexpr std::string_view kPart =
    "a96662696e617279f567636f6e74656e74616364686173686168646d6f6465190180686d74696d65"
    "5f6e7303666f6666736574016470617468622f706473697a6502697472756e6361746564f5";
constexpr std::string_view kWritten =
    "a965626174636861626763726561746564f564686173686168666c696e6b6564622f6c646d6f6465"
    "190180686d74696d655f6e73026470617468622f706473697a6501687761726e696e6773816177";
constexpr std::string_view kEdited =
    "a4646469666661646e646966665f7472756e6361746564f56466696c65a965626174636861626763"
    "726561746564f564686173686168666c696e6b6564622f6c646d6f6465190180686d74696d655f6e"
    "73026470617468622f706473697a6501687761726e696e67738161776c7265706c6163656d656e74"
    "7302";
constexpr std::string_view kFound =
    "aa7062696e61726965735f736b6970706564056e62696e6172795f6d617463686573816162666572"
    "726f727381a26470617468617866726561736f6e61726d66696c65735f6d617463686564046e6669"
    "6c65735f7365617263686564036769676e6f72656406676d61746368657381a76561667465728161"
    "61666265666f726581616266636f6c756d6e02646c696e65016470617468616d6973686f7274656e"
    "6564f5647465787461746470617468622f70697472756e6361746564f56c7472756e63617465645f"
    "62796474696d65";
constexpr std::string_view kMoved =
    "a465626174636861626466726f6d622f61687265706c61636564f562746f622f62";
constexpr std::string_view kDeleted = "a365626174636861626470617468622f70647479706501";
constexpr std::string_view kMade = "a2646d616465026470617468622f70";
constexpr std::string_view kTrashListed =
    "a2676261746368657381a96562797465730367636f756e746564f46a637265617465645f6d730169"
    "6469726563746f7279622f6467656e747269657302626964616265706174687381617064726f6f74"
    "622f72637768796177666e6f775f6d7304";
constexpr std::string_view kRestored =
    "a56562617463686162666661696c656481a26470617468617066726561736f6e6172687265706c61"
    "6365640268726573746f7265640164726f6f74622f72";
constexpr std::string_view kEmptied =
    "a367626174636865730165627974657302646b65707481a26470617468617066726561736f6e6172";

std::string sorted_hex(const std::string& cbor) {
  std::string sorted;
  nlohmann::json::to_cbor(nlohmann::json::from_cbor(cbor), sorted);
  return to_hex(sorted);
}

TEST(FileMessages, HaveTheseBytes) {
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_file_list()))), kList);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_file_read()))), kRead);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_file_write()))), kWrite);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_file_edit()))), kEdit);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_file_search()))), kSearch);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_file_move()))), kMove);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_file_delete()))), kDelete);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_make_directory()))), kMakeDirectory);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_trash()))), kTrash);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_restore()))), kRestore);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_empty_trash()))), kEmptyTrash);
  EXPECT_EQ(sorted_hex(encode(sample_emptied())), kEmptied);
  EXPECT_EQ(sorted_hex(encode(sample_file_listed())), kListed);
  EXPECT_EQ(sorted_hex(encode(sample_file_part())), kPart);
  EXPECT_EQ(sorted_hex(encode(sample_written())), kWritten);
  EXPECT_EQ(sorted_hex(encode(sample_edited())), kEdited);
  EXPECT_EQ(sorted_hex(encode(sample_found())), kFound);
  EXPECT_EQ(sorted_hex(encode(sample_moved())), kMoved);
  EXPECT_EQ(sorted_hex(encode(sample_deleted())), kDeleted);
  EXPECT_EQ(sorted_hex(encode(sample_made())), kMade);
  EXPECT_EQ(sorted_hex(encode(sample_trash_listed())), kTrashListed);
  EXPECT_EQ(sorted_hex(encode(sample_restored())), kRestored);
}

// Reads the golden bytes and writes them again: every field has arrived.
template <class T>
std::string again(const Result<T>& message) {
  return message ? sorted_hex(encode(*message)) : message.error().message;
}

TEST(FileMessages, ComeBackWhole) {
  for (const auto request :
       {kList, kRead, kWrite, kEdit, kSearch, kMove, kDelete, kMakeDirectory, kTrash, kRestore}) {
    EXPECT_EQ(again(decode_request(from_hex(request))), request);
  }
  EXPECT_EQ(again(decode_request(from_hex(kEmptyTrash))), kEmptyTrash);
  EXPECT_EQ(again(decode_file_empty_trash(from_hex(kEmptied))), kEmptied);
  EXPECT_EQ(again(decode_file_list(from_hex(kListed))), kListed);
  EXPECT_EQ(again(decode_file_read(from_hex(kPart))), kPart);
  EXPECT_EQ(again(decode_file_written(from_hex(kWritten))), kWritten);
  EXPECT_EQ(again(decode_file_edit(from_hex(kEdited))), kEdited);
  EXPECT_EQ(again(decode_file_search(from_hex(kFound))), kFound);
  EXPECT_EQ(again(decode_file_move(from_hex(kMoved))), kMoved);
  EXPECT_EQ(again(decode_file_delete(from_hex(kDeleted))), kDeleted);
  EXPECT_EQ(again(decode_file_make_directory(from_hex(kMade))), kMade);
  EXPECT_EQ(again(decode_file_trash(from_hex(kTrashListed))), kTrashListed);
  EXPECT_EQ(again(decode_file_restore(from_hex(kRestored))), kRestored);
}

bool decodes(const std::string& bytes, std::size_t as) {
  switch (as) {
    case 0: return decode_file_list(bytes).has_value();
    case 1: return decode_file_read(bytes).has_value();
    case 2: return decode_file_written(bytes).has_value();
    case 3: return decode_file_edit(bytes).has_value();
    case 4: return decode_file_search(bytes).has_value();
    case 5: return decode_file_move(bytes).has_value();
    case 6: return decode_file_delete(bytes).has_value();
    case 7: return decode_file_make_directory(bytes).has_value();
    case 8: return decode_file_trash(bytes).has_value();
    case 9: return decode_file_restore(bytes).has_value();
    case 10: return decode_file_empty_trash(bytes).has_value();
    default: return decode_request(bytes).has_value();
  }
}

// Broken bytes must never do more than be refused. Sanitizers see to "never more".
TEST(FileMessages, ThatAreBrokenAreReadOrRefused) {
  std::vector<std::pair<std::string, std::size_t>> samples;
  std::size_t decoder = 0;
  for (const auto reply : {kListed, kPart, kWritten, kEdited, kFound, kMoved, kDeleted, kMade,
                           kTrashListed, kRestored, kEmptied}) {
    samples.emplace_back(from_hex(reply), decoder++);
  }
  for (const auto request :
       {kList, kRead, kWrite, kEdit, kSearch, kMove, kDelete, kMakeDirectory, kTrash, kRestore}) {
    samples.emplace_back(from_hex(request), decoder);
  }
  std::mt19937 random(20240601);  // always the same, so that a failure can be repeated
  for (int round = 0; round < 20000; ++round) {
    auto [bytes, as] = samples[random() % samples.size()];
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % (bytes.size() + 1);
      if (random() % 3 == 0 || at == bytes.size()) {
        bytes.resize(at);
      } else {
        bytes[at] = static_cast<char>(random() % 256);
      }
    }
    const bool shaped = check_cbor_shape(bytes).has_value();
    ASSERT_TRUE(shaped || !decodes(bytes, as));
    if (shaped) decodes(bytes, as);
  }
}

}  // namespace
}  // namespace yonder::wire
