#include "ops/file_arguments.h"

#include <algorithm>

#include "base/base64.h"
#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::ops {
namespace {

constexpr double kMaxOffset = 9e15;
constexpr double kMaxRead = 4.0 * 1024 * 1024;
constexpr std::size_t kMaxContent = 6UL * 1024 * 1024;
constexpr double kMaxEntries = 100000;
constexpr double kMaxLines = 1e12;
constexpr double kMaxSearchSeconds = 300;

std::optional<std::uint64_t> count(Arguments& in, const char* name, double least, double most) {
  const double value = in.whole(name, -1, least, most);
  if (value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// Names of any bytes come as base64: JSON has no other way to carry them.
std::string path_of(Arguments& in, const std::string& otherwise = "") {
  std::string path = in.text("remote_path", otherwise);
  const auto encoded = in.optional_text("remote_path_base64");
  if (encoded) {
    const auto bytes = from_base64(*encoded);
    if (!bytes || bytes->empty()) in.fail("remote_path_base64", "is not the base64 of a path");
    return bytes.value_or("");
  }
  if (path.empty()) in.fail("remote_path", "must not be empty");
  return path;
}

std::optional<std::uint32_t> mode_of(Arguments& in) {
  const auto text = in.optional_text("mode");
  if (!text) return std::nullopt;
  const auto mode = parse_mode(*text);
  if (!mode) in.fail("mode", mode.error().message);
  return mode ? std::optional(*mode) : std::nullopt;
}

std::string content_of(Arguments& in) {
  const auto text = in.optional_text("content");
  const auto encoded = in.optional_text("content_base64");
  if (text.has_value() == encoded.has_value()) {
    in.fail("content", "give either content or content_base64");
    return "";
  }
  std::string bytes = text.value_or("");
  if (encoded) {
    const auto decoded = from_base64(*encoded);
    if (!decoded) in.fail("content_base64", "is not base64");
    bytes = decoded.value_or("");
  }
  if (bytes.size() > kMaxContent) {
    in.fail("content", concat("is larger than ", human_bytes(kMaxContent)),
            "sync a local file instead, or append the rest piece by piece");
  }
  return bytes;
}

files::Edit edit_of(Arguments& in) {
  files::Edit edit{.old_text = in.text("old_text", ""),
                   .new_text = in.text("new_text", ""),
                   .replace_all = in.flag("replace_all", false)};
  return edit;
}

}  // namespace

Result<std::uint32_t> parse_mode(const std::string& text) {
  const bool octal =
      !text.empty() && text.size() <= 5 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c < '8'; });
  if (!octal) {
    return Error{Errc::InvalidArgument,
                 concat("'", printable(text), "' is no mode in octal, such as 0644"), ""};
  }
  std::uint32_t mode = 0;
  for (const char c : text) mode = mode << 3U | static_cast<std::uint32_t>(c - '0');
  if (mode > 07777U) return Error{Errc::InvalidArgument, "the mode has too many bits", ""};
  return mode;
}

Result<FileCall<files::ListRequest>> parse_list_files(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::ListRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.path = path_of(in, ".");
  call.request.recursive = in.flag("recursive", false);
  call.request.max_entries =
      static_cast<std::uint64_t>(in.whole("max_entries", 200, 0, kMaxEntries));
  call.request.max_depth = count(in, "max_depth", 1, kMaxEntries);
  if (call.request.max_depth) call.request.recursive = true;
  TRY(in.finish());
  return call;
}

Result<ReadCall> parse_read_file(const Json& arguments) {
  Arguments in(arguments);
  ReadCall call{.sandbox = in.text("sandbox_name", "")};
  files::ReadRequest& request = call.request;
  request.path = path_of(in);
  request.max_bytes = static_cast<std::uint64_t>(in.whole("max_bytes", 200000, 0, kMaxRead));
  const auto offset = count(in, "offset", 0, kMaxOffset);
  const auto limit = count(in, "limit", 0, kMaxOffset);
  request.first_line = count(in, "line_offset", 1, kMaxLines);
  request.lines = count(in, "line_limit", 1, kMaxLines);
  request.tail = count(in, "tail", 0, kMaxLines);
  const std::string encoding = in.text("encoding", "text");
  if (encoding != "text" && encoding != "base64") in.fail("encoding", "must be text or base64");
  const bool by_line = request.first_line || request.lines;
  if ((offset || limit ? 1 : 0) + (by_line ? 1 : 0) + (request.tail ? 1 : 0) > 1) {
    in.fail("offset",
            "bytes (offset, limit), lines (line_offset, line_limit) and tail exclude "
            "each other");
  }
  TRY(in.finish());
  request.offset = offset.value_or(0);
  if (limit) request.max_bytes = std::min(request.max_bytes, *limit);
  if (by_line && !request.first_line) request.first_line = 1;
  call.base64 = encoding == "base64";
  return call;
}

Result<FileCall<files::WriteRequest>> parse_write_file(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::WriteRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.path = path_of(in);
  call.request.content = content_of(in);
  call.request.mode = mode_of(in);
  call.request.create_parents = in.flag("create_parents", false);
  call.request.append = in.flag("append", false);
  call.request.expected_hash = in.optional_text("expected_hash");
  TRY(in.finish());
  return call;
}

Result<FileCall<files::EditRequest>> parse_edit_file(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::EditRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.path = path_of(in);
  call.request.expected_hash = in.optional_text("expected_hash");
  files::Edit single = edit_of(in);
  const std::vector<Json> several = in.objects("edits");
  if (!single.old_text.empty() == !several.empty()) {
    in.fail("old_text", "give either old_text and new_text, or edits");
  }
  TRY(in.finish());
  if (several.empty()) call.request.edits.push_back(std::move(single));
  for (const Json& item : several) {
    Arguments one(item);
    call.request.edits.push_back(edit_of(one));
    if (auto fine = one.finish(); !fine) {
      return std::move(fine).error().context(concat("edits[", call.request.edits.size() - 1, "]"));
    }
  }
  return call;
}

Result<FileCall<files::SearchRequest>> parse_search_files(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::SearchRequest> call{.sandbox = in.text("sandbox_name", "")};
  files::SearchRequest& request = call.request;
  request.path = path_of(in, ".");
  request.pattern = in.text("pattern", "");
  if (request.pattern.empty()) in.fail("pattern", "must not be empty");
  request.include = in.list("include");
  request.exclude = in.list("excludes");
  request.use_gitignore = in.flag("use_gitignore", true);
  request.case_sensitive = in.flag("case_sensitive", true);
  request.literal = in.flag("literal", false);
  request.context = static_cast<std::uint64_t>(in.whole("context", 0, 0, 50));
  request.max_matches = static_cast<std::uint64_t>(in.whole("max_matches", 200, 1, 10000));
  request.max_line_bytes = static_cast<std::uint64_t>(in.whole("max_line_bytes", 500, 1, 100000));
  request.time_ms =
      static_cast<std::int64_t>(in.number("timeout_s", 20, 0, kMaxSearchSeconds) * 1000);
  TRY(in.finish());
  return call;
}

Result<FileCall<files::MoveRequest>> parse_move_file(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::MoveRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.from = path_of(in);
  call.request.to = in.text("new_path", "");
  if (call.request.to.empty()) in.fail("new_path", "must not be empty");
  call.request.overwrite = in.flag("overwrite", false);
  call.request.create_parents = in.flag("create_parents", false);
  TRY(in.finish());
  return call;
}

Result<FileCall<files::DeleteRequest>> parse_delete_file(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::DeleteRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.path = path_of(in);
  call.request.recursive = in.flag("recursive", false);
  TRY(in.finish());
  return call;
}

Result<FileCall<files::MakeDirectoryRequest>> parse_make_directory(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::MakeDirectoryRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.path = path_of(in);
  call.request.parents = in.flag("create_parents", true);
  call.request.mode = mode_of(in);
  TRY(in.finish());
  return call;
}

Result<FileCall<files::TrashRequest>> parse_list_trash(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::TrashRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.batch = in.text("batch", "");
  const double most = call.request.batch.empty() ? 5 : 500;
  call.request.max_paths = static_cast<std::uint64_t>(in.whole("max_paths", most, 0, 10000));
  TRY(in.finish());
  return call;
}

Result<FileCall<files::RestoreRequest>> parse_restore(const Json& arguments) {
  Arguments in(arguments);
  FileCall<files::RestoreRequest> call{.sandbox = in.text("sandbox_name", "")};
  call.request.batch = in.text("batch", "");
  if (call.request.batch.empty()) {
    in.fail("batch", "must not be empty", "list_remote_trash shows what there is");
  }
  call.request.paths = in.list("paths");
  TRY(in.finish());
  return call;
}

}  // namespace yonder::ops
