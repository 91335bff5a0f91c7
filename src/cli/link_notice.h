#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/thread.h"
#include "model/link_sight.h"
#include "ops/engine.h"

namespace yonder::cli {

// Pure. What to tell people about their connections: one line when one takes a while to be made, or
// has been away for a while, and one when it is there.
class LinkNotice {
 public:
  std::vector<std::string> look(const std::vector<LinkSight>& sights, Instant now);

 private:
  struct Away {
    Instant since;
    bool first = false;  // it was never there
    bool told = false;
  };
  void forget_given_up(const std::vector<LinkSight>& sights);
  std::string look_at(const LinkSight& sight, Instant now);

  std::map<std::string, Away> away_;
};

// Tells it on stderr, when that is a terminal, as long as the object lives.
class LinkWatch {
 public:
  // `over_bar`: a bar may stand on the line, which is drawn again.
  explicit LinkWatch(const ops::Engine& engine, bool over_bar = false);
  ~LinkWatch();
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

 private:
  void watch();

  const ops::Engine& engine_;
  const bool over_bar_;
  Monitor<bool> over_{false};
  Thread thread_;
};

}  // namespace yonder::cli
