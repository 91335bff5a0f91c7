#include <time.h>

#include <array>

#include "base/clean_text.h"
#include "base/quote.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/file_commands.h"
#include "cli/one_line.h"
#include "cli/run_words.h"
#include "ops/files_json.h"

namespace yonder::cli {
namespace {

std::string path_text(const files::Entry& entry, const std::string& as_given) {
  std::string text = safe_name(ops::path_below(as_given, entry.path));
  if (entry.type == files::Type::Directory) text += '/';
  if (entry.link_target) text += concat(" -> ", safe_name(*entry.link_target));
  return text;
}

// Lines of files keep their tabs.
std::string line_text(const std::string& line) {
  std::vector<std::string> parts = split(line, '\t');
  for (std::string& part : parts) part = printable(part);
  return join(parts, "\t");
}

}  // namespace

std::string safe_name(std::string_view name) {
  return printable(shown_name(name));
}

std::string restore_line(const std::string& sandbox, const std::string& batch) {
  return ShellText("yonder restore --sandbox").arg(sandbox).arg(batch).str();
}

std::string mode_letters(files::Type type, std::uint32_t mode) {
  constexpr std::array<char, 7> kTypes{'-', 'd', 'l', 'p', 's', 'b', 'c'};
  std::string text(1, kTypes.at(static_cast<std::size_t>(type)));
  constexpr std::string_view kLetters = "rwxrwxrwx";
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    text += (mode >> (8U - i) & 1U) != 0 ? kLetters[i] : '-';
  }
  const auto special = [&](std::uint32_t bit, std::size_t at, char with, char without) {
    if ((mode & bit) != 0) text[at] = text[at] == 'x' ? with : without;
  };
  special(04000U, 3, 's', 'S');
  special(02000U, 6, 's', 'S');
  special(01000U, 9, 't', 'T');
  return text;
}

std::string utc_time(std::int64_t seconds) {
  const time_t time = seconds;
  tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return std::to_string(seconds);
  std::array<char, 64> text{};
  const std::size_t size = ::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

std::vector<Row> ls_rows(const files::ListReply& reply, const std::string& as_given) {
  std::vector<Row> rows;
  for (const auto& entry : reply.entries) {
    const bool sized = entry.type == files::Type::File;
    rows.push_back({mode_letters(entry.type, entry.mode), sized ? human_bytes(entry.size) : "-",
                    utc_time(entry.mtime_ns / 1'000'000'000), path_text(entry, as_given)});
  }
  return rows;
}

std::vector<Row> ls_fields(const files::ListReply& reply, const std::string& as_given) {
  std::vector<Row> rows;
  for (const auto& entry : reply.entries) {
    rows.push_back({std::string(files::name_of(entry.type)), ops::mode_text(entry.mode),
                    std::to_string(entry.size), utc_time(entry.mtime_ns / 1'000'000'000),
                    safe_name(ops::path_below(as_given, entry.path)),
                    or_dash(entry.link_target ? safe_name(*entry.link_target) : "")});
  }
  return rows;
}

std::string grep_text(const files::SearchReply& reply, const std::string& as_given) {
  std::string text;
  bool first = true;
  for (const auto& match : reply.matches) {
    const std::string path = safe_name(ops::path_below(as_given, match.path));
    const bool surrounded = !match.before.empty() || !match.after.empty();
    if (surrounded && !first) text += "--\n";
    first = false;
    std::uint64_t line = match.line - match.before.size();
    for (const auto& before : match.before) {
      text += concat(path, "-", line++, "-", line_text(before), "\n");
    }
    text += concat(path, ":", match.line, ":", line_text(match.text), "\n");
    line = match.line;
    for (const auto& after : match.after) {
      text += concat(path, "-", ++line, "-", line_text(after), "\n");
    }
  }
  return text;
}

std::vector<Row> trash_rows(const files::TrashReply& reply) {
  std::vector<Row> rows;
  for (const auto& batch : reply.batches) {
    std::string first = batch.paths.empty() ? "-" : safe_name(batch.paths.front());
    if (batch.entries > 1 || !batch.counted) first += ", ...";
    rows.push_back({batch.id, one_line(batch.why), concat(batch.entries, batch.counted ? "" : "+"),
                    human_bytes(batch.bytes), safe_name(batch.root), std::move(first)});
  }
  return rows;
}

std::vector<Row> trash_sizes(const files::TrashReply& reply) {
  std::vector<Row> rows;
  for (const auto& batch : reply.batches) {
    const std::size_t slash = batch.directory.find_last_of('/');
    rows.push_back({batch.id, age(batch.created_ms, reply.now_ms), one_line(batch.why),
                    concat(batch.entries, batch.counted ? "" : "+"), human_bytes(batch.bytes),
                    safe_name(batch.root), safe_name(batch.directory.substr(0, slash))});
  }
  return rows;
}

std::string trash_total(const files::TrashReply& reply) {
  std::uint64_t bytes = 0;
  for (const auto& batch : reply.batches) bytes += batch.bytes;
  const std::size_t count = reply.batches.size();
  return concat(count, count == 1 ? " batch, " : " batches, ", human_bytes(bytes));
}

void keep_older(files::TrashReply& reply, Duration at_least) {
  const auto least = std::chrono::duration_cast<std::chrono::milliseconds>(at_least).count();
  std::erase_if(reply.batches, [&](const files::TrashBatch& batch) {
    return reply.now_ms - batch.created_ms < least;
  });
}

}  // namespace yonder::cli
