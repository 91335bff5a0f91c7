#include "base/thread.h"

#include <pthread.h>

#include <exception>

#include "base/log.h"

namespace yonder {
namespace {

void name_this_thread(const std::string& name) {
#ifdef __linux__
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());  // the kernel's limit
#else
  pthread_setname_np(name.c_str());
#endif
}

}  // namespace

Thread::Thread(std::string name, std::function<void()> body)
    : thread_([name = std::move(name), body = std::move(body)] {
        name_this_thread(name);
        try {
          body();
        } catch (const std::exception& e) {
          log_error("thread ended by an exception", {{"thread", name}, {"what", e.what()}});
        }
      }) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  join();
  thread_ = std::move(other.thread_);
  return *this;
}

void Thread::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace yonder
