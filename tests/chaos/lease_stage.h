#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "chaos/flag.h"
#include "chaos/seat.h"
#include "chaos/tally.h"
#include "lab/accounts.h"
#include "lab/fault_proxy.h"

namespace yonder::chaos {

// One machine with a few GPUs, its users, and their clients, each on a line of its own.
struct LeaseClient {
  std::string user;
  std::string sandbox;
  std::unique_ptr<lab::FaultProxy> line;
  std::unique_ptr<Seat> seat;
};

struct LeaseStage {
  std::string ledger;  // where commands prove that they are alone on their GPU
  std::string place;   // of the leases
  std::vector<lab::Account> users;
  std::vector<LeaseClient> clients;
  int starts = 0;  // of each client
  Tally tally;
  Flag calm;
  Deadline end = Deadline::never();
  // Runs whose supervisors were killed: they need not end as they would have.
  Guarded<std::set<std::string>> killed;
};

// One client: starts its runs one after the other, each until it is known to be started, and sees
// them to their ends.
void work_with_leases(LeaseStage& stage, std::size_t client, std::uint64_t seed);

// Kills supervisors and clients and cuts lines at random, until it is calm.
void break_leases(LeaseStage& stage, std::uint64_t seed);

// Reads the claims themselves, again and again: no GPU is in two, and nobody holds one who came
// after somebody who waits.
void watch_leases(LeaseStage& stage);

}  // namespace yonder::chaos
