#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "e2e/mcp_client.h"
#include "lab/lab.h"
#include "lab/ssh_client.h"
#include "lab/sshd.h"

namespace yonder::bench {

// A benchmark that cannot measure what it says ends at once.
template <class T>
T need(Result<T> result, const char* what) {
  if (!result) {
    std::fprintf(stderr, "bench: %s: %s\n", what, result.error().message.c_str());
    std::exit(1);
  }
  return *std::move(result);
}

inline void need(const Result<void>& result, const char* what) {
  if (result) return;
  std::fprintf(stderr, "bench: %s: %s\n", what, result.error().message.c_str());
  std::exit(1);
}

inline Json need(const e2e::Reply& reply, const char* what) {
  if (reply.arrived && !reply.is_error) return reply.content;
  std::fprintf(stderr, "bench: %s: %s\n", what, dump_json(reply.content).c_str());
  std::exit(1);
}

// The lab, and a key that its servers accept.
struct Bench {
  lab::Lab& lab = lab::Lab::get();
  lab::SshKey key;
  std::string runtime;

  static Bench create() {
    Bench bench;
    bench.runtime = need(bench.lab.new_directory("runtime"), "directory");
    bench.key = need(lab::SshKey::generate(bench.runtime + "/key"), "key");
    return bench;
  }

  std::vector<std::string> environment(const std::vector<std::string>& more = {}) const {
    auto all = lab.environment();
    all.push_back("XDG_RUNTIME_DIR=" + runtime);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  lab::SshHost host(const std::string& alias, std::uint16_t port, const std::string& host_key,
                    const std::vector<std::string>& extra = {}) const {
    return {.alias = alias,
            .port = port,
            .user = "alice",
            .identity_file = key.path,
            .host_key = host_key,
            .extra = extra};
  }

  lab::Sshd start_sshd() const {
    auto sshd = need(lab::Sshd::start(lab), "sshd");
    need(sshd.authorize(key.public_key), "authorize");
    return sshd;
  }

  // What REMOTE_SANDBOX_LIST says of machines m0, m1, ... at these ports.
  std::string sandbox_list(const std::vector<std::uint16_t>& ports) const {
    Json list = Json::array();
    for (std::size_t i = 0; i < ports.size(); ++i) {
      list.push_back({{"name", concat("m", i)},
                      {"host", "127.0.0.1"},
                      {"port", ports[i]},
                      {"user", "alice"},
                      {"key_file", key.path}});
    }
    return "REMOTE_SANDBOX_LIST=" + dump_json(list);
  }
};

inline int main_of(const std::function<void(const Bench& bench)>& measure) {
  lab::Lab::enter();
  if (!lab::Lab::available()) {
    std::fprintf(stderr, "bench: %s\n", lab::Lab::reason().c_str());
    return 1;
  }
  measure(Bench::create());
  return 0;
}

}  // namespace yonder::bench
