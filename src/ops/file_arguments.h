#pragma once

#include "base/file_work.h"
#include "ops/arguments.h"

namespace yonder::ops {

// Pure. What a tool's arguments ask of files. `sandbox` is for the caller to resolve.
template <class Request>
struct FileCall {
  std::string sandbox;
  Request request;
};

struct ReadCall {
  std::string sandbox;
  files::ReadRequest request;
  bool base64 = false;
};

Result<FileCall<files::ListRequest>> parse_list_files(const Json& arguments);
Result<ReadCall> parse_read_file(const Json& arguments);
Result<FileCall<files::WriteRequest>> parse_write_file(const Json& arguments);
Result<FileCall<files::EditRequest>> parse_edit_file(const Json& arguments);
Result<FileCall<files::SearchRequest>> parse_search_files(const Json& arguments);
Result<FileCall<files::MoveRequest>> parse_move_file(const Json& arguments);
Result<FileCall<files::DeleteRequest>> parse_delete_file(const Json& arguments);
Result<FileCall<files::MakeDirectoryRequest>> parse_make_directory(const Json& arguments);
Result<FileCall<files::TrashRequest>> parse_list_trash(const Json& arguments);
Result<FileCall<files::RestoreRequest>> parse_restore(const Json& arguments);

// "0644", "644" or "1755".
Result<std::uint32_t> parse_mode(const std::string& text);

}  // namespace yonder::ops
