#include "cli/outcome.h"

#include <algorithm>
#include <atomic>

#include "base/thread.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kAtOnce = 16;

}  // namespace

void at_once(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take_some = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<Thread> helpers;
  for (std::size_t i = 1; i < std::min(count, kAtOnce); ++i) {
    helpers.emplace_back("ask", take_some);
  }
  take_some();
  for (auto& helper : helpers) helper.join();
}

}  // namespace yonder::cli
