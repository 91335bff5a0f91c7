#include "ops/files_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/file_arguments.h"
#include "ops/file_operations.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;

TEST(FilesJson, EntriesAreNamedSoThatTheirPathsCanBeGivenBack) {
  const files::ListReply reply{.path = "/home/u/src", .entries = {{.path = "a/b"}}};
  EXPECT_EQ(to_json(reply, "src")["entries"][0]["path"], "src/a/b");
  EXPECT_EQ(to_json(reply, ".")["entries"][0]["path"], "a/b");
  EXPECT_EQ(to_json(reply, "/")["entries"][0]["path"], "/a/b");
  EXPECT_EQ(to_json(reply, "src")["total"], Json());
  const files::Entry odd{.path = "\xff\\"};
  EXPECT_EQ(to_json(odd, ".")["path"], "\\xff\\\\");
  EXPECT_EQ(to_json(odd, ".")["name_base64"], "/1w=");
}

TEST(FilesJson, TextIsCutBetweenCharactersAndBinaryIsNotShown) {
  const files::ReadReply cut{.content = "a\xc3", .size = 3, .truncated = true};
  EXPECT_EQ(to_json(cut, {})["content"], "a");
  EXPECT_EQ(to_json(cut, {})["next_offset"], 1);
  const files::ReadReply latin{.content = "caf\xe9", .size = 4};
  EXPECT_EQ(to_json(latin, {})["content"], "caf\xEF\xBF\xBD");
  EXPECT_EQ(to_json(latin, {})["invalid_bytes"], 1);
  const files::ReadReply binary{.content = std::string("\0", 1), .size = 1, .binary = true};
  EXPECT_EQ(to_json(binary, {})["content"], "");
  EXPECT_THAT(to_json(binary, {})["hint"].get<std::string>(), HasSubstr("base64"));
  EXPECT_EQ(to_json(binary, {.base64 = true})["content_base64"], "AA==");
}

// Every result has exactly the keys of its schema.
TEST(FilesJson, ResultsAreWhatTheSchemasSay) {
  const std::map<std::string, Json> results{
      {"list_remote_files", to_json(files::ListReply{}, ".")},
      {"read_remote_file", to_json(files::ReadReply{}, {})},
      {"write_remote_file", to_json(files::Written{})},
      {"edit_remote_file", to_json(files::EditReply{})},
      {"search_remote_files", to_json(files::SearchReply{}, ".")},
      {"move_remote_file", to_json(files::MoveReply{})},
      {"delete_remote_file", to_json(files::DeleteReply{})},
      {"make_remote_directory", to_json(files::MakeDirectoryReply{})},
      {"list_remote_trash", to_json(files::TrashReply{})},
      {"restore_remote_files", to_json(files::RestoreReply{})}};
  std::size_t seen = 0;
  for (const auto& operation : all_operations()) {
    const auto result = results.find(operation.name);
    if (result == results.end()) continue;
    ++seen;
    std::vector<std::string> keys;
    for (const auto& [key, value] : result->second.items()) keys.push_back(key);
    std::vector<std::string> promised =
        operation.output_schema["required"].get<std::vector<std::string>>();
    EXPECT_THAT(keys, ::testing::UnorderedElementsAreArray(promised)) << operation.name;
  }
  EXPECT_EQ(seen, results.size());
}

TEST(FileArguments, HaveTheDefaultsThatUsersKnow) {
  const auto list = parse_list_files(Json::object());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->request.path, ".");
  EXPECT_EQ(list->request.max_entries, 200U);
  EXPECT_FALSE(list->request.recursive);
  const auto read = parse_read_file({{"remote_path", "f"}});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->request.max_bytes, 200000U);
}

TEST(FileArguments, SayWhatIsWrong) {
  EXPECT_THAT(parse_read_file(Json::object()).error().message, HasSubstr("remote_path"));
  EXPECT_THAT(parse_read_file({{"remote_path", "f"}, {"offset", 1}, {"tail", 2}}).error().message,
              HasSubstr("exclude each other"));
  EXPECT_THAT(parse_write_file({{"remote_path", "f"}}).error().message, HasSubstr("content"));
  EXPECT_THAT(
      parse_write_file({{"remote_path", "f"}, {"content", ""}, {"mode", "rw"}}).error().message,
      HasSubstr("octal"));
  EXPECT_THAT(parse_edit_file({{"remote_path", "f"}, {"edits", Json::array({{{"old", "x"}}})}})
                  .error()
                  .message,
              HasSubstr("edits[0]"));
  EXPECT_THAT(parse_edit_file({{"remote_path", "f"}}).error().message, HasSubstr("old_text"));
  EXPECT_FALSE(parse_read_file({{"remote_path_base64", "*"}}));
  EXPECT_FALSE(parse_search_files(Json::object()));
  EXPECT_FALSE(parse_restore(Json::object()));
}

}  // namespace
}  // namespace yonder::ops
