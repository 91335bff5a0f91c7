#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sync/base_record.h"
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
  std::string set_aside;                   // what is there now gets this name first
};

enum class Left : std::uint8_t { Excluded, Unreadable, Special, Conflict, InTheWay };
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
  std::uint64_t update_attributes = 0;
  std::uint64_t remove_files = 0;
  std::uint64_t remove_directories = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t unchanged_directories = 0;  // of these
  std::uint64_t excluded = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t special = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t in_the_way = 0;
  std::uint64_t extras = 0;  // in the target only, and left alone
  std::uint64_t bytes = 0;   // of the files that are to be sent
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
  // Files differ, and no earlier sync says who has changed them.
  bool without_record = false;
  bool empty() const { return actions.empty() && directories.empty(); }
};

struct Hashes {
  std::optional<tree::Hash> source;
  std::optional<tree::Hash> target;
};

struct PlanInput {
  const tree::Listing& source;
  const tree::Listing& target;
  const BaseRecord* base = nullptr;      // null: there was no sync between these two
  const tree::RuleSet* rules = nullptr;  // with every ignore file that counts
  std::map<std::string, Hashes> hashes;  // answers to the questions
  std::int64_t now_ns = 0;               // by the clock of the source
};

Plan make_plan(const PlanInput& input, const PlanOptions& options);

// Why these removals must not be done; nothing when they may.
struct DeleteGuard {
  std::string target_path;
  std::string target_holds;  // a directory that must not be emptied, and is the target or in it
  bool source_exists = true;
  std::size_t source_entries = 0;
  std::size_t target_entries = 0;
};
Result<void> check_removals(const Plan& plan, const PlanOptions& options, const DeleteGuard& guard);

}  // namespace yonder::sync
