#include "ops/link_sights.h"

#include "link/link_pool.h"

namespace yonder::ops {

std::vector<LinkSight> link_sights(const Engine& engine) {
  return engine.links.sights();
}

}  // namespace yonder::ops
