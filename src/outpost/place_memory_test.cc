#include "outpost/place_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "outpost/look_client_test.h"

namespace yonder::outpost {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A user with a home, and two directories that all users share.
class PlaceMemory : public ::testing::Test {
 protected:
  PlaceMemory() {
    for (const char* name : {"home", "other", "first", "second"}) fs::create_directory(at(name));
  }

  std::string at(const std::string& name) const { return scratch_ / name; }
  std::string state(const std::string& home = "home") const {
    return at(home) + "/.local/state/yonder";
  }
  std::string notes(const std::string& shared) const {
    return concat(at(shared), "/yonder-", ::geteuid(), "/places");
  }

  Surroundings looking(const std::string& home, const std::string& xdg = "") const {
    Surroundings around{.home = home,
                        .user_id = std::to_string(::geteuid()),
                        .login_shell = "",
                        .boot_id = "this boot",
                        .state_dir = "",
                        .state_problem = "",
                        .xdg_state_home = xdg,
                        .shared = {at("first"), at("second")}};
    find_state(around);
    return around;
  }
  Surroundings look() const { return looking(at("home")); }
  // As the first start of a run does it.
  Surroundings use(const std::string& home) const {
    auto around = looking(home);
    remember_place(around);
    fs::create_directories(around.state_dir + "/runs/r-abcdefghijklmnop");
    return around;
  }

  testing::Scratch scratch_;
};

TEST_F(PlaceMemory, IsWrittenOnlyWhenARunIsStarted) {
  EXPECT_EQ(look().state_dir, state());
  EXPECT_THAT(look().state_id, IsEmpty());
  EXPECT_FALSE(fs::exists(notes("first")));
  const auto used = use(at("home"));
  EXPECT_THAT(used.state_id, SizeIs(16));
  EXPECT_EQ(look().state_id, used.state_id);
  EXPECT_THAT(remembered_places(used), SizeIs(1));
  EXPECT_EQ(testing::mode_of(notes("second")), 0700U);
}

TEST_F(PlaceMemory, NamesTheHomeThatIsNotThereAndTakesNoOther) {
  const auto used = use(at("home"));
  fs::rename(at("home"), at("away"));
  for (const bool mount_point : {false, true}) {
    if (mount_point) fs::create_directory(at("home"));
    const auto around = look();
    EXPECT_THAT(around.state_dir, IsEmpty());
    EXPECT_THAT(around.state_problem, HasSubstr(state()));
    const auto checked = check_state_is_there(around);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, Errc::NoPlace);
    EXPECT_THAT(checked.error().hint, HasSubstr("mount it"));
    EXPECT_THAT(checked.error().hint, HasSubstr("rm " + notes("first")));
    EXPECT_THAT(checked.error().hint, HasSubstr(notes("second")));
  }
  EXPECT_TRUE(fs::is_empty(at("home")));
  fs::remove(at("home"));
  fs::rename(at("away"), at("home"));
  EXPECT_EQ(look().state_dir, state());
  EXPECT_EQ(look().state_id, used.state_id);
}

TEST_F(PlaceMemory, TakesNoOtherDirectoryAtThePathForTheOneThatIsMissed) {
  use(at("home"));
  fs::rename(at("home"), at("away"));
  fs::create_directory(at("home"));
  fs::create_directories(state() + "/runs/r-ponmlkjihgfedcba");
  for (const char* part : {"", "/runs"}) ::chmod((state() + part).c_str(), 0700);
  scratch_.write("home/.local/state/yonder/id", "another\n");
  EXPECT_THAT(look().state_dir, IsEmpty());
  EXPECT_THAT(look().state_problem, HasSubstr("another directory"));
}

TEST_F(PlaceMemory, IsForgottenWithItsFiles) {
  use(at("home"));
  fs::remove_all(state());
  EXPECT_THAT(look().state_dir, IsEmpty());
  for (const char* shared : {"first", "second"}) fs::remove_all(notes(shared));
  EXPECT_EQ(look().state_dir, state());
}

TEST_F(PlaceMemory, TakesNoEmptyDirectoriesOfTheSameNamesForThoseThatHoldTheRecords) {
  // A first look that starts nothing leaves them on the bare mount point.
  look();
  fs::rename(at("home"), at("bare"));
  fs::create_directory(at("home"));
  use(at("home"));
  fs::rename(at("home"), at("away"));
  fs::rename(at("bare"), at("home"));
  EXPECT_THAT(look().state_dir, IsEmpty());
  EXPECT_THAT(look().state_problem, HasSubstr("/id: is missing"));
  fs::rename(at("home"), at("bare"));
  fs::rename(at("away"), at("home"));
  EXPECT_EQ(look().state_dir, state());
}

TEST_F(PlaceMemory, LeadsWithoutHomeAndWithAnotherStateHomeToTheSameDirectory) {
  use(at("home"));
  EXPECT_EQ(looking(at("home"), at("other")).state_dir, state());
  EXPECT_EQ(looking("").state_dir, state());
  EXPECT_EQ(looking("/").state_dir, state());
  fs::rename(at("home"), at("away"));
  EXPECT_THAT(looking("").state_dir, IsEmpty());
  EXPECT_THAT(looking("").state_problem, HasSubstr(state()));
}

TEST_F(PlaceMemory, OfTwoHomesIsKeptApart) {
  use(at("home"));
  EXPECT_EQ(use(at("other")).state_dir, state("other"));
  EXPECT_EQ(look().state_dir, state());
  const auto unsaid = looking("");
  EXPECT_THAT(unsaid.state_dir, IsEmpty());
  EXPECT_THAT(unsaid.state_problem, HasSubstr("HOME is not set"));
  EXPECT_THAT(unsaid.state_advice, HasSubstr("set HOME"));
}

TEST_F(PlaceMemory, IsOnlyBelievedWhereNoOtherUserCanWrite) {
  use(at("home"));
  fs::remove_all(notes("second"));
  fs::rename(state(), at("away"));
  ASSERT_THAT(look().state_dir, IsEmpty());
  const std::string own = notes("first").substr(0, notes("first").find_last_of('/'));
  ::chmod(own.c_str(), 0777);
  EXPECT_EQ(look().state_dir, state());
  ::chmod(own.c_str(), 0700);
  fs::remove_all(at("home") + "/.local");
  ASSERT_THAT(look().state_dir, IsEmpty());
  fs::rename(own, at("real"));
  fs::create_symlink(at("real"), own);
  EXPECT_EQ(look().state_dir, state());
}

TEST_F(PlaceMemory, OfAnotherUserIsNotBelieved) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  const auto around = use(at("home"));
  fs::rename(state(), at("away"));
  for (const auto& place : remembered_places(around)) {
    for (const auto& note : place.notes) ASSERT_EQ(::lchown(note.c_str(), 12345, 12345), 0);
  }
  EXPECT_EQ(look().state_dir, state());
}

TEST_F(PlaceMemory, OfADirectoryThatEndsWithTheBootEndsWithIt) {
  use(at("home"));  // below /tmp
  fs::remove_all(state());
  auto around = look();
  ASSERT_THAT(around.state_dir, IsEmpty());
  around.boot_id = "the next boot";
  find_state(around);
  EXPECT_EQ(around.state_dir, is_volatile(at("home")) ? state() : "");
}

TEST(PlaceNote, HasTheFormThatIsWrittenDown) {
  const RememberedPlace place{.path = "/home/a\nb", .id = "abc", .boot_id = "", .notes = {}};
  const std::string text = "yonder place 1\nabc\n\n/home/a\nb";
  EXPECT_EQ(encode_place(place), text);
  const auto read = decode_place(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->path, place.path);
  EXPECT_EQ(read->id, "abc");
  EXPECT_EQ(read->boot_id, "");
  for (const char* other : {"", "yonder place 1", "yonder place 2\nabc\n\n/home",
                            "yonder place 1\nabc\n\nhome", "yonder place 1\n\n\n/home"}) {
    EXPECT_FALSE(decode_place(other)) << other;
  }
}

// A link whose records lie in a directory that comes and goes.
class ServeAway : public LookTest {
 protected:
  ServeAway() {
    around_.xdg_state_home = scratch_.path();
    for (const char* name : {"first", "second"}) {
      fs::create_directory(scratch_ / name);
      around_.shared.push_back(scratch_ / name);
    }
    find_state(around_);
    reconnect();
  }
  std::string place() const { return scratch_ / "yonder"; }
};

TEST_F(ServeAway, StartsNothingWhileTheRecordsAreAwayAndFindsThemAgain) {
  auto wanted = request("echo ran >> marks");
  wanted.key = "once";
  ask(1, wanted);
  ASSERT_TRUE(take_answer(1).facts);
  fs::rename(place(), scratch_ / "away");

  auto again = request("echo ran >> marks");
  again.key = "once";
  ask(2, again);
  const auto refused = take_answer(2);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, Errc::NoPlace);
  EXPECT_THAT(refused.error->message, HasSubstr(place()));
  ask(3, request("echo ran >> marks"));  // without a key it would not be found again
  EXPECT_TRUE(take_answer(3).error);
  ask(4, wire::FollowRequest{.run_id = wanted.run_id});
  EXPECT_EQ(take_answer(4).error.value_or(Error{}).code, Errc::NoPlace);
  ask(5, wire::ListRequest{});
  EXPECT_EQ(take_answer(5).error.value_or(Error{}).code, Errc::NoPlace);
  ask(6, wire::StopRequest{.run_id = wanted.run_id, .prevent = true});
  EXPECT_EQ(take_answer(6).error.value_or(Error{}).code, Errc::NoPlace);
  EXPECT_FALSE(fs::exists(place()));

  fs::rename(scratch_ / "away", place());
  ask(7, again);
  const auto found = take_answer(7);
  ASSERT_TRUE(found.facts);
  EXPECT_EQ(found.facts->run_id, wanted.run_id);
  EXPECT_EQ(scratch_.read("marks"), "ran\n");
}

TEST_F(ServeAway, MakesItsDirectoryAgainWhereNothingWasStarted) {
  fs::remove_all(place());
  EXPECT_THAT(list().runs, IsEmpty());
  ask(1, request("true"));
  EXPECT_TRUE(take_answer(1).facts);
  EXPECT_TRUE(fs::exists(place() + "/runs"));
}

}  // namespace
}  // namespace yonder::outpost
