#include "wire/file_messages.h"

#include "wire/archive.h"
#include "wire/file_fields.h"

namespace yonder::wire {

std::string encode(const files::ListReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::ReadReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::EditReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::SearchReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::MoveReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::DeleteReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::MakeDirectoryReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::TrashReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::RestoreReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::EmptyTrashReply& reply) {
  return to_cbor(reply);
}
std::string encode(const files::Written& reply) {
  return to_cbor(reply);
}

Result<files::ListReply> decode_file_list(std::string_view cbor) {
  return from_cbor<files::ListReply>(cbor);
}
Result<files::ReadReply> decode_file_read(std::string_view cbor) {
  return from_cbor<files::ReadReply>(cbor);
}
Result<files::EditReply> decode_file_edit(std::string_view cbor) {
  return from_cbor<files::EditReply>(cbor);
}
Result<files::SearchReply> decode_file_search(std::string_view cbor) {
  return from_cbor<files::SearchReply>(cbor);
}
Result<files::MoveReply> decode_file_move(std::string_view cbor) {
  return from_cbor<files::MoveReply>(cbor);
}
Result<files::DeleteReply> decode_file_delete(std::string_view cbor) {
  return from_cbor<files::DeleteReply>(cbor);
}
Result<files::MakeDirectoryReply> decode_file_make_directory(std::string_view cbor) {
  return from_cbor<files::MakeDirectoryReply>(cbor);
}
Result<files::TrashReply> decode_file_trash(std::string_view cbor) {
  return from_cbor<files::TrashReply>(cbor);
}
Result<files::RestoreReply> decode_file_restore(std::string_view cbor) {
  return from_cbor<files::RestoreReply>(cbor);
}
Result<files::EmptyTrashReply> decode_file_empty_trash(std::string_view cbor) {
  return from_cbor<files::EmptyTrashReply>(cbor);
}
Result<files::Written> decode_file_written(std::string_view cbor) {
  return from_cbor<files::Written>(cbor);
}

}  // namespace yonder::wire
