#include "base/base64.h"

#include <cstdint>

namespace yonder {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) -> std::uint32_t {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
    };
    const std::uint32_t triple = at(0) << 16U | at(1) << 8U | at(2);
    out += kAlphabet[triple >> 18U & 63U];
    out += kAlphabet[triple >> 12U & 63U];
    out += i + 1 < bytes.size() ? kAlphabet[triple >> 6U & 63U] : '=';
    out += i + 2 < bytes.size() ? kAlphabet[triple & 63U] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int have = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c == '=') {
      if (++padding > 2) return std::nullopt;
      continue;
    }
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> static_cast<unsigned>(have) & 255U);
  }
  if (have >= 6) return std::nullopt;  // one letter alone is not even a byte
  return out;
}

}  // namespace yonder
