#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yonder {

// Length of the well-formed UTF-8 sequence at the front, or 0. Overlong forms, surrogates and
// values above U+10FFFF are not well-formed. `bytes` is not empty.
std::size_t utf8_length(std::string_view bytes);

bool is_utf8(std::string_view bytes);

// How many bytes at the end begin a character that is not whole: 0 to 3.
std::size_t unfinished_utf8(std::string_view bytes);

// Every byte that is not part of a character becomes U+FFFD; all else stays as it is.
struct RepairedText {
  std::string text;
  std::size_t replaced = 0;
};
RepairedText repair_utf8(std::string_view bytes);

// A name of any bytes as text that can be turned back. What is UTF-8 stays as it is. Otherwise each
// byte that is not part of a character becomes \xNN, and each backslash two.
std::string shown_name(std::string_view bytes);

}  // namespace yonder
