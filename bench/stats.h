#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace yonder::bench {

using Samples = std::vector<double>;  // milliseconds

inline double percentile(Samples samples, double fraction) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const auto last = static_cast<double>(samples.size() - 1);
  return samples[static_cast<std::size_t>(last * fraction + 0.5)];
}

inline double median(const Samples& samples) {
  return percentile(samples, 0.5);
}

inline double time_ms(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
      .count();
}

}  // namespace yonder::bench
