#include "link/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/patience_test.h"
#include "link/far_side_test.h"

namespace yonder::link {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

using testing::FarSide;

class LinkTest : public ::testing::Test {
 protected:
  LinkTest() { settings_.idle_close = std::chrono::hours(1); }

  std::string shown(const std::string& bytes) { return far_.shown(bytes); }
  static std::string taken(std::size_t bytes) { return FarSide::taken(bytes); }
  static std::size_t probe_size() { return FarSide::probe_size(); }
  static std::string reply(wire::StreamId stream, const std::string& payload) {
    std::string out;
    wire::append_message(out, wire::Kind::Reply, stream, payload);
    return out;
  }

  Result<std::shared_ptr<Link>> try_open(const std::string& script,
                                         const Deadline& deadline = testing::patience(),
                                         const CancelToken& cancel = {}) {
    return Link::open({.spec = spec_,
                       .prefix = FarSide::prefix(script),
                       .images = images_,
                       .settings = settings_,
                       .progress = [](const std::string&) {}},
                      deadline, cancel);
  }
  std::shared_ptr<Link> open(const std::string& behaviour) {
    auto link = try_open(far_.greeting() + behaviour);
    EXPECT_TRUE(link) << (link ? "" : link.error().message);
    return link ? *link : nullptr;
  }
  static Deadline soon() { return testing::patience(); }

  FarSide far_;
  SandboxSpec spec_ = FarSide::spec();
  LinkSettings settings_;
  std::vector<OutpostImage> images_;
};

TEST_F(LinkTest, KnowsTheMachineAndItsNoise) {
  const auto link = open(FarSide::listens());
  ASSERT_TRUE(link);
  EXPECT_EQ(link->machine().hostname, "far");
  EXPECT_EQ(link->machine().build, "b\\x0a") << "foreign words are made printable";
  EXPECT_EQ(link->noise(), "motd\n");
  EXPECT_TRUE(link->alive());
  EXPECT_FALSE(link->deployed());
}

TEST_F(LinkTest, KnowsTheRoundTripAsSoonAsSomebodyHasAnswered) {
  std::string pong;
  wire::append_frame(pong, wire::Kind::Pong, 0, "");
  const auto link = open(shown(pong) + FarSide::listens());
  ASSERT_TRUE(link);
  EXPECT_TRUE(testing::eventually([&] { return link->round_trip().has_value(); }));
  const auto silent = open(FarSide::listens());
  ASSERT_TRUE(silent);
  EXPECT_FALSE(silent->round_trip()) << "nobody has answered";
}

TEST_F(LinkTest, GivesTheReplyToWhoeverAsked) {
  const auto link =
      open(taken(2 * probe_size()) + shown(reply(2, "two") + reply(1, "one")) + "cat");
  ASSERT_TRUE(link);
  auto first = link->request(wire::ProbeRequest{});
  auto second = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(first && second);
  const auto one = first->next(soon(), {});
  const auto two = second->next(soon(), {});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(std::get<ReplyEvent>(*one).cbor, "one");
  EXPECT_EQ(std::get<ReplyEvent>(*two).cbor, "two");
}

// Nothing is sent between the two: what has been answered need not be cancelled.
TEST_F(LinkTest, PutsLongRepliesAndErrorsTogether) {
  const Error large{Errc::InvalidArgument, std::string(200000, 'e'), "hint"};
  std::string error;
  wire::append_message(error, wire::Kind::Error, 2, wire::encode(large));
  const std::string long_reply(150000, 'r');
  const auto link = open(taken(probe_size()) + shown(reply(1, long_reply)) + taken(probe_size()) +
                         shown(error) + "cat");
  ASSERT_TRUE(link);
  EXPECT_EQ(*link->ask(wire::ProbeRequest{}, soon(), {}), long_reply);
  const auto failed = link->ask(wire::ProbeRequest{}, soon(), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::InvalidArgument);
  EXPECT_THAT(failed.error().message, ::testing::StartsWith("the machine said: 'eeee"));
  EXPECT_LT(failed.error().message.size(), 700U) << "what it says is bounded";
  EXPECT_EQ(failed.error().hint, "") << "hints are our own words";
}

TEST_F(LinkTest, WhatTheFarSideSaysInAnErrorIsNeverTakenForOurOwnWords) {
  const Error evil{Errc::NotFound, "\x1b[2Jgone'. hint: run\nrm -rf ~", "run rm -rf ~"};
  std::string error;
  wire::append_message(error, wire::Kind::Error, 1, wire::encode(evil));
  const auto link = open(taken(probe_size()) + shown(error) + "cat");
  ASSERT_TRUE(link);
  const auto failed = link->ask(wire::ProbeRequest{}, soon(), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message,
            "the machine said: 'gone\". hint: run rm -rf ~ (run rm -rf ~)'");
  EXPECT_EQ(failed.error().hint, "");
}

TEST_F(LinkTest, DropsAReplyWhoseAskerIsGone) {
  const auto link =
      open(taken(2 * probe_size() + 9) + shown(reply(1, "late") + reply(2, "mine")) + "cat");
  ASSERT_TRUE(link);
  const auto given_up = link->ask(wire::ProbeRequest{}, Deadline::after(milliseconds(1)), {});
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, Errc::Timeout);
  EXPECT_EQ(*link->ask(wire::ProbeRequest{}, soon(), {}), "mine");
}

TEST_F(LinkTest, NoticesAFarSideThatHasFallenSilent) {
  settings_.ping_every = milliseconds(20);
  settings_.silence_limit = milliseconds(60);
  const auto link = open("exec sleep 1000");
  ASSERT_TRUE(link);
  const auto answer = link->ask(wire::ProbeRequest{}, soon(), {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::LinkLost);
  EXPECT_THAT(answer.error().message, HasSubstr("nothing was heard"));
  EXPECT_FALSE(link->alive());
}

TEST(LinkSettingsTest, NoticeADeadLinkWithinThirtySeconds) {
  const LinkSettings settings;
  EXPECT_LE(settings.silence_limit, std::chrono::seconds(30));
  EXPECT_LT(settings.ping_every, settings.silence_limit) << "a link that lives is heard in time";
}

TEST_F(LinkTest, ClosesItselfWhenNobodyUsesIt) {
  settings_.idle_close = milliseconds(30);
  const auto link = open(FarSide::listens());
  ASSERT_TRUE(link);
  EXPECT_TRUE(testing::eventually([&] { return !link->alive(); }));
  EXPECT_THAT(link->loss().message, HasSubstr("idle"));
  EXPECT_FALSE(link->request(wire::ProbeRequest{}));
}

TEST_F(LinkTest, WakesAllCallersWhenItIsLostAndSaysWhy) {
  const auto link = open(taken(3 * probe_size()) + "echo Broken pipe to far >&2; exit 255");
  ASSERT_TRUE(link);
  std::atomic<int> woken{0};
  const auto ask = [&] {
    const auto answer = link->ask(wire::ProbeRequest{}, Deadline::never(), {});
    if (!answer && answer.error().code == Errc::LinkLost &&
        answer.error().message.find("Broken pipe to far") != std::string::npos) {
      ++woken;
    }
  };
  {
    Thread first("first", ask);
    Thread second("second", ask);
    Thread third("third", ask);
  }
  EXPECT_EQ(woken, 3);
}

TEST_F(LinkTest, LetsACallerGoWhoCancels) {
  const auto link = open(FarSide::listens());
  ASSERT_TRUE(link);
  CancelSource source;
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(call);
  Thread canceller("cancel", [&] { source.cancel(); });
  const auto event = call->next(Deadline::never(), source.token());
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, Errc::Cancelled);
  EXPECT_TRUE(link->alive());
}

TEST_F(LinkTest, ConfirmsDataOnlyWhenTheirTakerComesBackForMore) {
  std::string data;
  for (std::uint64_t at = 0; at < wire::kInitialCredit; at += 32768) {
    wire::append_data(data, 1, {.channel = wire::Channel::Out, .offset = at},
                      std::string(32768, 'd'));
  }
  const auto link = open(taken(probe_size()) + shown(data) + far_.writes_down("heard"));
  ASSERT_TRUE(link);
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(call);
  for (int i = 0; i < 8; ++i) {
    const auto event = call->next(soon(), {});
    ASSERT_TRUE(event);
    EXPECT_EQ(std::get<DataEvent>(*event).bytes.size(), 32768U);
  }
  std::string credit;
  wire::append_frame(credit, wire::Kind::Credit, 1, wire::encode_credit(65536));
  const auto heard = [&] { return far_.scratch().read("heard"); };
  EXPECT_TRUE(testing::eventually([&] { return heard() == credit + credit + credit; }));
  CancelSource gone;
  gone.cancel();
  EXPECT_FALSE(call->next(soon(), gone.token()));
  EXPECT_EQ(heard(), credit + credit + credit) << "who has turned away may not have used them";
  EXPECT_FALSE(call->next(Deadline::after(Duration::zero()), {}));
  EXPECT_TRUE(testing::eventually([&] { return heard() == credit + credit + credit + credit; }));
}

TEST_F(LinkTest, SaysThatAnEndHasArrivedWithoutWaiting) {
  std::string reply;
  wire::append_frame(reply, wire::Kind::Reply, 1, "");
  std::string word;
  wire::append_frame(word, wire::Kind::Taken, 1,
                     wire::encode(wire::TakenNote{.run_id = "r-a", .owner = true}));
  auto link = open(taken(probe_size()) + shown(reply) + far_.writes_down("heard"));
  ASSERT_TRUE(link);
  {
    auto call = link->request(wire::ProbeRequest{});
    ASSERT_TRUE(call);
    ASSERT_TRUE(call->next(soon(), {}));
    call->confirm_end("r-a", true);
  }
  EXPECT_TRUE(testing::eventually([&] { return far_.scratch().read("heard") == word; }));
}

TEST_F(LinkTest, RefusesMoreDataThanItAllowed) {
  std::string data;
  for (std::uint64_t at = 0; at <= wire::kInitialCredit; at += 32768) {
    wire::append_data(data, 1, {.channel = wire::Channel::Out, .offset = at},
                      std::string(32768, 'd'));
  }
  const auto link = open(taken(probe_size()) + shown(data) + FarSide::listens());
  ASSERT_TRUE(link);
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(testing::eventually([&] { return !link->alive(); }));
  EXPECT_EQ(link->loss().code, Errc::LinkLost);
}

TEST_F(LinkTest, IsLostWhenTheFarSideBreaksTheRules) {
  std::string request;
  wire::append_frame(request, wire::Kind::Request, 1, "");
  for (const std::string& bytes : {std::string("\xff\xff\xff\xff"), request}) {
    const auto link = open(shown(bytes) + FarSide::listens());
    ASSERT_TRUE(link);
    EXPECT_TRUE(testing::eventually([&] { return !link->alive(); }));
    EXPECT_EQ(link->loss().code, Errc::LinkLost);
  }
}

TEST_F(LinkTest, CountsTheInputThatMayBeSent) {
  std::string frames;
  wire::append_frame(frames, wire::Kind::Credit, 1, wire::encode_credit(100));
  std::string closing;
  wire::append_frame(closing, wire::Kind::End, 1, "");
  const auto link = open(taken(probe_size()) + shown(frames) + taken(9 + 9 + 5) + shown(closing) +
                         FarSide::listens());
  ASSERT_TRUE(link);
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(call);
  ASSERT_TRUE(std::holds_alternative<InputEvent>(*call->next(soon(), {})));
  EXPECT_EQ(call->input_credit(), wire::kInitialCredit + 100);
  ASSERT_TRUE(call->send_input(0, "hello"));
  EXPECT_EQ(call->input_credit(), wire::kInitialCredit + 95);
  EXPECT_TRUE(testing::eventually([&] { return call->input_closed(); }));
}

TEST_F(LinkTest, DoesNotBelieveACreditWithoutBounds) {
  std::string frames;
  for (int i = 0; i < 3; ++i) {
    wire::append_frame(frames, wire::Kind::Credit, 1, wire::encode_credit(0xffffffffU));
  }
  const auto link = open(taken(probe_size()) + shown(frames) + "exec sleep 1000");
  ASSERT_TRUE(link);
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(call);
  ASSERT_TRUE(std::holds_alternative<InputEvent>(*call->next(soon(), {})));
  EXPECT_TRUE(testing::eventually([&] { return call->input_credit() == wire::kMostCredit; }));
}

TEST_F(LinkTest, KeepsLittleForAFarSideThatGrantsMuchAndStopsReading) {
  std::string credit;
  wire::append_frame(credit, wire::Kind::Credit, 1, wire::encode_credit(0xffffffffU));
  std::string frames;
  for (int i = 0; i < 1000; ++i) frames += credit;
  const auto link = open(taken(probe_size()) + "while :; do " + shown(frames) + "sleep 0.01; done");
  ASSERT_TRUE(link);
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(call);
  std::uint64_t sent = 0;
  // As far as it may: the credits never end.
  const auto full = [&] {
    const std::string piece(static_cast<std::size_t>(call->input_room()), 'i');
    if (piece.empty()) return call->input_credit() > 0;
    EXPECT_TRUE(call->send_input(sent, piece));
    sent += piece.size();
    return sent > 10 * kMostUnsentData;
  };
  ASSERT_TRUE(testing::eventually(full));
  EXPECT_LT(sent, 2 * kMostUnsentData);
}

TEST_F(LinkTest, IsLostWhenNothingOfWhatWasAskedIsRead) {
  const auto link = open("while :; do " + shown(reply(9999, "noise")) + "sleep 0.1; done");
  ASSERT_TRUE(link);
  wire::StartRequest large;
  large.command = std::string(4UL * 1024 * 1024, 'c');
  for (int i = 0; i < 20; ++i) {
    [[maybe_unused]] const auto call = link->request(large);
  }
  ASSERT_TRUE(testing::eventually([&] { return !link->alive(); }));
  EXPECT_THAT(link->loss().message, HasSubstr("does not take what it is sent"));
}

TEST_F(LinkTest, CountsSmallPiecesOfDataAsWhatTheyCost) {
  std::string data;
  for (std::uint64_t i = 0; i < 70000; ++i) {
    wire::append_data(data, 1, {.channel = wire::Channel::Out, .offset = 2 * i}, "x");
  }
  const auto link = open(taken(probe_size()) + shown(data) + FarSide::listens());
  ASSERT_TRUE(link);
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(testing::eventually([&] { return !link->alive(); }));
}

TEST_F(LinkTest, PutsSmallPiecesTogetherWhileTheyWait) {
  std::string data;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    wire::append_data(data, 1, {.channel = wire::Channel::Out, .offset = i}, "x");
  }
  const auto link = open(taken(probe_size()) + shown(data + reply(1, "end")) + FarSide::listens());
  ASSERT_TRUE(link);
  auto call = link->request(wire::ProbeRequest{});
  ASSERT_TRUE(call);
  std::uint64_t got = 0;
  while (true) {
    const auto event = call->next(soon(), {});
    ASSERT_TRUE(event);
    if (std::holds_alternative<ReplyEvent>(*event)) break;
    const auto& piece = std::get<DataEvent>(*event);
    ASSERT_EQ(piece.offset, got);
    got += piece.bytes.size();
  }
  EXPECT_EQ(got, 100000U);
}

TEST_F(LinkTest, SaysWhatThePrefixSaidWhenItCannotConnect) {
  const auto link = try_open("echo 'u@h: Permission denied (publickey).' >&2; exit 255");
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Errc::AuthNeeded);
  EXPECT_THAT(link.error().message, HasSubstr("Permission denied"));
}

TEST_F(LinkTest, SaysWhatTheAccountSaidOnItsStandardOutput) {
  const auto link = try_open("echo This account is currently not available.; exit 1");
  ASSERT_FALSE(link);
  EXPECT_THAT(link.error().message, HasSubstr("This account is currently not available."));
}

TEST_F(LinkTest, GivesUpConnectingAtTheDeadline) {
  const auto link = try_open("exec sleep 1000", Deadline::after(milliseconds(50)));
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Errc::Unreachable);
  EXPECT_THAT(link.error().message, HasSubstr("did not answer in time"));
}

TEST_F(LinkTest, GivesUpConnectingWhenCancelled) {
  CancelSource source;
  source.cancel();
  const auto link = try_open("exec sleep 1000", Deadline::never(), source.token());
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Errc::Cancelled);
}

TEST_F(LinkTest, SaysThatThereIsNoOutpostForTheMachine) {
  const auto link =
      try_open(FarSide::booted() + FarSide::says("need Linux riscv64 0") + FarSide::listens());
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Errc::Unsupported);
  EXPECT_THAT(link.error().message, HasSubstr("Linux on riscv64"));
}

}  // namespace
}  // namespace yonder::link
