#include <array>

#include "fuzz/target.h"
#include "mcp/bounded_json.h"
#include "ops/background.h"
#include "ops/exec.h"
#include "ops/file_arguments.h"
#include "ops/git_sync.h"
#include "ops/sync.h"
#include "ops/task_operations.h"

// The arguments of a tool, as an agent writes them. The first byte says of which.
namespace yonder::fuzz {
namespace {

template <auto kParse>
void arguments_of(const Json& arguments) {
  const auto request = kParse(arguments);
  if (request) return;
  require(request.error().code == Errc::InvalidArgument, "the caller must change the request");
  require(!request.error().message.empty(), "and is told what is wrong");
}

Result<ops::SyncCall> parse_push(const Json& arguments) {
  return ops::parse_sync_call(arguments, sync::Direction::Push);
}
Result<ops::SyncCall> parse_pull(const Json& arguments) {
  return ops::parse_sync_call(arguments, sync::Direction::Pull);
}

constexpr std::array kArgumentReaders{arguments_of<ops::parse_exec_request>,
                                      arguments_of<ops::parse_background_request>,
                                      arguments_of<ops::parse_check_request>,
                                      arguments_of<ops::parse_stop_request>,
                                      arguments_of<ops::parse_list_files>,
                                      arguments_of<ops::parse_read_file>,
                                      arguments_of<ops::parse_write_file>,
                                      arguments_of<ops::parse_edit_file>,
                                      arguments_of<ops::parse_search_files>,
                                      arguments_of<ops::parse_move_file>,
                                      arguments_of<ops::parse_delete_file>,
                                      arguments_of<ops::parse_make_directory>,
                                      arguments_of<ops::parse_list_trash>,
                                      arguments_of<ops::parse_restore>,
                                      arguments_of<ops::parse_git_sync_request>,
                                      arguments_of<parse_push>,
                                      arguments_of<parse_pull>};

void tool_arguments(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t which = pieces.byte() % kArgumentReaders.size();
  const auto arguments = mcp::parse_bounded_json(pieces.rest());
  if (arguments) kArgumentReaders.at(which)(*arguments);
}

const Registered kToolArguments("tool_arguments", tool_arguments);

}  // namespace
}  // namespace yonder::fuzz
