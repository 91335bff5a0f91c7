#pragma once

#include "base/file_work.h"

namespace yonder::wire {

// One of each message about files, with every field away from its default.

inline files::ListRequest sample_file_list() {
  return {.path = "p", .recursive = true, .max_entries = 7, .max_depth = 2};
}
inline files::ReadRequest sample_file_read() {
  return {.path = "p",
          .offset = 1,
          .max_bytes = 2,
          .first_line = 3,
          .lines = 4,
          .tail = 5,
          .want_hash = false};
}
inline files::WriteRequest sample_file_write() {
  return {.path = "p",
          .content = std::string("\0c", 2),
          .mode = 0644,
          .create_parents = true,
          .append = true,
          .expected_hash = ""};
}
inline files::EditRequest sample_file_edit() {
  return {.path = "p",
          .edits = {{.old_text = "o", .new_text = "n", .replace_all = true}},
          .expected_hash = "h"};
}
inline files::SearchRequest sample_file_search() {
  return {.path = "p",
          .pattern = "r",
          .include = {"i"},
          .exclude = {"e", "f"},
          .use_gitignore = false,
          .case_sensitive = false,
          .literal = true,
          .context = 1,
          .max_matches = 2,
          .max_line_bytes = 3,
          .time_ms = 4};
}
inline files::MoveRequest sample_file_move() {
  return {.from = "a", .to = "b", .overwrite = true, .create_parents = true};
}
inline files::DeleteRequest sample_file_delete() {
  return {.path = "p", .recursive = true};
}
inline files::MakeDirectoryRequest sample_make_directory() {
  return {.path = "p", .parents = false, .mode = 0750};
}
inline files::TrashRequest sample_trash() {
  return {.batch = "b", .max_paths = 9};
}
inline files::RestoreRequest sample_restore() {
  return {.batch = "b", .paths = {"p"}};
}

inline files::EmptyTrashRequest sample_empty_trash() {
  return {.batches = {"b"}};
}
inline files::EmptyTrashReply sample_emptied() {
  return {.batches = 1, .bytes = 2, .kept = {{.path = "p", .reason = "r"}}};
}

inline files::ListReply sample_file_listed() {
  return {.path = "/p",
          .entries = {{.path = "e",
                       .type = files::Type::Symlink,
                       .size = 5,
                       .mtime_ns = -6,
                       .mode = 0777,
                       .link_target = "t"}},
          .truncated = true,
          .total = 8,
          .errors = {{.path = "x", .reason = "r"}}};
}
inline files::ReadReply sample_file_part() {
  return {.path = "/p",
          .content = "c",
          .offset = 1,
          .size = 2,
          .truncated = true,
          .binary = true,
          .hash = "h",
          .mtime_ns = 3,
          .mode = 0600};
}
inline files::Written sample_written() {
  return {.path = "/p",
          .linked = "/l",
          .created = true,
          .size = 1,
          .hash = "h",
          .mtime_ns = 2,
          .mode = 0600,
          .batch = "b",
          .warnings = {"w"}};
}
inline files::EditReply sample_edited() {
  return {.file = sample_written(), .replacements = 2, .diff = "d", .diff_truncated = true};
}
inline files::SearchReply sample_found() {
  return {.path = "/p",
          .matches = {{.path = "m",
                       .line = 1,
                       .column = 2,
                       .text = "t",
                       .shortened = true,
                       .before = {"b"},
                       .after = {"a"}}},
          .files_searched = 3,
          .files_matched = 4,
          .binaries_skipped = 5,
          .binary_matches = {"b"},
          .ignored = 6,
          .truncated = true,
          .truncated_by = "time",
          .errors = {{.path = "x", .reason = "r"}}};
}
inline files::MoveReply sample_moved() {
  return {.from = "/a", .to = "/b", .replaced = true, .batch = "b"};
}
inline files::DeleteReply sample_deleted() {
  return {.path = "/p", .type = files::Type::Directory, .batch = "b"};
}
inline files::MakeDirectoryReply sample_made() {
  return {.path = "/p", .made = 2};
}
inline files::TrashReply sample_trash_listed() {
  return {.batches = {{.id = "b",
                       .root = "/r",
                       .why = "w",
                       .created_ms = 1,
                       .entries = 2,
                       .bytes = 3,
                       .counted = false,
                       .directory = "/d",
                       .paths = {"p"}}},
          .now_ms = 4};
}
inline files::RestoreReply sample_restored() {
  return {.root = "/r",
          .restored = 1,
          .replaced = 2,
          .batch = "b",
          .failed = {{.path = "p", .reason = "r"}}};
}

}  // namespace yonder::wire
