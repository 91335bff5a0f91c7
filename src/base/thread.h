#pragma once

#include <functional>
#include <string>
#include <thread>

namespace yonder {

// A named thread that is always joined. (std::jthread is not in every libc++ yet.)
class Thread {
 public:
  Thread() = default;
  // Exceptions that escape `body` are bugs: they are logged, not thrown into nowhere.
  Thread(std::string name, std::function<void()> body);
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other) noexcept;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() { join(); }

  void join();

 private:
  std::thread thread_;
};

}  // namespace yonder
