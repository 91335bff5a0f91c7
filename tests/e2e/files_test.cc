#include <sys/stat.h>

#include <filesystem>

#include "base/base64.h"
#include "base/file.h"
#include "e2e/fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The file tools, on a real server and as a user who is not root.
class Files : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    sshd_.emplace(start_sshd());
    write_hosts({host("gpu", *sshd_)});
    write_config_toml("active = \"gpu\"\n[sandbox.gpu]\nhost = \"gpu\"\n");
    agent_ = new_agent({"YONDER_TOOLSETS=core,files"});
    place_ = new_open_directory();
  }
  Json call(const char* tool, Json arguments) {
    arguments["sandbox_name"] = "gpu";
    return content_of(agent_->call(tool, arguments));
  }
  Json error(const char* tool, Json arguments) {
    arguments["sandbox_name"] = "gpu";
    return error_of(agent_->call(tool, arguments));
  }
  std::string code(const char* tool, const Json& arguments) {
    return error(tool, arguments)["code"].get<std::string>();
  }
  void sh(const std::string& command) {
    const Json done = call("exec_bash", {{"command", command}, {"cwd", place_}});
    ASSERT_EQ(done["exit_code"], 0) << done["stderr"];
  }
  std::string at(const std::string& name) const { return place_ + "/" + name; }
  Captured yonder(const std::vector<std::string>& arguments, std::string_view input = {},
                  const std::vector<std::string>& more = {}) {
    return run_yonder(arguments, environment(more), input);
  }

  std::optional<lab::Sshd> sshd_;
  std::unique_ptr<McpClient> agent_;
  std::string place_;
};

TEST_F(Files, AListIsSortedTypedAndTruncatedOnlyWhenItIs) {
  sh("mkdir d; echo 1 >d/f; echo 22 >b; ln -s nowhere broken; ln -s loop loop; mkfifo p; chmod 640 "
     "b");
  const Json all =
      call("list_remote_files", {{"remote_path", place_}, {"recursive", true}, {"max_entries", 6}});
  EXPECT_EQ(all["truncated"], false) << "at exactly the maximum";
  std::vector<std::string> names;
  for (const auto& entry : all["entries"]) {
    names.push_back(entry["path"].get<std::string>().substr(place_.size() + 1));
  }
  EXPECT_THAT(names, ElementsAre("b", "broken", "d", "d/f", "loop", "p"));
  EXPECT_EQ(all["entries"][0]["mode"], "0640");
  EXPECT_EQ(all["entries"][0]["size"], 3);
  EXPECT_EQ(all["entries"][1]["link_target"], "nowhere");
  EXPECT_EQ(all["entries"][2]["is_dir"], true);
  EXPECT_EQ(all["entries"][5]["type"], "fifo");
  EXPECT_EQ(call("list_remote_files", {{"remote_path", place_}, {"max_entries", 4}})["truncated"],
            true);
  const Json empty = call("list_remote_files", {{"remote_path", at("d")}, {"max_entries", 1}});
  EXPECT_EQ(empty["errors"], Json::array()) << "keys do not disappear";
}

TEST_F(Files, WhatTheUserMayNotReadIsSaid) {
  sh("mkdir closed; echo x >closed/f; chmod 000 closed; echo y >secret; chmod 000 secret");
  const Json list = call("list_remote_files", {{"remote_path", place_}, {"recursive", true}});
  ASSERT_EQ(list["errors"].size(), 1U);
  EXPECT_THAT(list["errors"][0]["path"].get<std::string>(), HasSubstr("closed"));
  EXPECT_THAT(
      error("read_remote_file", {{"remote_path", at("secret")}})["message"].get<std::string>(),
      HasSubstr("Permission denied"));
  const Json found = call("search_remote_files", {{"remote_path", place_}, {"pattern", "."}});
  EXPECT_EQ(found["matches"].size(), 0U);
  EXPECT_GE(found["errors"].size(), 1U);
  sh("chmod 700 closed secret");
}

TEST_F(Files, AFileIsReadInPartsAndHasItsRealSize) {
  sh("seq 1 100000 >f; printf 'a\\303\\251' >utf; printf '\\177ELF\\000' >bin; : >empty");
  const Json head = call("read_remote_file", {{"remote_path", at("f")}, {"max_bytes", 4}});
  EXPECT_EQ(head["content"], "1\n2\n");
  EXPECT_EQ(head["truncated"], true);
  EXPECT_EQ(head["size"], 588895);
  EXPECT_EQ(head["next_offset"], 4);
  EXPECT_EQ(call("read_remote_file", {{"remote_path", at("f")}, {"tail", 2}})["content"],
            "99999\n100000\n");
  EXPECT_EQ(call("read_remote_file",
                 {{"remote_path", at("f")}, {"line_offset", 50}, {"line_limit", 2}})["content"],
            "50\n51\n");
  const Json cut = call("read_remote_file", {{"remote_path", at("utf")}, {"max_bytes", 2}});
  EXPECT_EQ(cut["content"], "a") << "a character is not cut";
  EXPECT_EQ(cut["next_offset"], 1);
  const Json binary = call("read_remote_file", {{"remote_path", at("bin")}});
  EXPECT_EQ(binary["binary"], true);
  EXPECT_EQ(binary["content"], "");
  const Json bytes = call("read_remote_file", {{"remote_path", at("bin")}, {"encoding", "base64"}});
  EXPECT_EQ(from_base64(bytes["content_base64"].get<std::string>()), std::string("\177ELF\0", 5));
  const Json empty = call("read_remote_file", {{"remote_path", at("empty")}});
  EXPECT_EQ(empty["content"], "");
  EXPECT_EQ(empty["truncated"], false);
  EXPECT_THAT(call("read_remote_file", {{"remote_path", "/proc/self/status"}})["content"]
                  .get<std::string>(),
              HasSubstr("Pid:"));
}

TEST_F(Files, WhatIsNoRegularFileIsRefusedAtOnce) {
  sh("mkfifo p; mkdir d; ln -s nowhere broken; ln -s loop loop");
  for (const char* name : {"p", "d", "loop"}) {
    EXPECT_EQ(code("read_remote_file", {{"remote_path", at(name)}}), "invalid_argument") << name;
    EXPECT_EQ(code("write_remote_file", {{"remote_path", at(name)}, {"content", "x"}}),
              "invalid_argument")
        << name;
  }
  EXPECT_EQ(code("read_remote_file", {{"remote_path", "/dev/zero"}}), "invalid_argument");
  EXPECT_EQ(code("read_remote_file", {{"remote_path", at("broken")}}), "not_found");
}

TEST_F(Files, NamesOfAnyBytesComeBack) {
  const std::vector<std::string> names{"new\nline", "quo'te\"",   "-rf",
                                       "*",         "\xff\xfe\\", std::string(255, 'n')};
  for (const std::string& name : names) {
    call("write_remote_file",
         {{"remote_path_base64", to_base64(at(name))}, {"content", "content of it"}});
    EXPECT_EQ(file_text(at(name)), "content of it");
  }
  const Json list = call("list_remote_files", {{"remote_path", place_}});
  ASSERT_EQ(list["entries"].size(), names.size());
  for (const auto& entry : list["entries"]) {
    Json which{{"remote_path", entry["path"]}};
    if (!entry["name_base64"].is_null()) which = {{"remote_path_base64", entry["name_base64"]}};
    EXPECT_EQ(call("read_remote_file", which)["content"], "content of it");
    call("delete_remote_file", which);
  }
  EXPECT_EQ(call("list_remote_files", {{"remote_path", place_}})["total"], 0);
}

TEST_F(Files, OfTwoWhoReadTheSameOnlyOneWrites) {
  call("write_remote_file", {{"remote_path", at("f")}, {"content", "one\n"}, {"mode", "0640"}});
  const Json read = call("read_remote_file", {{"remote_path", at("f")}});
  std::vector<int> calls;
  for (int i = 0; i < 6; ++i) {
    calls.push_back(agent_->call_async("write_remote_file", {{"remote_path", at("f")},
                                                             {"content", concat("by ", i, "\n")},
                                                             {"expected_hash", read["hash"]},
                                                             {"sandbox_name", "gpu"}}));
  }
  int wins = 0;
  for (const int id : calls) {
    const Reply reply = agent_->wait(id);
    ASSERT_TRUE(reply.arrived);
    if (!reply.is_error) ++wins;
    if (reply.is_error) {
      EXPECT_EQ(reply.content["error"]["code"], "conflict");
    }
  }
  EXPECT_EQ(wins, 1);
  struct stat info {};
  ASSERT_EQ(::stat(at("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST_F(Files, AnEditCanBeUndone) {
  call("write_remote_file", {{"remote_path", at("f")}, {"content", "a = 1\nb = 2\n"}});
  const Json edited = call(
      "edit_remote_file", {{"remote_path", at("f")}, {"old_text", "b = 2"}, {"new_text", "b = 3"}});
  EXPECT_EQ(edited["replacements"], 1);
  EXPECT_EQ(edited["diff"], "@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n");
  EXPECT_EQ(file_text(at("f")), "a = 1\nb = 3\n");
  EXPECT_EQ(
      code("edit_remote_file", {{"remote_path", at("f")}, {"old_text", "c"}, {"new_text", ""}}),
      "invalid_argument");
  const Json restored = call("restore_remote_files", {{"batch", edited["trash_batch"]}});
  EXPECT_EQ(restored["restored"], 1);
  EXPECT_EQ(file_text(at("f")), "a = 1\nb = 2\n");
  EXPECT_NE(restored["trash_batch"], Json()) << "and the undoing can be undone";
}

TEST_F(Files, WhatIsMovedAndDeletedCanBeFoundAgain) {
  sh("mkdir d; echo 1 >d/f; echo 2 >g");
  EXPECT_EQ(code("move_remote_file", {{"remote_path", at("g")}, {"new_path", at("d/f")}}),
            "conflict");
  const Json moved = call("move_remote_file",
                          {{"remote_path", at("g")}, {"new_path", at("d/f")}, {"overwrite", true}});
  EXPECT_EQ(moved["replaced"], true);
  EXPECT_EQ(code("delete_remote_file", {{"remote_path", at("d")}}), "invalid_argument");
  const Json gone = call("delete_remote_file", {{"remote_path", at("d")}, {"recursive", true}});
  EXPECT_FALSE(path_exists(at("d")));
  const Json trash = call("list_remote_trash", {{"batch", gone["trash_batch"]}});
  EXPECT_EQ(trash["batches"][0]["paths"], Json::array({"d/f"}));
  call("restore_remote_files", {{"batch", gone["trash_batch"]}});
  EXPECT_EQ(file_text(at("d/f")), "2\n");
  for (const char* precious : {"/", "~", "~/..", ".", "~/."}) {
    EXPECT_EQ(code("delete_remote_file", {{"remote_path", precious}, {"recursive", true}}),
              "invalid_argument")
        << precious;
  }
  EXPECT_EQ(call("make_remote_directory", {{"remote_path", at("x/y")}})["directories"], 2);
}

TEST_F(Files, ASearchLeavesOutWhatGitIgnores) {
  sh("mkdir .git sub; echo needle >.git/x; echo '*.log' >.gitignore; echo needle >a.log; "
     "printf 'one\\nneedle two\\n' >sub/c.py; printf 'needle\\000' >bin");
  const Json found =
      call("search_remote_files", {{"remote_path", place_}, {"pattern", "needle"}, {"context", 1}});
  ASSERT_EQ(found["matches"].size(), 1U);
  EXPECT_EQ(found["matches"][0]["path"], at("sub/c.py"));
  EXPECT_EQ(found["matches"][0]["line"], 2);
  EXPECT_EQ(found["matches"][0]["before"], Json::array({"one"}));
  EXPECT_EQ(found["binaries_skipped"], 1);
  EXPECT_EQ(code("search_remote_files", {{"remote_path", place_}, {"pattern", "(?=x)"}}),
            "invalid_argument");
}

TEST_F(Files, OneSlowRequestDoesNotHoldUpTheOthers) {
  // A search without a match over many files, and an answer that comes before its end.
  sh("mkdir many; for i in $(seq 1 2000); do echo $i >many/$i; done");
  const int slow = agent_->call_async("search_remote_files", {{"remote_path", "/usr"},
                                                              {"pattern", "no such text"},
                                                              {"timeout_s", 2},
                                                              {"sandbox_name", "gpu"}});
  EXPECT_EQ(call("exec_bash", {{"command", "echo here"}})["stdout"], "here\n");
  const Reply reply = agent_->wait(slow);
  ASSERT_TRUE(reply.arrived);
}

TEST_F(Files, TheCommandLineReadsWritesAndRestores) {
  EXPECT_EQ(yonder({"write", at("f"), "--sandbox", "gpu"}, "one\ntwo\n").status.code, 0);
  EXPECT_EQ(yonder({"cat", at("f")}).out, "one\ntwo\n") << "the active sandbox";
  EXPECT_EQ(yonder({"cat", "--lines", "2", at("f")}).out, "two\n");
  EXPECT_EQ(yonder({"cat", "--bytes", "4:3", at("f")}).out, "two");
  EXPECT_EQ(yonder({"cat", "--tail", "1", at("f")}).out, "two\n");
  std::string large(9UL << 20U, '\0');
  for (std::size_t i = 0; i < large.size(); ++i)
    large[i] = static_cast<char>(i * 2654435761U >> 13U);
  ASSERT_TRUE(write_file_atomically(at("large"), large, Durability::Process));
  ::chmod(at("large").c_str(), 0644);
  EXPECT_TRUE(yonder({"cat", at("large")}).out == large);
  EXPECT_THAT(yonder({"ls", place_}).out, HasSubstr("/f\t-\n"));
  EXPECT_EQ(yonder({"grep", "tw.", place_}).out, at("f") + ":2:two\n");
  EXPECT_EQ(yonder({"grep", "three", place_}).status.code, 1);
  const Json written = *parse_json(yonder({"write", "--json", at("f")}, "new\n").out, "output");
  EXPECT_EQ(yonder({"restore", written["trash_batch"].get<std::string>()}).status.code, 0);
  EXPECT_EQ(file_text(at("f")), "one\ntwo\n");
  EXPECT_THAT(yonder({"restore"}).out, HasSubstr("restore\t1\t"));
  for (const char* content : {"newer\n", "newest\n"}) yonder({"write", at("f")}, content);
  const Captured several = yonder({"restore", "gpu:2"});
  EXPECT_EQ(several.status.code, 255) << several.err;
  EXPECT_THAT(several.err, HasSubstr("fits more than one trash batch: 2"));
  EXPECT_EQ(yonder({"cat", at("nothing")}).status.code, 255);
  EXPECT_EQ(yonder({"cat"}).status.code, 2);
}

TEST_F(Files, TheTrashIsShownWithItsSizeAndEmptiedOnlyAfterAYes) {
  EXPECT_EQ(yonder({"write", at("f"), "--sandbox", "gpu"}, "one\n").status.code, 0);
  const Json written = *parse_json(yonder({"write", "--json", at("f")}, "two\n").out, "output");
  const std::string batch = written["trash_batch"].get<std::string>();
  EXPECT_THAT(yonder({"trash", "gpu"}).out, HasSubstr(batch + "\t"));
  const Json shown = *parse_json(yonder({"trash", "gpu", "--json"}).out, "output");
  EXPECT_EQ(shown["batches"][0]["batch"], batch);
  EXPECT_GT(shown["bytes"].get<int>(), 0);
  EXPECT_THAT(shown["batches"][0]["directory"].get<std::string>(), HasSubstr("/trash/" + batch));
  const Captured refused = yonder({"trash", "gpu", "--empty"});
  EXPECT_NE(refused.status.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("--yes"));
  EXPECT_EQ(yonder({"trash", "gpu", "--empty", "--older-than", "1d", "--yes"}).status.code, 0);
  EXPECT_THAT(yonder({"trash", "gpu"}).out, HasSubstr(batch));
  EXPECT_EQ(yonder({"trash", "gpu", "--empty", "--yes"}).status.code, 0);
  EXPECT_EQ(yonder({"trash", "gpu"}).out, "");
}

TEST_F(Files, WhatWasProbablyMeantByAMissingPathIsSaid) {
  std::string home;
  for (const std::string& setting : environment()) {
    if (setting.starts_with("HOME=")) home = setting.substr(5);
  }
  const std::string expanded = home + "/no-such-directory";
  const std::vector<std::vector<std::string>> lines{{"ls", expanded},
                                                    {"cat", "gpu:" + expanded},
                                                    {"exec", "--cwd", expanded, "--", "true"},
                                                    {"pull", expanded, at("here")}};
  for (const auto& line : lines) {
    const Captured told = yonder(line);
    EXPECT_EQ(told.status.code, 255) << line[0];
    EXPECT_THAT(told.err, HasSubstr("expands an unquoted ~")) << line[0];
  }
  EXPECT_THAT(yonder({"ls", "gpu"}).err, HasSubstr("whose directory is gpu:"));
}

TEST_F(Files, AnEditorsCopyIsNotLostWhenAnotherWasFaster) {
  EXPECT_EQ(yonder({"write", at("f")}, "one\n").status.code, 0);
  const Captured fine = yonder({"edit", at("f")}, "", {"EDITOR=sed -i s/one/two/"});
  EXPECT_EQ(fine.status.code, 0) << fine.err;
  EXPECT_EQ(file_text(at("f")), "two\n");
  ::chmod(at("f").c_str(), 0666);
  const Captured late =
      yonder({"edit", at("f")}, "",
             {concat("EDITOR=f() { echo mine > \"$1\"; echo theirs > ", at("f"), "; }; f")});
  EXPECT_EQ(late.status.code, 255);
  EXPECT_EQ(file_text(at("f")), "theirs\n");
  const std::size_t said = late.err.find("your copy is ");
  ASSERT_NE(said, std::string::npos) << late.err;
  const std::string copy = late.err.substr(said + 13, late.err.find('\n', said) - said - 13);
  EXPECT_EQ(file_text(copy), "mine\n");
  struct stat info {};
  ASSERT_EQ(::stat(copy.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  std::filesystem::remove_all(std::filesystem::path(copy).parent_path());
}

}  // namespace
}  // namespace yonder::e2e
