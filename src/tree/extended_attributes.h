#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tree/beneath.h"
#include "tree/entry.h"

namespace yonder::tree {

// What a file system keeps of a file besides its contents, mode and times: user.*, and what others
// (access control lists, security modules) have written down. Where it keeps nothing of the kind,
// everything here finds nothing.

inline constexpr std::string_view kAccessList = "system.posix_acl_access";

// Of the entry `name` itself, links not followed.
std::vector<std::string> attribute_names(int directory, const std::string& name);
std::optional<std::string> attribute_value(int directory, const std::string& name,
                                           const std::string& attribute);

// What a sync keeps of them, and whether there is anything else.
struct FoundAttributes {
  UserAttributes user;
  bool has_more = false;
};
FoundAttributes find_attributes(int directory, const std::string& name);
Result<FoundAttributes> find_attributes(Directories& directories, const std::string& path);
// Whether files at this path, or where it will be, can have any of user.*
bool keeps_user_attributes(std::string path);

// Pure: the permissions that a file can have without its access control list so that no user may do
// more than before. `mode` is what the file has with the list: its bits for the group are the mask.
mode_t mode_without_list(mode_t mode, std::string_view list);
// Pure: the same when the file gets another group.
mode_t mode_for_another_group(mode_t mode);

// What an access control list is written as; for tests as well.
struct AccessEntry {
  enum class Who : std::uint16_t {
    Owner = 1,
    User = 2,
    Group = 4,
    OtherGroup = 8,
    Mask = 16,
    Others = 32
  };
  Who who = Who::Owner;
  std::uint16_t permissions = 0;
  std::uint32_t id = 0xFFFFFFFFU;
};
// Nothing when the bytes are no such list.
std::optional<std::vector<AccessEntry>> parse_access_list(std::string_view bytes);
std::string access_list(const std::vector<AccessEntry>& entries);

}  // namespace yonder::tree
