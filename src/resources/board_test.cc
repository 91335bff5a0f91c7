#include "resources/board.h"

#include <gtest/gtest.h>

#include <atomic>

#include "link/far_side_test.h"
#include "link/link_pool.h"
#include "resources/facts_test.h"

namespace yonder::resources {
namespace {

using testing::FarSide;

class BoardTest : public ::testing::Test {
 protected:
  static std::string reply(wire::StreamId stream, const MachineFacts& facts) {
    std::string out;
    wire::append_message(out, wire::Kind::Reply, stream, wire::encode(facts));
    return out;
  }
  static std::size_t request_size() {
    return wire::encode(wire::AnyRequest(wire::ResourcesRequest{})).size() + 9;
  }

  // Answers twice: with a load of one, then of two.
  void answers(const std::string& name) {
    std::string script = far_.greeting();
    for (const wire::StreamId stream : {1U, 2U}) {
      MachineFacts facts = machine_for_test(0);
      facts.cpu.load_1m_milli = Count::of(1000UL * stream);
      script += FarSide::taken(request_size()) + far_.shown(reply(stream, facts));
    }
    scripts_[name] = script + FarSide::listens();
  }
  void says_nothing(const std::string& name) { scripts_[name] = "exec sleep 600"; }

  static SandboxSpec spec(const std::string& name) {
    SandboxSpec spec = FarSide::spec();
    spec.name = name;
    spec.connect_timeout = std::chrono::hours(1);
    spec.idle_close = std::chrono::hours(1);
    return spec;
  }
  std::vector<Seen> look(const std::vector<std::string>& names, const LookOptions& options = {}) {
    std::vector<SandboxSpec> specs;
    for (const auto& name : names) specs.push_back(spec(name));
    return board_.look(specs, options);
  }

  FarSide far_;
  std::map<std::string, std::string> scripts_;
  link::LinkPool pool_{[this](const SandboxSpec& spec) -> Result<link::CommandPrefix> {
                         return FarSide::prefix(scripts_.at(spec.name));
                       },
                       nullptr,
                       {},
                       link::LinkSettings{}};
  Board board_{pool_, std::chrono::hours(1)};
};

std::uint64_t load_of(const Seen& seen) {
  if (!seen.facts) {
    ADD_FAILURE() << (seen.error ? seen.error->message : "nothing");
    return 0;
  }
  return *seen.facts->cpu.load_1m_milli;
}

TEST_F(BoardTest, RemembersForAMomentWhatAMachineSaid) {
  answers("a");
  EXPECT_EQ(load_of(look({"a"}).front()), 1000U);
  const Seen again = look({"a"}).front();
  EXPECT_EQ(load_of(again), 1000U);
  EXPECT_GT(again.age, Duration::zero());
  EXPECT_EQ(load_of(look({"a"}, {.fresh = true}).front()), 2000U);
}

TEST_F(BoardTest, WaitsOnlySoLongForOthersWhenOneHasAnswered) {
  answers("a");
  says_nothing("silent");
  std::atomic<int> told = 0;
  LookOptions options{.patience = std::chrono::milliseconds(50)};
  options.on_seen = [&](std::size_t, const Seen&) { ++told; };
  const auto seen = look({"silent", "a"}, options);
  EXPECT_EQ(load_of(seen.at(1)), 1000U);
  ASSERT_TRUE(seen.at(0).error);
  EXPECT_EQ(seen.at(0).error->code, Errc::Timeout) << "it was we who had no more patience";
  EXPECT_EQ(told, 2);
}

TEST_F(BoardTest, HasALimitEvenWhenNobodyAnswers) {
  says_nothing("silent");
  LookOptions options;
  options.limit = std::chrono::milliseconds(50);
  const auto seen = look({"silent"}, options);
  ASSERT_TRUE(seen.at(0).error);
  EXPECT_EQ(seen.at(0).error->code, Errc::Timeout);
}

TEST_F(BoardTest, IsGivenUpAtOnceWhenItsCallerDoes) {
  says_nothing("silent");
  CancelSource source;
  source.cancel();
  const auto seen = look({"silent"}, {.cancel = source.token()});
  ASSERT_TRUE(seen.front().error);
  EXPECT_EQ(seen.front().error->code, Errc::Cancelled);
}

}  // namespace
}  // namespace yonder::resources
