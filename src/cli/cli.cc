#include "cli/cli.h"

#include <optional>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/link_notice.h"
#include "cli/parse.h"
#include "cli/render.h"

namespace yonder::cli {
namespace {

// One overload for each thing that can be asked for: the compiler finds the missing one.
struct Dispatch {
  const Doors& doors;

  int operator()(const HelpOptions& help) const { return print_then(help.text); }
  int operator()(const VersionOptions& version) const {
    return version.json ? print_json_then(version_json(doors.build))
                        : print_then(version_text(doors.build));
  }
  int operator()(const ExecOptions& options) const { return exec_command(options, doors); }
  int operator()(const RunOptions& options) const { return run_command(options, doors); }
  int operator()(const PsOptions& options) const { return ps_command(options, doors); }
  int operator()(const LogsOptions& options) const { return logs_command(options, doors); }
  int operator()(const WaitOptions& options) const { return wait_command(options, doors); }
  int operator()(const StopOptions& options) const { return stop_command(options, doors); }
  int operator()(const AttachOptions& options) const { return attach_command(options, doors); }
  int operator()(const RmOptions& options) const { return rm_command(options, doors); }
  int operator()(const LsOptions& options) const { return ls_command(options, doors); }
  int operator()(const CatOptions& options) const { return cat_command(options, doors); }
  int operator()(const WriteOptions& options) const { return write_command(options, doors); }
  int operator()(const EditOptions& options) const { return edit_command(options, doors); }
  int operator()(const GrepOptions& options) const { return grep_command(options, doors); }
  int operator()(const RestoreOptions& options) const { return restore_command(options, doors); }
  int operator()(const TrashOptions& options) const { return trash_command(options, doors); }
  int operator()(const GitSyncOptions& options) const { return git_sync_command(options, doors); }
  int operator()(const SyncOptions& options) const { return sync_command(options, doors); }
  int operator()(const TransfersOptions& options) const {
    return transfers_command(options, doors);
  }
  int operator()(const TransferWorkerOptions& options) const {
    return transfer_worker_command(options, doors);
  }
  int operator()(const HostsOptions& options) const { return hosts_command(options, doors); }
  int operator()(const UseOptions& options) const { return use_command(options, doors); }
  int operator()(const AddOptions& options) const { return add_command(options, doors); }
  int operator()(const RemoveOptions& options) const { return remove_command(options, doors); }
  int operator()(const GpusOptions& options) const { return gpus_command(options, doors); }
  int operator()(const TopOptions& options) const { return top_command(options, doors); }
  int operator()(const DoctorOptions& options) const { return doctor_command(options, doors); }
  int operator()(const LoginOptions& options) const { return login_command(options, doors); }
  int operator()(const LogoutOptions& options) const { return logout_command(options, doors); }
  int operator()(const McpOptions& options) const { return mcp_command(options, doors); }
  int operator()(const CompletionOptions& options) const { return completion_command(options); }
  int operator()(const ManPagesOptions& options) const { return man_pages_command(options, doors); }
};

template <class Options>
bool is_quiet(const Options& options) {
  if constexpr (requires { options.quiet; }) return options.quiet;
  return false;
}

// The doors, and a word to people about connections that take their time, as long as this lives.
class ToldDoors {
 public:
  ToldDoors(const Doors& doors, const Command& command, bool json)
      : told_(!json && std::visit([](const auto& options) { return !is_quiet(options); }, command)),
        over_bar_(std::holds_alternative<SyncOptions>(command)),
        doors_(doors) {
    // Who asks many machines does not wait long for any of them; with the exception of those who
    // place work.
    const bool placing =
        std::holds_alternative<ExecOptions>(command) || std::holds_alternative<RunOptions>(command);
    doors_.engine = [this, open = doors.engine] { return watched(open()); };
    if (!placing) return;
    doors_.silent_engine = [this, open = doors.silent_engine] { return watched(open()); };
  }
  ToldDoors(const ToldDoors&) = delete;
  ToldDoors& operator=(const ToldDoors&) = delete;

  const Doors& doors() const { return doors_; }

 private:
  Result<ops::Engine*> watched(Result<ops::Engine*> engine) {
    if (engine && told_ && !watch_) watch_.emplace(**engine, over_bar_);
    return engine;
  }

  const bool told_;
  const bool over_bar_;
  Doors doors_;
  std::optional<LinkWatch> watch_;
};

}  // namespace

int run(int argc, char** argv, const Doors& doors) {
  occupy_standard_streams();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto line = parse_command_line(words);
  if (!line) {
    show_failure(line.error(), format_of(wants_json(words)));
    return kExitUsage;
  }
  if (line->verbose) set_log_level(LogLevel::Info);
  ToldDoors told(doors, line->command, wants_json(words));
  return std::visit(Dispatch{told.doors()}, line->command);
}

}  // namespace yonder::cli
