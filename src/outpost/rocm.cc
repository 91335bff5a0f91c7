#include <charconv>
#include <initializer_list>

#include "base/json.h"
#include "base/text.h"
#include "outpost/amd.h"
#include "outpost/gpu_values.h"
#include "outpost/numbers.h"
#include "outpost/tool.h"

namespace yonder::outpost {
namespace {

using resources::Count;
using resources::Gpu;

constexpr std::string_view kTool = "rocm-smi";

// Versions differ in case: "Card series" and "Card Series", "(c)" and "(C)".
std::string value_of(const Json& card, std::string_view name) {
  const std::string wanted = to_lower(name);
  for (const auto& [key, value] : card.items()) {
    if (to_lower(key) == wanted) return value.is_string() ? value.get<std::string>() : "";
  }
  return "";
}

// The first of several names that has a value; the reason is that of the first that is there.
Count first_of(const Json& card, std::initializer_list<std::string_view> names,
               std::uint64_t unit) {
  Count first = gpu_count(kTool, "", unit);
  bool there = false;
  for (const auto name : names) {
    const std::string said = value_of(card, name);
    Count count = gpu_count(kTool, said, unit);
    if (count) return count;
    if (!there && !said.empty()) {
      first = std::move(count);
      there = true;
    }
  }
  return first;
}

std::string first_text(const Json& card, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    std::string said = value_of(card, name);
    if (!said.empty() && said != "N/A") return said;
  }
  return "";
}

// "0x592c190172fd5d40"
std::string name_of_card(std::string_view unique_id) {
  std::uint64_t number = 0;
  const char* end = unique_id.data() + unique_id.size();
  if (!unique_id.starts_with("0x")) return plain_id(unique_id);
  const auto [rest, error] = std::from_chars(unique_id.data() + 2, end, number, 16);
  return error == std::errc() && rest == end ? kfd_name(number) : "";
}

Gpu parse_card(std::uint64_t index, const Json& card) {
  Gpu gpu{
      .index = index,
      .uuid = name_of_card(first_text(card, {"Unique ID"})),
      .name = gpu_name(first_text(card, {"Card Series", "Device Name", "Card Model", "GPU ID"})),
      .utilization_pct = first_of(card, {"GPU use (%)"}, 1),
      .memory_used_bytes = first_of(card, {"VRAM Total Used Memory (B)"}, 1),
      .memory_total_bytes = first_of(card, {"VRAM Total Memory (B)"}, 1)};
  gpu.temperature_c =
      first_of(card, {"Temperature (Sensor edge) (C)", "Temperature (Sensor junction) (C)"}, 1);
  gpu.power_mw = first_of(
      card, {"Average Graphics Package Power (W)", "Current Socket Graphics Package Power (W)"},
      kMilliwatts);
  gpu.never = "rocm-smi does not tell which process uses which GPU";
  gpu.processes = decltype(gpu.processes)::missing(gpu.never);
  gpu.vendor = "amd";
  check_values(kTool, gpu);
  return gpu;
}

}  // namespace

GpuList parse_rocm_smi(const Said& said) {
  const std::size_t start = said.out.find('{');
  const std::size_t end = said.out.rfind('}');
  if (said.end != Said::End::Whole || start == std::string::npos || end == std::string::npos ||
      end < start) {
    return GpuList::missing(why_nothing(kTool, said));
  }
  const auto json = parse_json(std::string_view(said.out).substr(start, end - start + 1), kTool);
  if (!json) return GpuList::missing(json.error().message);
  std::vector<Gpu> gpus;
  if (json->is_object()) {
    for (const auto& [key, card] : json->items()) {
      const auto index = key.starts_with("card") ? whole_number(key.substr(4)) : std::nullopt;
      if (index && card.is_object() && gpus.size() < kMostGpus) {
        gpus.push_back(parse_card(*index, card));
      }
    }
  }
  if (gpus.empty()) return GpuList::missing(why_nothing(kTool, said));
  return GpuList::of(std::move(gpus));
}

GpuList ask_rocm_smi(const std::string& program, const Deadline& deadline) {
  const auto said = ask_tool(program,
                             {{"--showid", "--showuniqueid", "--showproductname", "--showtemp",
                               "--showuse", "--showpower", "--showmeminfo", "vram", "--json"}},
                             deadline);
  return parse_rocm_smi(said[0]);
}

}  // namespace yonder::outpost
