#include "run/input_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>

#include "base/patience_test.h"
#include "link/far_side_test.h"

namespace yonder::run {
namespace {

using testing::eventually;
using testing::FarSide;
using ::testing::HasSubstr;

constexpr auto kSoon = testing::kPatience;

// What the near side has said to the far side.
struct Heard {
  std::string bytes;         // of Data frames, one after the other
  std::uint64_t offset = 0;  // of the first
  bool gap = false;
  bool ended = false;
};

class InputSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    input_ = *std::move(pipe);
  }
  void type(std::string_view bytes) { ASSERT_TRUE(write_all(input_.write, bytes)); }
  // What another reader of the same descriptor gets; "nothing" when there is nothing left for it.
  std::string typed() const {
    pollfd ready{input_.read.get(), POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return "nothing";
    std::array<char, 100> buffer{};
    const auto n = read_some(input_.read, buffer.data(), buffer.size());
    return n ? std::string(buffer.data(), *n) : "nothing";
  }

  // A request to a far side that takes it and then does this.
  link::Call request(const std::string& behaviour) {
    auto link = link::Link::open(
        {.spec = spec_,
         .prefix =
             FarSide::prefix(far_.greeting() + FarSide::taken(FarSide::probe_size()) + behaviour),
         .images = images_,
         .progress = [](const std::string&) {}},
        Deadline::after(kSoon), {});
    if (!link) throw std::runtime_error(link.error().message);
    auto call = (*link)->request(wire::ProbeRequest{});
    if (!call) throw std::runtime_error(call.error().message);
    return *std::move(call);
  }
  // Says to the request that so many bytes were taken.
  std::string takes(std::uint32_t bytes) {
    std::string frame;
    wire::append_frame(frame, wire::Kind::Credit, 1, wire::encode_credit(bytes));
    return far_.shown(frame);
  }
  std::string wants_no_more() {
    std::string frame;
    wire::append_frame(frame, wire::Kind::End, 1, "");
    return far_.shown(frame);
  }
  std::string writes_down(const std::string& name) const { return far_.writes_down(name); }
  Heard heard(const std::string& name) const {
    wire::FrameParser parser;
    parser.feed(far_.scratch().read(name));
    Heard heard;
    bool first = true;
    for (auto frame = parser.next(); frame && *frame; frame = parser.next()) {
      if ((*frame)->kind == wire::Kind::End) heard.ended = true;
      if ((*frame)->kind != wire::Kind::Data) continue;
      const auto data = wire::parse_data((*frame)->payload);
      if (!data) continue;
      if (std::exchange(first, false)) heard.offset = data->header.offset;
      heard.gap = heard.gap || data->header.offset != heard.offset + heard.bytes.size();
      heard.bytes += data->bytes;
    }
    return heard;
  }

  // Delivers as whoever follows a run does, until it is so or cannot go on.
  static Result<void> deliver(InputSource& source, link::Call& call,
                              const std::function<bool()>& is_so) {
    const auto deadline = Deadline::after(kSoon);
    while (!is_so()) {
      TRY(source.pump(call));
      const auto look_again = Deadline::after(std::chrono::milliseconds(5));
      const auto event = call.next(look_again, {});
      if (!event && event.error().code != Errc::Timeout) return event.error();
      if (deadline.expired()) return Error{Errc::Timeout, "it never became so", ""};
    }
    return {};
  }
  // Makes it the source's present attempt, for as long as it lives.
  class Attempt {
   public:
    Attempt(InputSource& source, link::Call& call) : source_(source) {
      source_.attach([&call] { call.poke(); });
      source_.start_reading();
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt() { source_.detach(); }

   private:
    InputSource& source_;
  };

  // All of the input and its end go over a link of which nothing comes back.
  Result<void> send_all_and_hear_nothing(InputSource& source, std::string_view bytes) {
    type(bytes);
    input_.write.reset();
    auto call = request(writes_down("first"));
    const Attempt attempt(source, call);
    return deliver(source, call, [&] { return heard("first").ended; });
  }

  FarSide far_;
  SandboxSpec spec_ = FarSide::spec();
  std::vector<link::OutpostImage> images_;
  Pipe input_;
};

TEST_F(InputSourceTest, SendsWhatIsTypedAndItsEnd) {
  InputSource source(input_.read.get());
  auto call = request(writes_down("heard"));
  const Attempt attempt(source, call);
  type("hello");
  const auto first = deliver(source, call, [&] { return heard("heard").bytes == "hello"; });
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_FALSE(heard("heard").ended);
  input_.write.reset();
  const auto second = deliver(source, call, [&] { return heard("heard").ended; });
  ASSERT_TRUE(second) << second.error().message;
}

TEST_F(InputSourceTest, ResumesOnANewLinkAtTheFirstByteThatWasNotTaken) {
  InputSource source(input_.read.get());
  type("hello world");
  input_.write.reset();
  {
    // Takes the eleven bytes off the wire, but the command only three of them; then the link dies.
    const std::size_t frames = 9 + 9 + 11 + 9;  // Data with its header, and End
    auto call = request(FarSide::taken(frames) + takes(3) + "exit 1");
    const Attempt attempt(source, call);
    const auto lost = deliver(source, call, [] { return false; });
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::LinkLost) << lost.error().message;
  }
  EXPECT_EQ(source.resume_from(), 3U);
  auto call = request(writes_down("heard"));
  const Attempt attempt(source, call);
  const auto delivered = deliver(source, call, [&] { return heard("heard").ended; });
  ASSERT_TRUE(delivered) << delivered.error().message;
  const Heard again = heard("heard");
  EXPECT_EQ(again.bytes, "lo world");
  EXPECT_EQ(again.offset, 3U);
  EXPECT_FALSE(again.gap);
}

TEST_F(InputSourceTest, SkipsWhatAnEarlierLinkHasDelivered) {
  InputSource source(input_.read.get());
  ASSERT_TRUE(send_all_and_hear_nothing(source, "hello world"));
  EXPECT_EQ(source.resume_from(), 0U) << "nothing was said of what was taken";
  // The far side had all of it, and says so after the new attempt has begun.
  auto call = request(takes(11) + writes_down("second"));
  const Attempt attempt(source, call);
  ASSERT_TRUE(eventually([&] { return call.input_credit() == wire::kInitialCredit + 11; }));
  ASSERT_TRUE(source.pump(call));
  ASSERT_TRUE(eventually([&] { return heard("second").ended; }));
  EXPECT_EQ(heard("second").bytes, "");
  EXPECT_EQ(source.resume_from(), 11U);
}

TEST_F(InputSourceTest, SkipsOnlyOnceWhatAnEarlierLinkHasDelivered) {
  InputSource source(input_.read.get());
  ASSERT_TRUE(send_all_and_hear_nothing(source, "hello world"));
  // Of the eleven bytes four had been taken; the others never arrived.
  auto call = request(takes(4) + writes_down("second"));
  const Attempt attempt(source, call);
  ASSERT_TRUE(eventually([&] { return call.input_credit() == wire::kInitialCredit + 4; }));
  ASSERT_TRUE(deliver(source, call, [&] { return heard("second").ended; }));
  ASSERT_TRUE(source.pump(call));
  EXPECT_EQ(heard("second").bytes, "o world");
  EXPECT_EQ(heard("second").offset, 4U);
  EXPECT_EQ(source.resume_from(), 4U) << "nothing was said of the rest";
}

TEST_F(InputSourceTest, SendsNoMoreThanOneWindowAheadOfTheCommand) {
  InputSource source(input_.read.get());
  const std::string many(wire::kInitialCredit + 1000, 'x');
  Thread typist("typist", [&] {
    EXPECT_TRUE(write_all(input_.write, many));
    input_.write.reset();
  });
  const std::string rest = far_.scratch() / "go-on";
  auto call = request(concat("{ while [ ! -e ", rest, " ]; do sleep 0.01; done; ", takes(1000),
                             "} & ", writes_down("heard")));
  const Attempt attempt(source, call);
  const auto window =
      deliver(source, call, [&] { return heard("heard").bytes.size() == wire::kInitialCredit; });
  EXPECT_TRUE(window) << window.error().message;
  EXPECT_EQ(call.input_credit(), 0U);
  far_.scratch().write("go-on", "");
  const auto all =
      deliver(source, call, [&] { return heard("heard").bytes.size() == many.size(); });
  EXPECT_TRUE(all) << all.error().message;
  EXPECT_FALSE(heard("heard").gap);
}

TEST_F(InputSourceTest, StopsWhenTheCommandWantsNoMore) {
  InputSource source(input_.read.get());
  auto call = request(wants_no_more() + writes_down("heard"));
  const Attempt attempt(source, call);
  ASSERT_TRUE(eventually([&] { return call.input_closed(); }));
  type("nobody wants this");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(source.pump(call));
  // What the far side hears next would come after the input, had there been any.
  ASSERT_TRUE(call.end_input());
  ASSERT_TRUE(eventually([&] { return heard("heard").ended; }));
  EXPECT_EQ(heard("heard").bytes, "");
}

TEST_F(InputSourceTest, CallsItAnErrorWhenMoreWasTakenThanSent) {
  InputSource source(input_.read.get());
  type("abc");
  auto call = request(takes(1000) + FarSide::listens());
  const Attempt attempt(source, call);
  const auto delivered = deliver(source, call, [] { return false; });
  ASSERT_FALSE(delivered);
  EXPECT_EQ(delivered.error().code, Errc::Protocol);
  EXPECT_THAT(delivered.error().message, HasSubstr("more input than it was sent"));
}

// As a password would be that is asked for at the same terminal.
TEST_F(InputSourceTest, LeavesWhatIsTypedBeforeTheCommandHasBegun) {
  InputSource source(input_.read.get());
  auto call = request(writes_down("heard"));
  source.attach([&call] { call.poke(); });
  type("secret");
  EXPECT_EQ(typed(), "secret");
  source.start_reading();
  type("hello");
  EXPECT_TRUE(deliver(source, call, [&] { return heard("heard").bytes == "hello"; }));
  source.detach();
}

TEST_F(InputSourceTest, LeavesWhatIsTypedWhileTheLinkIsLost) {
  InputSource source(input_.read.get());
  {
    auto call = request(writes_down("first"));
    const Attempt attempt(source, call);
    type("hello");
    ASSERT_TRUE(deliver(source, call, [&] { return heard("first").bytes == "hello"; }));
  }
  type("secret");
  EXPECT_EQ(typed(), "secret");
  type(" world");
  auto call = request(writes_down("second"));
  const Attempt attempt(source, call);
  ASSERT_TRUE(deliver(source, call, [&] { return heard("second").bytes == "hello world"; }));
}

TEST_F(InputSourceTest, EndsWithoutWaitingForWhatIsNeverTyped) {
  const InputSource source(input_.read.get());
}

}  // namespace
}  // namespace yonder::run
