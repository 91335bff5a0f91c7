#pragma once

#include <string>

#include "base/file_work.h"
#include "base/result.h"
#include "tree/trash.h"

namespace yonder::tree {

// Gives an entry another name, or puts it into the directory `to` if that is one. What stands there
// is a Conflict, or goes to the trash.
Result<files::MoveReply> move_file(const files::MoveRequest& request, const std::string& home,
                                   const TrashPlace& trash);

// To the trash. A link is deleted itself. Never the root, the home directory or what they are in.
Result<files::DeleteReply> delete_file(const files::DeleteRequest& request, const std::string& home,
                                       const TrashPlace& trash);

Result<files::MakeDirectoryReply> make_directory_at(const files::MakeDirectoryRequest& request,
                                                    const std::string& home);

Result<files::TrashReply> show_trash(const files::TrashRequest& request, const TrashPlace& trash);
Result<files::RestoreReply> restore_files(const files::RestoreRequest& request,
                                          const TrashPlace& trash);

// Removes batches for good.
Result<files::EmptyTrashReply> empty_trash(const files::EmptyTrashRequest& request,
                                           const TrashPlace& trash);

}  // namespace yonder::tree
