#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "chaos/audit.h"
#include "chaos/injector.h"
#include "chaos/liar.h"
#include "chaos/observer.h"
#include "chaos/worker.h"
#include "e2e/fixture.h"
#include "lab/mounts.h"

namespace yonder::chaos {

std::string sandbox_name(std::size_t machine, std::size_t line) {
  return concat("m", machine, "-l", line);
}

std::string direct_name(std::size_t machine) {
  return concat("m", machine, "-direct");
}

namespace {

using namespace std::chrono_literals;

constexpr int kWorkers = 3;
constexpr int kObservers = 2;
constexpr int kLongForm = 100;
// Room for all logs of the long form.
constexpr const char* kStateDisk = "192m";

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::atoi(text);
}

// YONDER_CHAOS_SEED, YONDER_CHAOS_RUNS and YONDER_CHAOS_FAULTS make it another or a longer test.
struct Size {
  std::uint64_t seed = static_cast<std::uint64_t>(number_from("YONDER_CHAOS_SEED", 1));
  int runs = number_from("YONDER_CHAOS_RUNS", 25);
  int faults = number_from("YONDER_CHAOS_FAULTS", 60);
  bool is_long() const { return runs >= kLongForm; }
};

class Chaos : public e2e::EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    lab::need(lab::Need::Users);  // faults find their victims by user
    ::signal(SIGPIPE, SIG_IGN);   // clients are killed while they are spoken to
    add_machine("alice");
    add_machine("bob");
    liar_.emplace(start_sshd(
        {.config = {"ForceCommand " + make_liar(size_.seed + 2, new_open_directory())}}));
    write_all_hosts();
    world_.environment = environment();
    world_.loot = new_open_directory();
    // The outposts are in their places before the trouble begins.
    for (std::size_t i = 0; i < world_.machines.size(); ++i) {
      bash("true", {{"sandbox_name", direct_name(i)}});
    }
  }

  World world_;
  Size size_;

 private:
  void add_machine(const std::string& user) {
    // A server sees the mounts that were there when it was started.
    const lab::Account& account = lab().user(user);
    const std::string disk = mount_state_disk(account);
    Machine machine{.sshd = start_sshd(), .user = account, .state_disk = disk, .lines = {}};
    for (std::size_t i = 0; i < kLines; ++i) {
      machine.lines.push_back(start_proxy(machine.sshd.port()));
    }
    world_.machines.push_back(std::move(machine));
  }

  std::string mount_state_disk(const lab::Account& account) {
    const std::string local = account.home + "/.local";
    const std::string disk = local + "/state";
    for (const auto& directory : {local, disk}) {
      const bool made = ::mkdir(directory.c_str(), 0755) == 0 || errno == EEXIST;
      if (!made || ::chown(directory.c_str(), account.uid, account.uid) != 0) {
        throw std::runtime_error("no directory " + directory);
      }
    }
    auto mount = lab::mount_tmpfs(
        disk, concat("uid=", account.uid, ",gid=", account.uid, ",mode=755,size=", kStateDisk));
    if (!mount) throw std::runtime_error(mount.error().message);
    disks_.push_back(*std::move(mount));
    return disk;
  }

  void write_all_hosts() {
    std::vector<lab::SshHost> hosts{host(kLiar, *liar_)};
    for (std::size_t m = 0; m < world_.machines.size(); ++m) {
      const Machine& machine = world_.machines[m];
      hosts.push_back(host(direct_name(m), machine.sshd, machine.user.name));
      for (std::size_t l = 0; l < kLines; ++l) {
        hosts.push_back(
            host(sandbox_name(m, l), machine.sshd, *machine.lines[l], machine.user.name));
      }
    }
    write_hosts(hosts);
  }

  std::optional<lab::Sshd> liar_;
  std::vector<lab::Mount> disks_;
};

// The clients of one worker are on different lines, and the observers have one of their own.
void take_seats(Stage& stage) {
  const auto add = [&](std::size_t line) {
    stage.seats.push_back(std::make_unique<Seat>(stage.world.environment, line, stage.tally));
  };
  for (int i = 0; i < kWorkers; ++i) {
    add(0);
    add(1);
  }
  for (int i = 0; i < kObservers; ++i) add(2);
}

void play(Stage& stage, const Size& size) {
  Injector injector(stage, size.seed + 1, {size.is_long() ? 450ms : 220ms, size.faults});
  Thread faults("faults", [&] { injector.wreak(); });
  std::vector<Thread> observers;
  for (std::size_t i = 0; i < kObservers; ++i) {
    observers.emplace_back("observer", [&, i] {
      Observer(stage, *stage.seats[2 * kWorkers + i], size.seed + 100 + i).watch();
    });
  }
  std::vector<Thread> workers;
  for (std::size_t i = 0; i < kWorkers; ++i) {
    workers.emplace_back("worker", [&, i] {
      Worker(stage, *stage.seats[2 * i], *stage.seats[2 * i + 1], size.seed + 200 + i).work();
    });
  }
  workers.clear();  // joins them
  lab::eventually([&] { return stage.tally.faults() >= size.faults; }, stage.end);
  stage.calm.raise();
}

TEST_F(Chaos, LeavesEveryRunExecutedOnceAndToldAsItWas) {
  const Size& size = size_;
  std::cout << "seed " << size.seed << ", " << size.runs << " runs, " << size.faults
            << " faults or more\n";
  const auto plans = make_plans(size.seed, size.runs, world_.machines.size(), new_open_directory());
  Truth truth(plans);
  Tally tally;
  Stage stage{.world = world_, .plans = plans, .truth = truth, .tally = tally};
  stage.end = Deadline::after(size.is_long() ? 3600s : 600s);  // only what hangs gets there
  stage.patient = size.is_long();
  for (const auto& plan : plans) {
    stage.waiting.with([&](auto& waiting) { waiting.push_back(plan.number); });
  }
  take_seats(stage);
  play(stage, size);
  audit_runs(stage);
  for (auto& seat : stage.seats) seat->close();
  agent().close();
  audit_processes(stage);
  std::cout << "seed: " << size.seed << "\nruns: " << size.runs << "\n" << tally.summary();
  EXPECT_GE(tally.faults(), size.faults);
  EXPECT_EQ(tally.wrongs(), 0) << "try again with YONDER_CHAOS_SEED=" << size.seed;
}

}  // namespace
}  // namespace yonder::chaos
