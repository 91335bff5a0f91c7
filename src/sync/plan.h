#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sync/base_record.h"
#include "tree/apply.h"
#include "tree/rules.h"
#include "tree/scan.h"

namespace yonder::sync {

// A sync is first a plan: what would be done to the target so that it is as the source, and why
// not in each case. Everything here is pure.

enum class OnConflict : std::uint8_t { Stop, KeepTarget, TakeSource, Both };

struct PlanOptions {
  bool delete_extras = false;
  std::optional<std::uint64_t> confirm_delete;
  bool twins = false;
  OnConflict on_conflict = OnConflict::Stop;
  std::string conflict_ending;  // of what is set aside with OnConflict::Both
};

enum class Act : std::uint8_t {
  MakeDirectory,
  PutFile,
  PutLink,
  PutTwin,        // a hard link to `twin_of`
  SetAttributes,  // contents are the same, mode or time are not
  Remove,
};

struct Action {
  Act act = Act::PutFile;
  std::string path;
  tree::Type type = tree::Type::File;
  std::uint32_t mode = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t size = 0;
  std::string link_target;
  std::string twin_of;
  std::optional<std::size_t> twin_action;  // of this plan, that brings `twin_of`
  tree::Seen target;                       // what is there now
  tree::ExpectedMode target_mode;          // of that: it must still have it
  std::string set_aside;                   // what is there now gets this name first
  bool overrules = false;                  // somebody has changed what is there now
  tree::UserAttributes attributes;         // the target is to have these
  bool loses_attributes = false;           // the source has others, which the target will not have
  bool keeps_mode = false;                 // `mode` is the target's own, and not the source's
  bool changes_mode = false;               // of a directory that was there: it gets another one
  std::int64_t changed_ns = 0;             // see tree::Entry; of the source
};

// Kept: it would be a conflict, but it was said that the target's stays.
enum class Left : std::uint8_t { Excluded, Unreadable, Special, Conflict, Kept, InTheWay };
struct LeftOut {
  std::string path;
  Left why = Left::Excluded;
  std::string detail;
  bool is_directory = false;
};

struct Counts {
  std::uint64_t create_files = 0;  // and links
  std::uint64_t create_directories = 0;
  std::uint64_t update_files = 0;
  std::uint64_t update_attributes = 0;  // and modes of directories
  std::uint64_t remove_files = 0;
  std::uint64_t remove_directories = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t unchanged_directories = 0;  // of these
  std::uint64_t excluded = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t special = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t kept = 0;
  std::uint64_t in_the_way = 0;
  std::uint64_t extras = 0;   // in the target only, and left alone
  std::uint64_t ignored = 0;  // of these: a .gitignore names them
  std::uint64_t bytes = 0;    // of the files that are to be sent
  std::uint64_t files() const { return create_files + update_files; }
  std::uint64_t removals() const { return remove_files + remove_directories; }
};

struct Plan {
  // In an order in which they can be carried out: directories before what is in them, removals
  // after everything else.
  std::vector<Action> actions;
  // Directories whose mode or time is not as it should be, or will not be when the rest is done;
  // the deepest first.
  std::vector<Action> directories;
  std::vector<LeftOut> left;
  Counts counts;
  // Times cannot tell whether these are the same; ask for their hashes at both ends, plan again.
  std::vector<std::string> questions;
  // The same, of the target only: whether what has another time is what the last sync has left.
  std::vector<std::string> target_questions;
  // Whose extended attributes matter, and were not read.
  std::vector<std::string> attribute_questions;
  std::vector<std::string> target_attribute_questions;
  bool asks() const {
    return !questions.empty() || !target_questions.empty() || !attribute_questions.empty() ||
           !target_attribute_questions.empty();
  }
  // Of what is the same at both ends, where it was read.
  std::map<std::string, tree::Hash, std::less<>> contents;
  // Directories of the source that were file systems of their own at the last sync, and are not
  // now: what is missing there is not gone. "" is the root. Nothing below them is removed.
  std::vector<std::string> unmounted;
  // Files differ, and no earlier sync says who has changed them.
  bool without_record = false;
  // The target's root: it is to be made; it was made by a sync, which then keeps it as the
  // source's.
  bool makes_root = false;
  bool owns_root = false;
  // With removals that need it: the number that confirm_delete must have.
  std::optional<std::uint64_t> needs_confirm;
  bool empty() const { return actions.empty() && directories.empty(); }
};

struct Hashes {
  std::optional<tree::Hash> source;
  std::optional<tree::Hash> target;
};

// Of the directory that is the root of a tree.
struct RootLook {
  std::uint32_t mode = 0;
  std::int64_t mtime_ns = 0;
};

struct PlanInput {
  const tree::Listing& source;
  const tree::Listing& target;
  const BaseRecord* base = nullptr;      // null: there was no sync between these two
  const tree::RuleSet* rules = nullptr;  // with every ignore file that counts
  // What one of these names is not removed.
  const std::vector<tree::RuleSet>* ignored = nullptr;
  std::map<std::string, Hashes> hashes;  // answers to the questions
  std::int64_t now_ns = 0;               // by the clock of the source
  std::optional<RootLook> source_root;   // nothing: a single file
  std::optional<RootLook> target_root;   // nothing: it is missing
  bool made_root = false;                // an attempt before this one has made it
  // Directories that a sync which was cut off may have made: they are to be as the source's.
  std::set<std::string, std::less<>> begun;
  bool keeps_attributes = true;  // the target can have extended ones
};

Plan make_plan(const PlanInput& input, const PlanOptions& options);

// Of a file that was changed at both ends the target's is kept under such a name, with a time
// behind it, until a person removes it.
inline constexpr std::string_view kConflictMark = ".conflict-";
bool is_conflict_copy(std::string_view path);

// Nothing is removed after all.
void leave_extras(Plan& plan);

// So begins the hint of whatever is refused before anything was done.
inline constexpr std::string_view kNothingChanged = "nothing was changed; ";

// Why these removals must not be done; nothing when they may.
struct DeleteGuard {
  std::string target_path;
  std::string target_holds;  // a directory that must not be emptied, and is the target or in it
  bool single_file = false;  // beside which nothing is ever removed
  bool source_exists = true;
  std::size_t source_entries = 0;
  std::size_t source_left_out = 0;
  std::size_t target_entries = 0;
  bool has_record = false;     // of an earlier sync: it knows what was there
  bool keeps_removed = false;  // in the trash
};
// Whether these removals must be confirmed by their number: when they are many; without a record,
// which would say where the entries come from; and without a trash, as they are for good.
bool needs_confirming(const Plan& plan, const DeleteGuard& guard);
Result<void> check_removals(const Plan& plan, const PlanOptions& options, const DeleteGuard& guard);

}  // namespace yonder::sync
