#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/file_work.h"
#include "base/result.h"
#include "tree/file_place.h"

namespace yonder::tree {

// What a file was when its directory was locked.
struct OldFile {
  std::optional<struct stat> info;
  Fd file;           // when there is one
  std::string hash;  // when somebody expects one
};

// Conflict when it is not what the caller has seen; InvalidArgument when it is no regular file.
// `expected`: nothing means that anything will do, "" that nothing may be there.
Result<OldFile> open_old(const FilePlace& place, const std::optional<std::string>& expected);

// Puts the content in the file's place, with its mode, access control list, extended attributes
// and, where we may, its owner. Where one of them cannot be kept, no user gains access by that.
Result<files::Written> replace_file(const FilePlace& place, const OldFile& old,
                                    std::string_view content, std::optional<std::uint32_t> mode,
                                    PlaceTrash& trash);

}  // namespace yonder::tree
