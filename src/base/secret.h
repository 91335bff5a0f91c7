#pragma once

#include <algorithm>
#include <string>
#include <utility>

namespace yonder {

// A password, passphrase or token. It cannot be printed or compared by accident, and is wiped when
// it dies. reveal() is called only where the secret is handed to the process that asked for it.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  Secret(Secret&&) noexcept = default;
  Secret& operator=(Secret&&) noexcept = default;
  ~Secret() {
    volatile char* bytes = value_.data();
    for (std::size_t i = 0; i < value_.size(); ++i) bytes[i] = '\0';
  }

  bool empty() const { return value_.empty(); }
  const std::string& reveal() const { return value_; }

 private:
  std::string value_;
};

}  // namespace yonder
