#include "sandbox/fast_ciphers.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "sandbox/ssh_settings.h"

namespace yonder::sandbox {
namespace {

constexpr std::size_t kMaxCpuInfo = 4UL << 20;

bool is_aes_gcm(std::string_view cipher) {
  return cipher.starts_with("aes") && cipher.find("-gcm@") != std::string_view::npos;
}

bool has_aes_instructions() {
#if defined(__APPLE__)
  return true;
#else
  const auto info = read_file("/proc/cpuinfo", kMaxCpuInfo);
  return info && info->find(" aes") != std::string::npos;
#endif
}

}  // namespace

std::string faster_order(std::string_view ciphers) {
  auto list = split(ciphers, ',');
  if (list.empty() || is_aes_gcm(list.front())) return "";
  const auto others = std::stable_partition(list.begin(), list.end(), is_aes_gcm);
  return others == list.begin() ? "" : join(list, ",");
}

std::string fast_ciphers(std::string_view settings) {
  return has_aes_instructions() ? faster_order(setting_in(settings, "ciphers")) : "";
}

}  // namespace yonder::sandbox
