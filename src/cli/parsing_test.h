#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "cli/parse.h"

namespace yonder::cli {

using Words = std::vector<std::string>;

template <class T>
T parsed(const Words& words) {
  auto line = parse_command_line(words);
  if (!line) {
    ADD_FAILURE() << line.error().message;
    return {};
  }
  if (!std::holds_alternative<T>(line->command)) {
    ADD_FAILURE() << "another command";
    return {};
  }
  return std::get<T>(line->command);
}

// Message and hint of a line that is refused.
inline std::string refusal(const Words& words) {
  const auto line = parse_command_line(words);
  if (line) return "(accepted)";
  EXPECT_EQ(line.error().code, Errc::InvalidArgument);
  return line.error().message + " | " + line.error().hint;
}

}  // namespace yonder::cli
