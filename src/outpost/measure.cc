#include "outpost/measure.h"

#include <sys/utsname.h>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/cpu.h"
#include "outpost/disks.h"
#include "outpost/gpu_lease.h"
#include "outpost/gpus.h"
#include "outpost/logged_in.h"
#include "outpost/memory.h"
#include "outpost/numbers.h"

namespace yonder::outpost {
namespace {

using resources::Count;

constexpr auto kDiskLimit = std::chrono::seconds(1);
// Without its persistence daemon nvidia-smi wakes every GPU first: seconds on large machines.
constexpr auto kGpuLimit = std::chrono::seconds(5);
Count read_uptime() {
  const auto text = read_file("/proc/uptime", kSmallFile);
  if (!text) return Count::missing(printable(text.error().message));
  const auto milli = thousandths(text->substr(0, text->find(' ')));
  return milli ? Count::of(*milli / 1000) : Count::missing("/proc/uptime is not understood");
}

std::string kernel_release() {
  utsname info{};
  return ::uname(&info) == 0 ? info.release : "";
}

}  // namespace

resources::MachineFacts measure(const Surroundings& around, const std::string& cwd) {
  const auto start = std::chrono::steady_clock::now();
  resources::MachineFacts facts{.boot_id = around.boot_id, .kernel = kernel_release()};
  facts.uptime_s = read_uptime();
  facts.cpu = look_at_cpu();
  facts.memory = look_at_memory();
  facts.disks = look_at_disks(around, cwd, kDiskLimit);
  facts.users = logged_in_users();
  facts.gpus = look_at_gpus(kGpuLimit);
  add_leases(facts.gpus);
  facts.clock_ms = wall_clock_ms();
  facts.took_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  return facts;
}

}  // namespace yonder::outpost
