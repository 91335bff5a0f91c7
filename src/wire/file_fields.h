#pragma once

#include "base/file_work.h"

// The fields of what is asked of files, for the messages' reader and writer.

namespace yonder::files {

constexpr Type last_of(Type) {
  return Type::Char;
}

}  // namespace yonder::files

namespace yonder::wire {

template <class A>
void fields(A& a, files::Trouble& m) {
  a("path", m.path);
  a("reason", m.reason);
}

template <class A>
void fields(A& a, files::ListRequest& m) {
  a("path", m.path);
  a("recursive", m.recursive);
  a("max_entries", m.max_entries);
  a("max_depth", m.max_depth);
}

template <class A>
void fields(A& a, files::Entry& m) {
  a("path", m.path);
  a("type", m.type);
  a("size", m.size);
  a("mtime_ns", m.mtime_ns);
  a("mode", m.mode);
  a("link_target", m.link_target);
}

template <class A>
void fields(A& a, files::ListReply& m) {
  a("path", m.path);
  a("entries", m.entries);
  a("truncated", m.truncated);
  a("total", m.total);
  a("errors", m.errors);
}

template <class A>
void fields(A& a, files::ReadRequest& m) {
  a("path", m.path);
  a("offset", m.offset);
  a("max_bytes", m.max_bytes);
  a("first_line", m.first_line);
  a("lines", m.lines);
  a("tail", m.tail);
  a("want_hash", m.want_hash);
}

template <class A>
void fields(A& a, files::ReadReply& m) {
  a("path", m.path);
  a("content", m.content);
  a("offset", m.offset);
  a("size", m.size);
  a("truncated", m.truncated);
  a("binary", m.binary);
  a("hash", m.hash);
  a("mtime_ns", m.mtime_ns);
  a("mode", m.mode);
}

template <class A>
void fields(A& a, files::WriteRequest& m) {
  a("path", m.path);
  a("content", m.content);
  a("mode", m.mode);
  a("create_parents", m.create_parents);
  a("append", m.append);
  a("expected_hash", m.expected_hash);
}

template <class A>
void fields(A& a, files::Written& m) {
  a("path", m.path);
  a("linked", m.linked);
  a("created", m.created);
  a("size", m.size);
  a("hash", m.hash);
  a("mtime_ns", m.mtime_ns);
  a("mode", m.mode);
  a("batch", m.batch);
  a("warnings", m.warnings);
}

template <class A>
void fields(A& a, files::Edit& m) {
  a("old_text", m.old_text);
  a("new_text", m.new_text);
  a("replace_all", m.replace_all);
}

template <class A>
void fields(A& a, files::EditRequest& m) {
  a("path", m.path);
  a("edits", m.edits);
  a("expected_hash", m.expected_hash);
}

template <class A>
void fields(A& a, files::EditReply& m) {
  a("file", m.file);
  a("replacements", m.replacements);
  a("diff", m.diff);
  a("diff_truncated", m.diff_truncated);
}

template <class A>
void fields(A& a, files::SearchRequest& m) {
  a("path", m.path);
  a("pattern", m.pattern);
  a("include", m.include);
  a("exclude", m.exclude);
  a("use_gitignore", m.use_gitignore);
  a("case_sensitive", m.case_sensitive);
  a("literal", m.literal);
  a("context", m.context);
  a("max_matches", m.max_matches);
  a("max_line_bytes", m.max_line_bytes);
  a("time_ms", m.time_ms);
}

template <class A>
void fields(A& a, files::Match& m) {
  a("path", m.path);
  a("line", m.line);
  a("column", m.column);
  a("text", m.text);
  a("shortened", m.shortened);
  a("before", m.before);
  a("after", m.after);
}

template <class A>
void fields(A& a, files::SearchReply& m) {
  a("path", m.path);
  a("matches", m.matches);
  a("files_searched", m.files_searched);
  a("files_matched", m.files_matched);
  a("binaries_skipped", m.binaries_skipped);
  a("binary_matches", m.binary_matches);
  a("ignored", m.ignored);
  a("truncated", m.truncated);
  a("truncated_by", m.truncated_by);
  a("errors", m.errors);
}

template <class A>
void fields(A& a, files::MoveRequest& m) {
  a("from", m.from);
  a("to", m.to);
  a("overwrite", m.overwrite);
  a("create_parents", m.create_parents);
}

template <class A>
void fields(A& a, files::MoveReply& m) {
  a("from", m.from);
  a("to", m.to);
  a("replaced", m.replaced);
  a("batch", m.batch);
}

template <class A>
void fields(A& a, files::DeleteRequest& m) {
  a("path", m.path);
  a("recursive", m.recursive);
}

template <class A>
void fields(A& a, files::DeleteReply& m) {
  a("path", m.path);
  a("type", m.type);
  a("batch", m.batch);
}

template <class A>
void fields(A& a, files::MakeDirectoryRequest& m) {
  a("path", m.path);
  a("parents", m.parents);
  a("mode", m.mode);
}

template <class A>
void fields(A& a, files::MakeDirectoryReply& m) {
  a("path", m.path);
  a("made", m.made);
}

template <class A>
void fields(A& a, files::TrashRequest& m) {
  a("batch", m.batch);
  a("max_paths", m.max_paths);
}

template <class A>
void fields(A& a, files::TrashBatch& m) {
  a("id", m.id);
  a("root", m.root);
  a("why", m.why);
  a("created_ms", m.created_ms);
  a("entries", m.entries);
  a("bytes", m.bytes);
  a("counted", m.counted);
  a("directory", m.directory);
  a("paths", m.paths);
}

template <class A>
void fields(A& a, files::TrashReply& m) {
  a("batches", m.batches);
  a("now_ms", m.now_ms);
}

template <class A>
void fields(A& a, files::EmptyTrashRequest& m) {
  a("batches", m.batches);
}

template <class A>
void fields(A& a, files::EmptyTrashReply& m) {
  a("batches", m.batches);
  a("bytes", m.bytes);
  a("kept", m.kept);
}

template <class A>
void fields(A& a, files::RestoreRequest& m) {
  a("batch", m.batch);
  a("paths", m.paths);
}

template <class A>
void fields(A& a, files::RestoreReply& m) {
  a("root", m.root);
  a("restored", m.restored);
  a("replaced", m.replaced);
  a("batch", m.batch);
  a("failed", m.failed);
}

}  // namespace yonder::wire
