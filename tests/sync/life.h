#pragma once

#include <sys/types.h>

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sync/sync.h"

namespace yonder::sync {

// What a person would see of one entry.
struct Sight {
  char type = 'f';  // or d, l
  mode_t mode = 0;
  std::string text;  // contents, or where a link leads
  bool same_contents(const Sight& other) const { return type == other.type && text == other.text; }
  auto operator<=>(const Sight&) const = default;
};
using Sights = std::map<std::string, Sight>;
Sights look_at(const std::string& root);

// One sync as it was seen from outside.
struct Witnessed {
  bool push = true;
  ConflictChoice choice = ConflictChoice::Stop;
  Sights source;
  Sights before;  // of the target
  Sights after;
  const SyncReport& report;
  std::set<std::pair<std::string, Sight>> trash;  // names and files of the batches that it names
};

// Remembers what both ends agreed on, and says what a sync should not have done. Pure.
class Witness {
 public:
  // Nothing: all is well.
  std::string judge(const Witnessed& sync);
  void learn(const Witnessed& sync);

  std::uint64_t replaced = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t modes = 0;

 private:
  struct Agreed {
    Sight sight;
    bool mode_too = false;
  };
  std::string judge_lost(const Witnessed& sync, const std::string& path, const Sight& was);
  std::string judge_mode(const Witnessed& sync, const std::string& path, const Sight& was);
  std::string judge_conflict(const Witnessed& sync, const std::string& path) const;
  std::string judge_arrived(const Witnessed& sync, const std::string& path) const;
  const Agreed* agreed(bool push, const std::string& path) const;
  void learn_of(bool push, const Witnessed& sync, const Sights& end);

  std::array<std::map<std::string, Agreed>, 2> agreed_;  // by the target: here, there
  std::set<std::pair<std::string, std::string>> ever_;   // paths and contents
};

}  // namespace yonder::sync
