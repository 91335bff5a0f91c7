#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "e2e/fixture.h"

namespace yonder::e2e {

// A directory here with a few files, a server "box" behind a proxy, and a place over there that
// does not exist yet.
class SyncEndToEnd : public EndToEnd {
 protected:
  void SetUp() override;

  const std::string& here() const { return here_; }
  const std::string& far() const { return far_; }
  const lab::Account& user() const { return *user_; }
  lab::FaultProxy& proxy() { return *proxy_; }

  void write_here(const std::string& file, const std::string& content) const;
  // As the user over there would.
  void write_there(const std::string& file, const std::string& content) const;
  std::string read_there(const std::string& file) const { return file_text(far_ + "/" + file); }
  bool is_there(const std::string& file) const;
  void write_many(int files, const std::string& prefix = "f") const;

  // The tools, on `box`, `here()` and `far()` unless `more` says otherwise.
  Json push(const Json& more = Json::object());
  Json pull(const Json& more = Json::object());
  Json push_error(const Json& more = Json::object());
  Json arguments(const Json& more) const;
  // Waits until the transfer is over.
  Json finished(std::int64_t task_id);
  Json check(std::int64_t task_id);
  Json cancel(std::int64_t task_id, double force_after = 5);

  // Bytes that no compression helps with.
  static std::string noise(std::size_t bytes);

 private:
  std::optional<lab::Sshd> sshd_;
  std::optional<lab::Account> user_;
  std::unique_ptr<lab::FaultProxy> proxy_;
  std::string here_;
  std::string far_;
};

}  // namespace yonder::e2e
