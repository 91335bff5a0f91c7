#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "chaos/lease_stage.h"
#include "chaos/proc.h"
#include "e2e/fixture.h"
#include "lab/gpu_stub.h"
#include "outpost/gpu_claims.h"
#include "outpost/lease_place.h"

namespace yonder::chaos {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kGpus = 4;
constexpr std::size_t kClientsPerUser = 4;

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::atoi(text);
}

// YONDER_CHAOS_SEED and YONDER_LEASE_STARTS make it another or a longer test.
class LeaseChaos : public e2e::EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    lab::need(lab::Need::Users);  // faults find their victims by user
    ::signal(SIGPIPE, SIG_IGN);
    stub_.set_gpus(std::vector<lab::StubGpu>(kGpus));
    stage_.ledger = new_open_directory();
    ::chmod(stage_.ledger.c_str(), 0777);  // the kernel guards files in sticky ones
    for (std::size_t i = 0; i < kGpus; ++i) make_common(stub_.uuid(i));
    make_common("ran");
    stage_.place = new_open_directory() + "/gpus";
    lab::SshdOptions options;
    options.config = {concat("SetEnv PATH=", stub_.path(), ":", std::getenv("PATH"),
                             " YONDER_GPU_LEASES=", stage_.place)};
    sshd_.emplace(start_sshd(options));
    seat_clients();
  }

  void make_common(const std::string& name) const {
    const std::string path = stage_.ledger + "/" + name;
    std::ofstream(path).close();
    ::chmod(path.c_str(), 0666);
  }

  void seat_clients() {
    std::vector<lab::SshHost> hosts;
    for (const char* user : {"alice", "bob"}) {
      stage_.users.push_back(lab().user(user));
      for (std::size_t i = 0; i < kClientsPerUser; ++i) {
        LeaseClient client{.user = user, .sandbox = concat(user, "-", i)};
        client.line = start_proxy(sshd_->port());
        hosts.push_back(host(client.sandbox, *sshd_, *client.line, user));
        stage_.clients.push_back(std::move(client));
      }
      hosts.push_back(host(concat(user, "-direct"), *sshd_, user));
    }
    write_hosts(hosts);
    for (const char* user : {"alice", "bob"})
      bash("true", {{"sandbox_name", concat(user, "-direct")}});
    for (auto& client : stage_.clients) {
      client.seat = std::make_unique<Seat>(environment(), 0, stage_.tally);
    }
  }

  void play(std::uint64_t seed) {
    Thread watch("watch", [&] { watch_leases(stage_); });
    Thread faults("faults", [&] { break_leases(stage_, seed + 1); });
    std::vector<Thread> clients;
    for (std::size_t i = 0; i < stage_.clients.size(); ++i) {
      clients.emplace_back("client", [&, i] { work_with_leases(stage_, i, seed + 100 + i); });
    }
    clients.clear();  // joins them
    stage_.calm.raise();
  }

  // Every key ran at most once: a start that was asked for again found its run.
  std::size_t check_executions() {
    std::istringstream ran(e2e::file_text(stage_.ledger + "/ran"));
    std::set<std::string> keys;
    for (std::string key; std::getline(ran, key);) {
      if (!keys.insert(key).second) stage_.tally.wrong(Wrong::Double, key + " ran twice");
    }
    return keys.size();
  }

  void check_nothing_is_left() {
    const auto place = outpost::open_lease_place(stage_.place);
    ASSERT_TRUE(place);
    EXPECT_TRUE(lab::eventually([&] {
      const auto claims = outpost::live_claims(*place);
      return claims && claims->empty();
    })) << "a lease is held by nobody who lives";
    for (const auto& user : stage_.users) {
      EXPECT_TRUE(lab::eventually([&] { return processes_of(user.uid, "yonder-run").empty(); }));
    }
  }

  lab::GpuStub stub_;
  std::optional<lab::Sshd> sshd_;
  LeaseStage stage_;
};

TEST_F(LeaseChaos, NeverGivesOneGpuToTwoNorLosesOneNorServesAnybodyOutOfTurn) {
  const auto seed = static_cast<std::uint64_t>(number_from("YONDER_CHAOS_SEED", 1));
  stage_.starts = number_from("YONDER_LEASE_STARTS", 8);
  stage_.end = Deadline::after(stage_.starts > 50 ? 3600s : 600s);  // only what hangs gets there
  std::cout << "seed " << seed << ", " << stage_.users.size() << " users, " << stage_.clients.size()
            << " clients, " << stage_.starts << " starts of each, " << kGpus << " GPUs\n";
  play(seed);
  const std::size_t ran = check_executions();
  for (auto& client : stage_.clients) client.seat->close();
  agent().close();
  check_nothing_is_left();
  std::cout << "commands that ran: " << ran << "\n" << stage_.tally.summary();
  EXPECT_GT(stage_.tally.faults(), 0);
  EXPECT_EQ(stage_.tally.wrongs(), 0) << "try again with YONDER_CHAOS_SEED=" << seed;
}

}  // namespace
}  // namespace yonder::chaos
