#include "link/askpass_leftovers.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>

#include "link/askpass_socket.h"
#include "link/askpass_testing.h"

namespace yonder::link {
namespace {

using askpass_testing::answered;
using askpass_testing::ask;
using askpass_testing::box_with_password;
using askpass_testing::kPasswordPrompt;
using ::testing::ElementsAre;

class AskpassLeftoversTest : public askpass_testing::BrokerTest {
 protected:
  // Another process with a broker of its own in the same directory.
  class Other {
   public:
    explicit Other(const std::string& directory) {
      auto ready = make_pipe();
      pid_ = ::fork();
      if (pid_ == 0) {
        const auto broker = AskpassBroker::open(directory, "/p", nullptr);
        if (broker) write_all(ready->write, "r").has_value();
        while (true) ::pause();
      }
      ready->write.reset();
      char byte = 0;
      const auto n = read_some(ready->read, &byte, 1);
      EXPECT_TRUE(n && *n == 1);
    }
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() { kill(); }
    void kill() {
      if (pid_ <= 0) return;
      ::kill(pid_, SIGKILL);
      ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    }

   private:
    pid_t pid_ = -1;
  };

  std::vector<std::string> all() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(sockets())) {
      found.push_back(entry.path().native());
    }
    return found;
  }
};

TEST_F(AskpassLeftoversTest, OfAKilledProcessAreRemovedByTheNextOne) {
  Other other(sockets());
  ASSERT_EQ(all().size(), 1U);
  const std::string socket = all().front();
  other.kill();
  EXPECT_THAT(all(), ElementsAre(socket)) << "it could not clean up after itself";
  const auto broker = open();
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  EXPECT_THAT(all(), ElementsAre(socket_of(*attempt)));
}

TEST_F(AskpassLeftoversTest, DoNotIncludeTheSocketsOfTheLiving) {
  const Other other(sockets());
  const std::string theirs = all().front();
  const auto mine = open();
  const auto attempt = mine->begin(box_with_password(), refusals_.counter());
  const auto latest = open();
  EXPECT_EQ(all().size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(theirs));
  EXPECT_TRUE(connect_to(theirs));
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
}

TEST_F(AskpassLeftoversTest, DoNotIncludeWhatIsNotASocketOfThisBoot) {
  { const auto broker = open(); }
  const std::string dead = new_socket_path(sockets());
  { const auto listener = listen_at(dead); }
  const std::string of_another_boot = sockets() + "/ask-00000000-aaaaaaaa";
  const std::string login = sockets() + "/login-0123456789ab";
  for (const auto& path : {of_another_boot, login}) {
    const auto listener = listen_at(path);
    ASSERT_TRUE(listener) << listener.error().message;
  }
  const std::string file = new_socket_path(sockets());
  std::ofstream(file) << "not a socket";
  remove_leftovers(sockets());
  EXPECT_THAT(all(), ::testing::UnorderedElementsAre(of_another_boot, login, file));
}

TEST_F(AskpassLeftoversTest, AreToldFromALivingSocketWithoutItsNotice) {
  ASSERT_TRUE(make_private_directory(sockets()));
  const std::string path = new_socket_path(sockets());
  auto listener = listen_at(path);
  ASSERT_TRUE(listener) << listener.error().message;
  EXPECT_FALSE(is_bound_by_nobody(path));
  EXPECT_FALSE(accept_from(*listener)) << "somebody has called";
  listener->reset();
  EXPECT_TRUE(is_bound_by_nobody(path));
  EXPECT_FALSE(is_bound_by_nobody(path + "-that-never-was"));
}

TEST_F(AskpassLeftoversTest, InADirectoryThatIsNotThereAreNone) {
  remove_leftovers(sockets());
  EXPECT_FALSE(std::filesystem::exists(sockets()));
}

}  // namespace
}  // namespace yonder::link
