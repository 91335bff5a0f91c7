#include "sandbox/fast_ciphers.h"

#include <algorithm>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace yonder::sandbox {
namespace {

constexpr auto kLimit = std::chrono::seconds(5);
constexpr std::size_t kMaxSettings = 256UL * 1024;

bool is_aes_gcm(std::string_view cipher) {
  return cipher.starts_with("aes") && cipher.find("-gcm@") != std::string_view::npos;
}

bool has_aes_instructions() {
#if defined(__APPLE__)
  return true;
#else
  const auto info = read_file("/proc/cpuinfo", kMaxSettings * 16);
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

std::string ciphers_in(std::string_view settings) {
  constexpr std::string_view kKey = "ciphers ";
  for (const auto& line : split(settings, '\n')) {
    if (line.starts_with(kKey)) return std::string(trim(line.substr(kKey.size())));
  }
  return "";
}

std::string fast_ciphers(const SandboxSpec& spec, const std::vector<std::string>& environment) {
  if (spec.backend != Backend::Ssh || !has_aes_instructions()) return "";
  const auto asked =
      run_captured({.argv = {"ssh", "-G", "--", spec.host}, .environment = environment}, "",
                   kMaxSettings, Deadline::after(kLimit));
  if (!asked || !asked->status.success()) return "";
  return faster_order(ciphers_in(asked->out));
}

}  // namespace yonder::sandbox
