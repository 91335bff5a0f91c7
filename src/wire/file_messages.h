#pragma once

#include <string>
#include <string_view>

#include "base/file_work.h"
#include "base/result.h"

namespace yonder::wire {

// The answers to requests about files.

std::string encode(const files::ListReply& reply);
std::string encode(const files::ReadReply& reply);
std::string encode(const files::EditReply& reply);
std::string encode(const files::SearchReply& reply);
std::string encode(const files::MoveReply& reply);
std::string encode(const files::DeleteReply& reply);
std::string encode(const files::MakeDirectoryReply& reply);
std::string encode(const files::TrashReply& reply);
std::string encode(const files::RestoreReply& reply);
std::string encode(const files::EmptyTrashReply& reply);
std::string encode(const files::Written& reply);

Result<files::ListReply> decode_file_list(std::string_view cbor);
Result<files::ReadReply> decode_file_read(std::string_view cbor);
Result<files::EditReply> decode_file_edit(std::string_view cbor);
Result<files::SearchReply> decode_file_search(std::string_view cbor);
Result<files::MoveReply> decode_file_move(std::string_view cbor);
Result<files::DeleteReply> decode_file_delete(std::string_view cbor);
Result<files::MakeDirectoryReply> decode_file_make_directory(std::string_view cbor);
Result<files::TrashReply> decode_file_trash(std::string_view cbor);
Result<files::RestoreReply> decode_file_restore(std::string_view cbor);
Result<files::EmptyTrashReply> decode_file_empty_trash(std::string_view cbor);
Result<files::Written> decode_file_written(std::string_view cbor);

}  // namespace yonder::wire
