#pragma once

#include <vector>

#include "ops/operation.h"

namespace yonder::ops {

// list_remote_files and read_remote_file, of the tool set core.
std::vector<Operation> looking_file_operations();
// The tool set `files`: write_remote_file, edit_remote_file, search_remote_files, move_remote_file,
// delete_remote_file, make_remote_directory, list_remote_trash, restore_remote_files.
std::vector<Operation> changing_file_operations();

}  // namespace yonder::ops
