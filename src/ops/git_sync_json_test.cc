#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/git_sync.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;

std::string refusal(const Json& arguments) {
  const auto request = parse_git_sync_request(arguments);
  return request ? "(accepted)" : request.error().message;
}

TEST(GitSyncJson, HasSafeDefaults) {
  const auto request = parse_git_sync_request(Json{{"remote_path", "~/x"}});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->local_path, ".");
  EXPECT_EQ(request->commit, "HEAD");
  EXPECT_EQ(request->via, GitVia::Link);
  EXPECT_EQ(request->on_dirty, OnDirty::Refuse);
  EXPECT_EQ(request->on_diverged, OnDiverged::Refuse);
  EXPECT_TRUE(request->timeout);
}

TEST(GitSyncJson, SaysWhichArgumentIsWrong) {
  EXPECT_THAT(refusal(Json::object()), HasSubstr("remote_path"));
  EXPECT_THAT(refusal({{"remote_path", "~bob/x"}}), HasSubstr("homes of other users"));
  EXPECT_THAT(refusal({{"remote_path", "x"}, {"via", "pigeon"}}), HasSubstr("via: must be one of"));
  EXPECT_THAT(refusal({{"remote_path", "x"}, {"on_dirty", "keep"}}), HasSubstr("refuse, stash"));
  EXPECT_THAT(refusal({{"remote_path", "x"}, {"on_diverged", "stash"}}), HasSubstr("keep_branch"));
  EXPECT_THAT(refusal({{"remote_path", "x"}, {"commit", "-x"}}), HasSubstr("commit"));
  EXPECT_THAT(refusal({{"remote_path", "x"}, {"remote", "--upload-pack=x"}}), HasSubstr("remote"));
  EXPECT_THAT(refusal({{"remote_path", std::string("a\0b", 3)}}), HasSubstr("NUL"));
  EXPECT_THAT(refusal({{"remote_path", "x"}, {"force", true}}), HasSubstr("force"));
}

TEST(GitSyncJson, SurvivesTheWayToAWorker) {
  const Json asked{{"remote_path", "~/x"}, {"local_path", "/y"},     {"commit", "v1"},
                   {"branch", "b"},        {"via", "remote"},        {"remote", "up"},
                   {"on_dirty", "stash"},  {"on_diverged", "reset"}, {"sandbox_name", "box"},
                   {"timeout_s", 7.0}};
  const auto request = parse_git_sync_request(asked);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(arguments_json(*request), asked);
}

TEST(GitSyncJson, HasEveryKeyOfItsSchema) {
  const Json json = to_json(GitSyncResponse{});
  const Json schema = git_sync_operation().output_schema;
  for (const auto& key : schema["required"]) EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json.size(), schema["required"].size());
}

}  // namespace
}  // namespace yonder::ops
