#include "chaos/places.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"

namespace yonder::chaos {
namespace {

std::string away(const std::string& home) {
  return home + ".away";
}

std::string filler(const std::string& disk) {
  return disk + "/filler";
}

template <class Change>
void change_logs(Stage& stage, std::size_t machine, const Change& change) {
  for (const auto& plan : stage.plans) {
    // A log elsewhere is on another disk.
    if (plan.machine == machine && plan.log_file.empty()) change(plan);
  }
}

}  // namespace

bool take_home_away(const std::string& home, InItsPlace instead) {
  if (::rename(home.c_str(), away(home).c_str()) != 0) return false;
  if (instead == InItsPlace::EmptyDirectory) ::mkdir(home.c_str(), 0755);
  return true;
}

bool bring_home_back(const std::string& home) {
  ::rmdir(home.c_str());
  return ::rename(away(home).c_str(), home.c_str()) == 0;
}

bool fill_up(const std::string& disk) {
  const Fd file(::open(filler(disk).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return false;
  off_t size = 0;
  for (off_t step = 64LL << 20; step >= 4096; step /= 2) {
    while (::fallocate(file.get(), 0, size, step) == 0) size += step;
  }
  return size > 0;
}

void clear_out(const std::string& disk) {
  ::unlink(filler(disk).c_str());
}

void logs_may_lack(Stage& stage, std::size_t machine) {
  change_logs(stage, machine, [&](const RunPlan& plan) {
    stage.truth.note(plan,
                     [](Seen& seen) { seen.log_may_lack = seen.log_may_lack || !seen.gone_at; });
  });
}

void logs_are_whole_again(Stage& stage, std::size_t machine) {
  change_logs(stage, machine, [&](const RunPlan& plan) {
    if (path_exists(plan.count_file)) return;
    stage.truth.note(plan, [](Seen& seen) { seen.log_may_lack = false; });
  });
}

}  // namespace yonder::chaos
