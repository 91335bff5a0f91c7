#include "store/writer_turn.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace yonder::store {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(2);
// For a crowd on a slow disk.
constexpr auto kLongest = std::chrono::seconds(5);

}  // namespace

WriterTurn::Look WriterTurn::look_at(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size};
}

bool WriterTurn::wait(int times) {
  const Instant now = std::chrono::steady_clock::now();
  const Look file = look_at(path_);
  const Look log = look_at(log_);
  if (times == 0) began_ = now;
  if (times == 0 || file != file_look_ || log != log_look_) moved_ = now;
  file_look_ = file;
  log_look_ = log;
  const Duration longest = std::max<Duration>(patience_, kLongest);
  if (now - moved_ >= patience_ || now - began_ >= longest) return false;
  std::this_thread::sleep_for(kBetweenLooks);
  return true;
}

}  // namespace yonder::store
