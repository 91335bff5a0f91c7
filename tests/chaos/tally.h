#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"

namespace yonder::chaos {

// What must not happen.
enum class Wrong {
  Lie,          // a state that was not so
  Double,       // executed not once
  ExitCode,     // another end than the one it had
  LogBytes,     // other bytes than it printed
  LeftProcess,  // something still lives that should not
  Answer,       // a call that failed, came late or never, for no reason that the test has given
};
std::string_view name_of(Wrong wrong);
inline constexpr int kWrongs = 6;

// Counts of everything. Thread: any.
class Tally {
 public:
  void fault(const std::string& kind);
  void answer(const std::string& kind);  // such as "check: running"
  void wrong(Wrong wrong, const std::string& what);

  int faults() const;
  int wrongs() const;
  std::string summary() const;

 private:
  struct Counts {
    std::map<std::string, int> faults;
    std::map<std::string, int> answers;
    std::map<Wrong, int> wrongs;
    std::vector<std::string> notes;
  };
  Guarded<Counts> counts_;
};

}  // namespace yonder::chaos
