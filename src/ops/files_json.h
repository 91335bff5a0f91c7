#pragma once

#include <string>

#include "base/file_work.h"
#include "base/json.h"

namespace yonder::ops {

// Pure. What is said of files, for agents and for --json. Names of any bytes are shown as
// docs/formats.md says.

// `as_given`: the path that the caller asked for; entries are named below it, so that their paths
// can be given back.
Json to_json(const files::ListReply& reply, const std::string& as_given);
Json to_json(const files::Entry& entry, const std::string& as_given);

struct ReadShape {
  bool base64 = false;
};
Json to_json(const files::ReadReply& reply, const ReadShape& shape);
Json to_json(const files::Written& written);
Json to_json(const files::EditReply& reply);
Json to_json(const files::SearchReply& reply, const std::string& as_given);
Json to_json(const files::MoveReply& reply);
Json to_json(const files::DeleteReply& reply);
Json to_json(const files::MakeDirectoryReply& reply);
Json to_json(const files::TrashReply& reply);
Json to_json(const files::RestoreReply& reply);
Json to_json(const files::EmptyTrashReply& reply);
// What `yonder trash` shows: where each batch lies, too, and all of them together.
Json trash_json(const files::TrashReply& reply);

// "src" and "a/b" → "src/a/b"; "." adds nothing.
std::string path_below(const std::string& as_given, const std::string& relative);
// 0644 → "0644".
std::string mode_text(std::uint32_t mode);

}  // namespace yonder::ops
