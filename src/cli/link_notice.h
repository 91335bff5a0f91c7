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

// Pure. What to tell people about their connections: one line when one has been away for a while,
// and one when it is back.
class LinkNotice {
 public:
  std::vector<std::string> look(const std::vector<LinkSight>& sights, Instant now);

 private:
  struct Away {
    Instant since;
    bool told = false;
  };
  std::map<std::string, Away> away_;
};

// Tells it on stderr, when that is a terminal, as long as the object lives.
class LinkWatch {
 public:
  explicit LinkWatch(const ops::Engine& engine);
  ~LinkWatch();
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

 private:
  void watch();

  const ops::Engine& engine_;
  Monitor<bool> over_{false};
  Thread thread_;
};

}  // namespace yonder::cli
