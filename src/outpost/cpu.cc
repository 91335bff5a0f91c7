#include "outpost/cpu.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/numbers.h"

namespace yonder::outpost {
namespace {

using resources::Count;

constexpr std::uint64_t kMostProcessors = 1UL << 20U;

std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = read_file(path, kSmallFile);
  return text ? whole_number(*text) : std::nullopt;
}

std::optional<std::uint64_t> share(std::uint64_t quota, std::uint64_t period) {
  const auto scaled = product(quota, 1000);
  if (!scaled || period == 0) return std::nullopt;
  // Less than a thousandth is still something: a limit is never none of a processor.
  return std::max<std::uint64_t>(*scaled / period, 1);
}

std::optional<std::uint64_t> limit_of(const Group& group) {
  if (group.unified) {
    const auto text = read_file(group.directory + "/cpu.max", kSmallFile);
    return text ? parse_cpu_max(*text) : std::nullopt;
  }
  const auto quota = number_in(group.directory + "/cpu.cfs_quota_us");  // -1: none
  const auto period = number_in(group.directory + "/cpu.cfs_period_us");
  return quota && period ? share(*quota, *period) : std::nullopt;
}

void set_load(resources::Cpu& cpu) {
  const auto text = read_file("/proc/loadavg", kSmallFile);
  const auto load = text ? parse_loadavg(*text) : std::nullopt;
  const std::string why =
      text ? "/proc/loadavg is not understood" : printable(text.error().message);
  const auto set = [&](std::size_t i) {
    return load ? Count::of(load->at(i)) : Count::missing(why);
  };
  cpu.load_1m_milli = set(0);
  cpu.load_5m_milli = set(1);
  cpu.load_15m_milli = set(2);
}

Count online_processors() {
  const auto list = read_file("/sys/devices/system/cpu/online", kSmallFile);
  if (const auto count = list ? count_listed(*list) : std::nullopt) return Count::of(*count);
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (count > 0) return Count::of(static_cast<std::uint64_t>(count));
  return Count::missing("the kernel does not say which processors are online");
}

std::optional<std::uint64_t> usable_processors() {
  // The kernel refuses a set that is smaller than its own.
  for (std::size_t processors = 1024; processors <= kMostProcessors; processors *= 4) {
    std::vector<cpu_set_t> set(processors / CPU_SETSIZE);
    const std::size_t bytes = set.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, set.data()) == 0) {
      return static_cast<std::uint64_t>(CPU_COUNT_S(bytes, set.data()));
    }
    if (errno != EINVAL) break;
  }
  return std::nullopt;
}

Count pressure_in(const resources::Cpu& cpu, const std::optional<CpuLimit>& limit) {
  if (!limit || cpu.limit != "cgroup")
    return Count::missing("no control group limits the processors");
  if (!limit->group.unified) {
    return Count::missing("control groups of version 1 do not measure pressure");
  }
  const auto text = read_file(limit->group.directory + "/cpu.pressure", kSmallFile);
  if (!text) return Count::missing(printable(text.error().message));
  const auto pressure = parse_pressure(*text);
  return pressure ? Count::of(*pressure) : Count::missing("cpu.pressure is not understood");
}

}  // namespace

std::optional<std::array<std::uint64_t, 3>> parse_loadavg(std::string_view text) {
  const auto words = split(trim(text), ' ');
  if (words.size() < 3) return std::nullopt;
  std::array<std::uint64_t, 3> load{};
  for (std::size_t i = 0; i < load.size(); ++i) {
    const auto value = thousandths(words[i]);
    if (!value) return std::nullopt;
    load.at(i) = *value;
  }
  return load;
}

std::optional<std::uint64_t> count_listed(std::string_view list) {
  std::uint64_t count = 0;
  for (const auto& range : split(trim(list), ',')) {
    const std::size_t dash = range.find('-');
    const auto first = whole_number(range.substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= kMostProcessors) return std::nullopt;
    count += *last - *first + 1;
  }
  return count;
}

std::optional<std::uint64_t> parse_cpu_max(std::string_view text) {
  const auto words = split(trim(text), ' ');
  if (words.size() != 2) return std::nullopt;
  const auto quota = whole_number(words[0]);  // or "max"
  const auto period = whole_number(words[1]);
  return quota && period ? share(*quota, *period) : std::nullopt;
}

std::optional<std::uint64_t> parse_pressure(std::string_view text) {
  for (const auto& line : split(text, '\n')) {
    if (!line.starts_with("some ")) continue;
    for (const auto& word : split(line, ' ')) {
      if (word.starts_with("avg60=")) return thousandths(std::string_view(word).substr(6));
    }
  }
  return std::nullopt;
}

std::optional<CpuLimit> smallest_cpu_limit(const std::vector<Group>& groups) {
  std::optional<CpuLimit> smallest;
  for (const auto& group : groups) {
    const auto milli = limit_of(group);
    if (milli && (!smallest || *milli < smallest->milli)) {
      smallest = CpuLimit{.milli = *milli, .group = group};
    }
  }
  return smallest;
}

void set_allowed(resources::Cpu& cpu, std::optional<std::uint64_t> affinity,
                 std::optional<std::uint64_t> group_milli) {
  std::optional<std::uint64_t> least;
  if (cpu.online) least = *cpu.online * 1000;
  if (affinity && (!least || *affinity * 1000 < *least)) {
    if (least) cpu.limit = "affinity";
    least = *affinity * 1000;
  }
  if (group_milli && (!least || *group_milli < *least)) {
    least = *group_milli;
    cpu.limit = "cgroup";
  }
  cpu.allowed_milli =
      least ? Count::of(*least) : Count::missing("the kernel does not say what may be used");
}

resources::Cpu look_at_cpu() {
  resources::Cpu cpu;
  set_load(cpu);
  cpu.online = online_processors();
  const auto limit = smallest_cpu_limit(own_groups("cpu"));
  set_allowed(cpu, usable_processors(), limit ? std::optional(limit->milli) : std::nullopt);
  cpu.pressure_milli_pct = pressure_in(cpu, limit);
  return cpu;
}

}  // namespace yonder::outpost
