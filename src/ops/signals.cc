#include <array>
#include <cctype>
#include <cstdlib>

#include "base/clean_text.h"
#include "base/text.h"
#include "model/run.h"
#include "ops/task_operations.h"

namespace yonder::ops {

Result<int> parse_signal(const std::string& text) {
  constexpr int kLast = 31;
  std::string wanted = text;
  for (char& c : wanted) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (!wanted.starts_with("SIG")) wanted.insert(0, "SIG");
  for (int number = 1; number <= kLast; ++number) {
    if (signal_name(number) == wanted || "SIG" + std::to_string(number) == wanted) return number;
  }
  return Error{Errc::InvalidArgument, concat("signal: there is no signal '", printable(text), "'"),
               "for example TERM, INT, KILL or 15"};
}

}  // namespace yonder::ops
