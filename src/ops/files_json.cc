#include "ops/files_json.h"

#include "base/base64.h"
#include "base/text.h"
#include "base/utf8.h"

namespace yonder::ops {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr double kMilliseconds = 1000;

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(shown_name(text));
}

// The bytes of a name that is not UTF-8, so that it can be given back.
Json bytes_of(const std::string& name) {
  return is_utf8(name) ? Json() : Json(to_base64(name));
}

Json strings(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(repair_utf8(text).text);
  return list;
}

Json troubles(const std::vector<files::Trouble>& all, const std::string& as_given) {
  Json list = Json::array();
  for (const auto& trouble : all) {
    list.push_back({{"path", shown_name(path_below(as_given, trouble.path))},
                    {"reason", repair_utf8(trouble.reason).text}});
  }
  return list;
}

}  // namespace

std::string path_below(const std::string& as_given, const std::string& relative) {
  if (relative.empty()) return as_given;
  if (as_given == "." || as_given == "./" || as_given.empty()) return relative;
  return concat(as_given, as_given.ends_with('/') ? "" : "/", relative);
}

std::string mode_text(std::uint32_t mode) {
  std::string text(4, '0');
  for (std::size_t i = 4; i-- > 0; mode >>= 3U) text[i] = static_cast<char>('0' + (mode & 7U));
  return text;
}

Json to_json(const files::Entry& entry, const std::string& as_given) {
  const std::string path = path_below(as_given, entry.path);
  return Json{{"path", shown_name(path)},
              {"is_dir", entry.type == files::Type::Directory},
              {"type", files::name_of(entry.type)},
              {"size", entry.size},
              {"mtime", static_cast<double>(entry.mtime_ns) / kNanoseconds},
              {"mode", mode_text(entry.mode)},
              {"link_target", entry.link_target ? Json(shown_name(*entry.link_target)) : Json()},
              {"name_base64", bytes_of(path)}};
}

Json to_json(const files::ListReply& reply, const std::string& as_given) {
  Json entries = Json::array();
  for (const auto& entry : reply.entries) entries.push_back(to_json(entry, as_given));
  return Json{{"path", shown_name(reply.path)},
              {"entries", std::move(entries)},
              {"truncated", reply.truncated},
              {"total", reply.total ? Json(*reply.total) : Json()},
              {"errors", troubles(reply.errors, as_given)}};
}

Json to_json(const files::ReadReply& reply, const ReadShape& shape) {
  std::string_view bytes = reply.content;
  const bool as_text = !shape.base64 && !reply.binary;
  // A character that was cut belongs to the next part.
  const std::uint64_t end = reply.offset + bytes.size();
  if (as_text && end < reply.size) bytes.remove_suffix(unfinished_utf8(bytes));
  const RepairedText text = as_text ? repair_utf8(bytes) : RepairedText{};
  Json hint;
  if (reply.binary && !shape.base64) {
    hint = "a binary file: ask with encoding base64 for its bytes";
  } else if (text.replaced > 0) {
    hint = "not all of it is UTF-8: what is not became U+FFFD; encoding base64 gives the bytes";
  }
  return Json{{"path", shown_name(reply.path)},
              {"size", reply.size},
              {"offset", reply.offset},
              {"next_offset", reply.offset + bytes.size()},
              {"bytes", bytes.size()},
              {"truncated", reply.truncated},
              {"content", text.text},
              {"content_base64", shape.base64 ? Json(to_base64(bytes)) : Json()},
              {"binary", reply.binary},
              {"invalid_bytes", text.replaced},
              {"hash", reply.hash.empty() ? Json() : Json(reply.hash)},
              {"mtime", static_cast<double>(reply.mtime_ns) / kNanoseconds},
              {"mode", mode_text(reply.mode)},
              {"hint", std::move(hint)}};
}

Json to_json(const files::Written& written) {
  return Json{{"path", shown_name(written.path)},
              {"through_link", or_null(written.linked)},
              {"created", written.created},
              {"size", written.size},
              {"hash", written.hash.empty() ? Json() : Json(written.hash)},
              {"mtime", static_cast<double>(written.mtime_ns) / kNanoseconds},
              {"mode", mode_text(written.mode)},
              {"trash_batch", or_null(written.batch)},
              {"warnings", strings(written.warnings)}};
}

Json to_json(const files::EditReply& reply) {
  Json json = to_json(reply.file);
  json["replacements"] = reply.replacements;
  json["diff"] = repair_utf8(reply.diff).text;
  json["diff_truncated"] = reply.diff_truncated;
  return json;
}

Json to_json(const files::SearchReply& reply, const std::string& as_given) {
  Json matches = Json::array();
  for (const auto& match : reply.matches) {
    const std::string path = path_below(as_given, match.path);
    matches.push_back({{"path", shown_name(path)},
                       {"line", match.line},
                       {"column", match.column},
                       {"text", repair_utf8(match.text).text},
                       {"shortened", match.shortened},
                       {"before", strings(match.before)},
                       {"after", strings(match.after)},
                       {"name_base64", bytes_of(path)}});
  }
  Json binaries = Json::array();
  for (const auto& path : reply.binary_matches) {
    binaries.push_back(shown_name(path_below(as_given, path)));
  }
  return Json{{"path", shown_name(reply.path)},
              {"matches", std::move(matches)},
              {"files_searched", reply.files_searched},
              {"files_matched", reply.files_matched},
              {"binaries_skipped", reply.binaries_skipped},
              {"binary_matches", binaries},
              {"ignored", reply.ignored},
              {"truncated", reply.truncated},
              {"truncated_by", or_null(reply.truncated_by)},
              {"errors", troubles(reply.errors, as_given)}};
}

Json to_json(const files::MoveReply& reply) {
  return Json{{"from", shown_name(reply.from)},
              {"to", shown_name(reply.to)},
              {"replaced", reply.replaced},
              {"trash_batch", or_null(reply.batch)}};
}

Json to_json(const files::DeleteReply& reply) {
  return Json{{"path", shown_name(reply.path)},
              {"type", files::name_of(reply.type)},
              {"trash_batch", or_null(reply.batch)}};
}

Json to_json(const files::MakeDirectoryReply& reply) {
  return Json{
      {"path", shown_name(reply.path)}, {"created", reply.made > 0}, {"directories", reply.made}};
}

Json to_json(const files::TrashReply& reply) {
  Json batches = Json::array();
  for (const auto& batch : reply.batches) {
    Json paths = Json::array();
    for (const std::string& path : batch.paths) paths.push_back(shown_name(path));
    batches.push_back({{"batch", batch.id},
                       {"root", shown_name(batch.root)},
                       {"why", repair_utf8(batch.why).text},
                       {"created_at", static_cast<double>(batch.created_ms) / kMilliseconds},
                       {"entries", batch.entries},
                       {"bytes", batch.bytes},
                       {"counted", batch.counted},
                       {"paths", std::move(paths)}});
  }
  return Json{{"batches", std::move(batches)}};
}

Json to_json(const files::RestoreReply& reply) {
  return Json{{"root", shown_name(reply.root)},
              {"restored", reply.restored},
              {"replaced", reply.replaced},
              {"trash_batch", or_null(reply.batch)},
              {"failed", troubles(reply.failed, "")}};
}

Json to_json(const files::EmptyTrashReply& reply) {
  return Json{{"removed_batches", reply.batches},
              {"removed_bytes", reply.bytes},
              {"kept", troubles(reply.kept, "")}};
}

Json trash_json(const files::TrashReply& reply) {
  Json json = to_json(reply);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < reply.batches.size(); ++i) {
    json["batches"][i]["directory"] = shown_name(reply.batches[i].directory);
    bytes += reply.batches[i].bytes;
  }
  json["bytes"] = bytes;
  return json;
}

}  // namespace yonder::ops
