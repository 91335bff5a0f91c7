#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/help_text.h"
#include "cli/man_page.h"
#include "cli/parse.h"
#include "cli/render.h"

namespace yonder::cli {
namespace {

Result<void> write_page(const std::string& directory, const ManTopic& topic,
                        const std::string& version) {
  return write_file_atomically(concat(directory, "/", topic.name, ".1"), man_page(topic, version),
                               Durability::Process);
}

Result<void> write_pages(const std::string& directory, const std::string& version) {
  TRY(make_directories(directory));
  ManTopic program{.name = "yonder", .help = top_help()};
  for (const auto& command : command_shapes()) {
    if (command.name == "help") continue;  // it is what the pages are made of
    ManTopic topic{
        .name = concat("yonder-", command.name), .help = command.help, .see_also = {"yonder"}};
    TRY(write_page(directory, topic, version));
    program.see_also.push_back(std::move(topic.name));
  }
  program.see_also.emplace_back("ssh");
  return write_page(directory, program, version);
}

}  // namespace

int man_pages_command(const ManPagesOptions& options, const Doors& doors) {
  const auto written = write_pages(options.directory, doors.build.version);
  if (written) return kExitSuccess;
  say_error(written.error());
  return kExitFailure;
}

}  // namespace yonder::cli
