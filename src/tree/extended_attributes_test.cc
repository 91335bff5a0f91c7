#include "tree/extended_attributes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/refused_calls_test.h"
#include "base/scratch_test.h"
#include "tree/scan.h"
#include "tree/write_file.h"

namespace yonder::tree {
namespace {

using yonder::testing::is_so_in_a_child;
using yonder::testing::mode_of;
using yonder::testing::refuse_calls;
using yonder::testing::Scratch;
using Who = AccessEntry::Who;

// One named user may read; the group, in spite of the mask, may not.
std::string one_reader() {
  return access_list(
      {{Who::Owner, 6}, {Who::User, 4, 12345}, {Who::Group, 0}, {Who::Mask, 4}, {Who::Others, 0}});
}

TEST(AccessList, IsReadAsItIsWrittenAndNothingElseIs) {
  const auto entries = parse_access_list(one_reader());
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 5U);
  EXPECT_EQ((*entries)[1].who, Who::User);
  EXPECT_EQ((*entries)[1].permissions, 4U);
  EXPECT_EQ((*entries)[1].id, 12345U);
  for (const std::string& broken : {std::string(), std::string("x"), one_reader() + "x",
                                    std::string(4, '\0'), one_reader().substr(0, 10)}) {
    EXPECT_FALSE(parse_access_list(broken));
  }
}

TEST(ModeWithoutAList, GivesNoUserMoreThanTheListDid) {
  EXPECT_EQ(mode_without_list(0640, one_reader()), 0600U);
  const std::string all_but_one = access_list(
      {{Who::Owner, 6}, {Who::User, 0, 12345}, {Who::Group, 4}, {Who::Mask, 4}, {Who::Others, 4}});
  EXPECT_EQ(mode_without_list(0644, all_but_one), 0600U);
  const std::string a_group = access_list({{Who::Owner, 7},
                                           {Who::Group, 5},
                                           {Who::OtherGroup, 4, 7},
                                           {Who::Mask, 5},
                                           {Who::Others, 5}});
  EXPECT_EQ(mode_without_list(0755, a_group), 0754U);
  EXPECT_EQ(mode_without_list(0644, access_list({{Who::Owner, 6}, {Who::Group, 4}})), 0644U);
  EXPECT_EQ(mode_without_list(0777, "broken"), 0700U);
}

TEST(ModeForAnotherGroup, IsWhatGroupAndOthersBothHad) {
  EXPECT_EQ(mode_for_another_group(0640), 0600U);
  EXPECT_EQ(mode_for_another_group(0604), 0600U);
  EXPECT_EQ(mode_for_another_group(0755), 0755U);
  EXPECT_EQ(mode_for_another_group(0764), 0744U);
}

class AttributesOfAFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(home_);
    file_ = scratch_.write("home/f", "old", 0600);
    if (::setxattr(file_.c_str(), "user.note", "kept", 4, 0) != 0) {
      GTEST_SKIP() << "this file system has no extended attributes";
    }
  }
  bool set_list(const std::string& path, const std::string& list,
                const char* which = kAccessList.data()) const {
    return ::setxattr(path.c_str(), which, list.data(), list.size(), 0) == 0;
  }
  static std::string get(const std::string& path, const char* name) {
    std::string value(256, '\0');
    const ssize_t n = ::getxattr(path.c_str(), name, value.data(), value.size());
    value.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return value;
  }
  Result<files::Written> write(const std::string& content) const {
    return write_file({.path = file_, .content = content}, home_, place_);
  }

  Scratch scratch_;
  std::string home_ = scratch_ / "home";
  std::string file_;
  TrashPlace place_{scratch_ / "state"};
};

TEST_F(AttributesOfAFile, AreThoseOfTheFileThatAWriteOrAnEditReplaces) {
  const bool has_lists = set_list(file_, one_reader());
  ASSERT_TRUE(write("new"));
  EXPECT_EQ(get(file_, "user.note"), "kept");
  const auto edited = edit_file(
      {.path = file_, .edits = {{.old_text = "new", .new_text = "newer"}}}, home_, place_);
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->file.warnings, std::vector<std::string>());
  EXPECT_EQ(scratch_.read("home/f"), "newer");
  EXPECT_EQ(get(file_, "user.note"), "kept");
  if (!has_lists) GTEST_SKIP() << "this file system has no access control lists";
  EXPECT_EQ(get(file_, kAccessList.data()), one_reader());
  EXPECT_EQ(mode_of(file_), 0640U);
}

TEST_F(AttributesOfAFile, OfUsersAreListedByAScanAndOthersAreSaidToBeThere) {
  scratch_.write("home/plain", "x");
  scratch_.write("home/big", "x");
  const std::string large(3000, 'x');
  ASSERT_EQ(::setxattr((home_ + "/big").c_str(), "user.large", large.data(), large.size(), 0), 0);
  ASSERT_EQ(::setxattr(file_.c_str(), "user.a", "1", 1, 0), 0);
  const Fd root(::open(home_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto entry = list_one(root.get(), "f", {.attributes = true});
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->attributes, (UserAttributes{{"user.a", "1"}, {"user.note", "kept"}}));
  EXPECT_FALSE(entry->has_more);
  EXPECT_EQ(list_one(root.get(), "big", {.attributes = true})->attributes[0].value, large);
  EXPECT_TRUE(list_one(root.get(), "plain", {.attributes = true})->attributes.empty());
  EXPECT_TRUE(keeps_user_attributes(home_ + "/not/there"));
  EXPECT_FALSE(keeps_user_attributes("/proc"));
  if (!set_list(file_, one_reader())) GTEST_SKIP() << "no access control lists here";
  EXPECT_TRUE(list_one(root.get(), "f", {.attributes = true})->has_more);
}

TEST_F(AttributesOfAFile, ThatCannotBeKeptNarrowTheModeAndAreNamed) {
  if (!set_list(file_, one_reader())) GTEST_SKIP() << "no access control lists here";
  ASSERT_EQ(mode_of(file_), 0640U);
  EXPECT_TRUE(is_so_in_a_child([&] {
    if (!refuse_calls({{SYS_fsetxattr, EOPNOTSUPP}})) return false;
    const auto written = write("new");
    if (!written || written->warnings.size() != 2 || written->mode != 0600) return false;
    return written->warnings[0].find("access control list") != std::string::npos &&
           written->warnings[1].find("user.note") != std::string::npos;
  }));
  EXPECT_EQ(mode_of(file_), 0600U);
}

// The temporary file is made in the directory, and gets what the directory has for new files.
TEST_F(AttributesOfAFile, DoNotComeFromTheDirectory) {
  const std::string by_default = access_list(
      {{Who::Owner, 7}, {Who::User, 7, 12345}, {Who::Group, 7}, {Who::Mask, 7}, {Who::Others, 7}});
  if (!set_list(home_, by_default, "system.posix_acl_default")) {
    GTEST_SKIP() << "no access control lists here";
  }
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  ASSERT_TRUE(write("new"));
  EXPECT_EQ(get(file_, kAccessList.data()), "");
  EXPECT_EQ(mode_of(file_), 0640U);
}

TEST_F(AttributesOfAFile, AnotherGroupGetsNoMoreThanOthersHad) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  ASSERT_EQ(::chown(file_.c_str(), 0, 65534), 0);
  EXPECT_TRUE(is_so_in_a_child([&] {
    if (!refuse_calls({{SYS_fchown, EPERM}})) return false;
    const auto written = write("new");
    return written && written->mode == 0600 && written->warnings.size() == 1;
  }));
}

}  // namespace
}  // namespace yonder::tree
