#include "outpost/kfd.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/numbers.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kMaxFile = 64UL * 1024;
constexpr std::uint64_t kMostNodes = 1024;

struct Place {
  std::uint64_t domain = 0;
  std::uint64_t location = 0;
};

std::optional<std::uint64_t> hex(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, 16);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// "0000:05:00.0"
std::optional<Place> parse_bdf(std::string_view bdf) {
  const auto parts = split(trim(bdf), ':');
  if (parts.size() != 3) return std::nullopt;
  const auto last = split(parts[2], '.');
  if (last.size() != 2) return std::nullopt;
  const auto domain = hex(parts[0]);
  const auto bus = hex(parts[1]);
  const auto device = hex(last[0]);
  const auto function = hex(last[1]);
  if (!domain || !bus || !device || !function || *bus > 0xff || *device > 0x1f || *function > 7) {
    return std::nullopt;
  }
  return Place{.domain = *domain, .location = *bus << 8U | *device << 3U | *function};
}

std::string pci_name(const Place& place) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "PCI-%04llx-%02llx-%02llx-%llx",
                static_cast<unsigned long long>(place.domain),
                static_cast<unsigned long long>(place.location >> 8U),
                static_cast<unsigned long long>(place.location >> 3U & 0x1fU),
                static_cast<unsigned long long>(place.location & 7U));
  return text.data();
}

}  // namespace

bool parse_kfd_node(std::string_view properties, KfdGpu& gpu) {
  bool computes = false;  // processors are nodes too
  for (const auto& line : split(properties, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string_view name = std::string_view(line).substr(0, space);
    const auto value = whole_number(std::string_view(line).substr(space));
    if (!value) continue;
    if (name == "simd_count") computes = *value > 0;
    if (name == "unique_id") gpu.unique_id = *value;
    if (name == "domain") gpu.domain = *value;
    if (name == "location_id") gpu.location = *value;
  }
  return computes;
}

std::vector<KfdGpu> kfd_gpus(const std::string& root) {
  std::vector<KfdGpu> all;
  for (std::uint64_t node = 0; node < kMostNodes; ++node) {
    const std::string directory = concat(root, "/topology/nodes/", node);
    if (!path_exists(directory)) break;
    // One that this container may not use cannot be read, and programs do not count it either.
    const auto properties = read_file(directory + "/properties", kMaxFile);
    KfdGpu gpu;
    if (properties && parse_kfd_node(*properties, gpu)) all.push_back(gpu);
  }
  return all;
}

std::string kfd_directory() {
  const std::string elsewhere = environment("YONDER_KFD");
  return elsewhere.starts_with('/') ? elsewhere : "/sys/class/kfd/kfd";
}

std::string kfd_name(std::uint64_t unique_id) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "GPU-%016llx",
                static_cast<unsigned long long>(unique_id));
  return text.data();
}

void name_by_kfd(resources::Gpu& gpu, std::string_view bdf, const std::vector<KfdGpu>& all) {
  const auto place = parse_bdf(bdf);
  const auto is_here = [&](const KfdGpu& one) {
    return place && one.domain == place->domain && one.location == place->location;
  };
  const auto found = std::find_if(all.begin(), all.end(), is_here);
  if (found == all.end()) {
    gpu.never =
        "the kernel's compute driver (KFD) does not list it, so no program can be told to use it";
    return;
  }
  if (std::count_if(all.begin(), all.end(), is_here) > 1) {
    gpu.never = "it is split into partitions";
    return;
  }
  const auto alike = std::count_if(
      all.begin(), all.end(), [&](const KfdGpu& one) { return one.unique_id == found->unique_id; });
  if (found->unique_id != 0 && alike == 1) {
    gpu.uuid = kfd_name(found->unique_id);
  } else {
    // Its number may be another after the next boot, so a lease is on where it sits.
    gpu.uuid = pci_name(*place);
    gpu.device = std::to_string(found - all.begin());
  }
}

}  // namespace yonder::outpost
