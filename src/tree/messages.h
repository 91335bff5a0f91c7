#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tree/apply.h"
#include "tree/entry.h"
#include "tree/scan.h"
#include "tree/stream.h"

namespace yonder::tree {

// What the two ends of a sync say to each other, in blocks (see stream.h), over one stream of a
// link. The near side asks and tells, the far side does it on its tree, in order. Both are of one
// build.
enum class Kind : std::uint8_t {
  // near to far
  Open = 1,       // first of all
  Scan,           // answered by Entries and Skips, then Done
  HashFiles,      // Paths; answered by Entries with hashes (what cannot be read is missing), Done
  AskAttributes,  // Paths; answered by Entries of those that have extended attributes, Done
  Sign,           // a path; answered by Bytes and Done
  MakeDirectory,
  MakeLink,
  MakeTwin,
  Remove,
  FinishDirectory,
  SetAttributes,
  AskPart,     // FileHead; answered by PartState
  FinishPart,  // once or several times, with more segments each time
  AskRuns,     // Wanted; answered by Runs or a failure
  Get,         // answered by File or a failure
  GetSegment,  // answered by Segment, a Note or a failure
  OldFile,   // its size; Bytes with its signature, Done: what the next GetDeltas are to differ from
  GetDelta,  // of a segment; answered by DeltaSegment or a failure
  Flush,     // answered by Done when all before it is done
  // both ways: contents
  File = 64,     // then Bytes and Holes, then EndFile
  Segment,       // then Bytes and Holes, then EndFile
  DeltaSegment,  // then Bytes of a delta, then EndFile
  Bytes,
  Hole,
  EndFile,
  // far to near
  Root = 128,  // answers Open
  Entries,
  Skips,
  Temporaries,
  IgnoreFiles,  // those that were asked for: directory, contents, again and again
  Mounts,       // directories that are file systems of their own
  PartState,    // once or several times
  Runs,
  Failed,  // one order could not be carried out; the others go on
  Batch,   // the trash batch, as soon as there is one
  Note,    // one was carried out in another way than was to be expected
  Done,
};

enum class Role : std::uint8_t { Source, Target };

struct OpenTree {
  std::string path;  // as the user gave it; ~ is home, relative ones are relative to `base`
  std::string base;  // empty: home
  std::string file;  // the name of the single file that is to be put there; empty: a tree
  Role role = Role::Source;
  bool keep_replaced = true;
  bool flush_to_disk = false;
  std::uint32_t mode = 0777;  // of the root, where it is made
  // Directories that must not be emptied, besides the home directory.
  std::vector<std::string> precious;
  PartClaim claim;  // the same over all links of an attempt
  bool near_link = false;
};

struct RootState {
  std::string path;  // absolute, links resolved as far as it exists
  bool exists = false;
  bool is_directory = false;
  std::string file;  // it is, or is to become, this file of the directory `path`
  std::string home;
  std::string holds;  // which of the precious ones it is, or holds; empty: none
  // Of the directory `path`, when it exists.
  std::uint32_t mode = 0;
  std::int64_t mtime_ns = 0;
  bool keeps_attributes = true;  // extended ones, of users
  // Which "/" these paths begin at: the same on one machine, others in its containers.
  std::string system;
};

struct ScanTree {
  std::string rules;  // packed
  bool use_gitignore = false;
  bool tell_gitignore = false;  // of the target too, and also where they are not honoured
  bool hash = false;
  bool twins = false;
  bool attributes = false;  // see ScanOptions
  bool changed = false;
};

struct Directory {
  std::uint64_t number = 0;  // of the order: failures name it
  std::string path;
  Seen expected;
};
struct SymbolicLink {
  std::uint64_t number = 0;
  FileHead head;
  std::string target;
};
struct Twin {
  std::uint64_t number = 0;
  FileHead head;
  std::string existing;
  bool ordered = false;     // the other one is there by an order, too:
  std::uint64_t after = 0;  // if this one failed, there is nothing to be a twin of
};
struct Removal {
  std::uint64_t number = 0;
  std::string path;
  Seen expected;
};
struct DirectoryEnd {
  std::uint64_t number = 0;
  std::string path;
  std::uint32_t mode = 0;
  std::int64_t mtime_ns = 0;
  UserAttributes attributes;
  bool keeps_mode = false;  // see DirectoryMode
  ExpectedMode expected_mode;
};
struct Attributes {
  std::uint64_t number = 0;
  std::string path;
  std::uint32_t mode = 0;
  std::int64_t mtime_ns = 0;
  Seen expected;
  ExpectedMode expected_mode;
  UserAttributes attributes;
};
struct FileStart {
  std::uint64_t number = 0;
  FileHead head;
  std::uint64_t segment = 0;
};
struct FileEnd {
  std::uint64_t number = 0;
  Hash hash;
  std::string problem;   // it could not be read to its end: forget it
  bool changed = false;  // for it is not what it was: nobody will ever have the rest
};
struct PartEnd {
  std::uint64_t number = 0;
  FileHead head;
  std::vector<std::pair<std::uint64_t, Hash>> segments;  // the rest is holes
  bool last = true;
  bool discard = false;  // nobody will go on with it: it is only to be removed
};
struct Wanted {  // contents of a file of the tree
  std::uint64_t number = 0;
  std::string path;
  Seen expected;
  std::uint64_t segment = 0;
  bool has_segment = false;  // the asker has one of this hash; if it is the same, a Note will do
  Hash hash;
};
struct PartHave {
  std::uint64_t number = 0;
  std::vector<std::pair<std::uint64_t, Hash>> segments;
  bool last = true;
};
// So many segments fit into one message.
inline constexpr std::size_t kSegmentsAtOnce = 20000;
struct DataRuns {
  std::uint64_t number = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;  // first segment, how many
};
struct Failure {
  std::uint64_t number = 0;
  std::string code;
  std::string message;
};
struct AllDone {
  std::uint64_t token = 0;
  std::string problem_code;  // of the order that it answers as a whole
  std::string problem;
  std::string trash_batch;
  std::uint64_t trashed = 0;
  bool lost_modes = false;  // see Applier
  std::uint64_t lost_attributes = 0;
};

// Each is a list of fields; see messages.cc.
template <class Message>
std::string pack_message(const Message& message);
// Protocol when the bytes are no such message.
template <class Message>
Result<Message> unpack_message(std::string_view body);

std::string pack_texts(const std::vector<std::string>& texts);
Result<std::vector<std::string>> unpack_texts(std::string_view body);
std::string pack_skips(const std::vector<Skip>& skips);
Result<std::vector<Skip>> unpack_skips(std::string_view body);

template <class Message>
Result<void> send(BlockWriter& out, Kind kind, const Message& message) {
  return out.put(static_cast<std::uint8_t>(kind), pack_message(message));
}
inline Result<void> send_raw(BlockWriter& out, Kind kind, std::string_view body,
                             Squeeze squeeze = Squeeze::Yes) {
  return out.put(static_cast<std::uint8_t>(kind), body, squeeze);
}

Error unexpected(std::uint8_t kind);

}  // namespace yonder::tree
