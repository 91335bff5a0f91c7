#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chaos/dice.h"
#include "lab/accounts.h"
#include "lab/fault_proxy.h"
#include "lab/sshd.h"

namespace yonder::chaos {

// A server, its user, and the lines that lead there. Each line is a sandbox of its own name for the
// same account, so that clients on different lines have trouble at different times.
struct Machine {
  lab::Sshd sshd;
  lab::Account user;
  std::string state_disk;  // a small file system of its own, where the user's runs are recorded
  std::vector<std::unique_ptr<lab::FaultProxy>> lines;
};

inline constexpr std::size_t kLines = 3;

struct World {
  std::vector<Machine> machines;
  std::vector<std::string> environment;  // of clients
  std::string loot;                      // a directory here, for what is fetched from the liar

  lab::FaultProxy& line(std::size_t machine, std::size_t line) {
    return *machines[machine].lines[line];
  }
};

std::string sandbox_name(std::size_t machine, std::size_t line);
// The way there without a proxy.
std::string direct_name(std::size_t machine);
// A machine whose outpost lies; see liar.h.
inline constexpr const char* kLiar = "liar";

}  // namespace yonder::chaos
