#include "sandbox/ssh_ways.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "config/ssh_aliases.h"
#include "sandbox/ssh_settings.h"

namespace yonder::sandbox {
namespace {

// What decides the words that ssh is given.
std::string words_of(const SandboxSpec& spec) {
  return join({spec.name, spec.host, spec.user, std::to_string(spec.port), spec.key_file}, "\n");
}

}  // namespace

config::Watched SshWays::watch() const {
  config::Watched watched;
  config::watch_ssh_config(home_, watched);
  return watched;
}

void SshWays::note(const SandboxSpec& spec, config::Watched watched, const std::string& settings) {
  if (settings.empty()) return;
  known_.with([&](auto& known) {
    known[words_of(spec)] = {.watched = std::move(watched), .target = target_in(settings)};
  });
}

std::string SshWays::target(const SandboxSpec& spec) {
  const auto look = [&] {
    return known_.with([&](const auto& known) -> std::optional<Known> {
      const auto found = known.find(words_of(spec));
      if (found == known.end()) return std::nullopt;
      return found->second;
    });
  };
  const auto before = look();
  if (!before) return "";
  if (!config::has_changed(before->watched)) return before->target;
  config::Watched watched = watch();
  note(spec, std::move(watched), ask_(spec));
  const auto now = look();
  return now ? now->target : before->target;
}

}  // namespace yonder::sandbox
