#include "cli/hosts_table.h"

#include <array>
#include <cstdio>

#include "base/text.h"
#include "cli/one_line.h"

namespace yonder::cli {
namespace {

std::string milliseconds(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string backend(const SandboxSpec& spec) {
  return spec.backend == Backend::Local ? "local" : "ssh";
}

std::string port(const SandboxSpec& spec) {
  return spec.port == 0 ? "" : std::to_string(spec.port);
}

// The file without its directories, which are nearly always the same.
std::string short_origin(const SandboxSpec& spec) {
  return spec.origin.substr(spec.origin.find_last_of('/') + 1);
}

std::string error_text(const ops::SandboxStatus& status) {
  return status.connection_error ? one_line(status.connection_error->message) : "";
}

std::string answer(const ops::SandboxStatus& status) {
  if (!status.connection_alive) return status.connection_error ? error_text(status) : "not asked";
  if (!*status.connection_alive) return concat("failed: ", error_text(status));
  return status.round_trip_ms ? concat("ok, ", milliseconds(*status.round_trip_ms), " ms") : "ok";
}

std::string state_word(const ops::SandboxStatus& status) {
  if (!status.connection_alive) return status.connection_error ? "no answer" : "";
  return *status.connection_alive ? "ok" : "failed";
}

}  // namespace

HostsTable hosts_table(const ops::SandboxList& list, bool checked) {
  // A screen is narrow: who asks whether they answer wants the answer, not where the name is from.
  HostsTable table{
      .header = {" ", "NAME", "BACKEND", "HOST", "USER", "PORT", checked ? "ANSWER" : "FROM"}};
  for (const auto& status : list.sandboxes) {
    const SandboxSpec& spec = status.spec;
    table.rows.push_back({status.is_active ? "*" : " ", one_line(spec.name), backend(spec),
                          or_dash(one_line(spec.host)), or_dash(one_line(spec.user)),
                          or_dash(port(spec)),
                          checked ? answer(status) : or_dash(one_line(short_origin(spec)))});
  }
  return table;
}

std::vector<Row> hosts_fields(const ops::SandboxList& list, bool checked) {
  std::vector<Row> rows;
  for (const auto& status : list.sandboxes) {
    const SandboxSpec& spec = status.spec;
    Row row{one_line(spec.name),  backend(spec), one_line(spec.host),
            one_line(spec.user),  port(spec),    status.is_active ? "*" : "",
            one_line(spec.origin)};
    if (checked) {
      row.push_back(state_word(status));
      row.push_back(status.round_trip_ms ? milliseconds(*status.round_trip_ms) : "");
      row.push_back(error_text(status));
    }
    for (auto& field : row) field = or_dash(std::move(field));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> hosts_notes(const ops::SandboxList& list, bool for_people) {
  std::vector<std::string> notes;
  for (const auto& status : list.sandboxes) {
    const auto& error = status.connection_error;
    const bool failed = error && status.connection_alive == false;
    const bool person = error && (error->code == Errc::AuthNeeded || error->code == Errc::HostKey);
    if (failed && for_people) {
      notes.push_back(concat(one_line(status.spec.name), ": ", one_line(error->message),
                             error->hint.empty() ? "" : "; ", one_line(error->hint)));
    } else if (person && !error->hint.empty()) {
      notes.push_back(concat(one_line(status.spec.name), ": ", one_line(error->hint)));
    }
  }
  return notes;
}

}  // namespace yonder::cli
