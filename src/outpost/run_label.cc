#include "outpost/run_label.h"

#include <poll.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kShownCommand = 300;
constexpr int kTries = 3;

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::string shortened(const std::string& text) {
  if (text.size() <= kShownCommand) return text;
  std::size_t end = kShownCommand;
  while (end > 0 && continues_a_character(text[end])) --end;
  return text.substr(0, end) + "...";
}

// At the end of a run its spec is written anew in place: who reads in that moment reads again.
Result<wire::StartRequest> read_whole_spec(const RunRecord& record) {
  auto spec = record.read_spec();
  for (int i = 1; i < kTries && !spec && spec.error().code != Errc::NotFound; ++i) {
    ::poll(nullptr, 0, 1);
    spec = record.read_spec();
  }
  return spec;
}

std::string shown_in_tmux(const RunRecord& record) {
  const auto name = read_file(record.path("tmux"), kSmallFile);
  return name ? std::string(trim(*name)) : "";
}

}  // namespace

wire::RunLabel label_of(const wire::StartRequest& spec) {
  return {.background = spec.background,
          .command = shortened(spec.argv.empty() ? spec.command : shell_line(spec.argv)),
          .description = spec.description,
          .key = spec.key,
          .cwd = spec.cwd,
          .session = spec.session,
          .log_file = spec.log_file,
          .log_from = spec.log_from,
          .created_ms = spec.created_ms};
}

std::optional<wire::RunLabel> read_label(const RunRecord& record) {
  const auto spec = read_whole_spec(record);
  if (!spec) return std::nullopt;
  wire::RunLabel label = label_of(*spec);
  if (!spec->background) return label;
  if (label.log_file.empty()) label.log_file = record.path("log");
  label.tmux_session = shown_in_tmux(record);
  return label;
}

}  // namespace yonder::outpost
