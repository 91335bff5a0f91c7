#include "base/base64.h"

#include <cstdint>

namespace yonder {

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

}  // namespace yonder
