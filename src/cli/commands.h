#pragma once

#include "cli/cli.h"
#include "cli/options.h"

namespace yonder::cli {

// One per subcommand: does what was asked, prints, and gives the exit status.
int exec_command(const ExecOptions& options, const Doors& doors);
int run_command(const RunOptions& options, const Doors& doors);
int ps_command(const PsOptions& options, const Doors& doors);
int logs_command(const LogsOptions& options, const Doors& doors);
int wait_command(const WaitOptions& options, const Doors& doors);
int stop_command(const StopOptions& options, const Doors& doors);
int attach_command(const AttachOptions& options, const Doors& doors);
int rm_command(const RmOptions& options, const Doors& doors);
int ls_command(const LsOptions& options, const Doors& doors);
int cat_command(const CatOptions& options, const Doors& doors);
int write_command(const WriteOptions& options, const Doors& doors);
int edit_command(const EditOptions& options, const Doors& doors);
int grep_command(const GrepOptions& options, const Doors& doors);
int restore_command(const RestoreOptions& options, const Doors& doors);
int trash_command(const TrashOptions& options, const Doors& doors);
int git_sync_command(const GitSyncOptions& options, const Doors& doors);
int sync_command(const SyncOptions& options, const Doors& doors);
int transfers_command(const TransfersOptions& options, const Doors& doors);
int transfer_worker_command(const TransferWorkerOptions& options, const Doors& doors);
int hosts_command(const HostsOptions& options, const Doors& doors);
int use_command(const UseOptions& options, const Doors& doors);
int add_command(const AddOptions& options, const Doors& doors);
int remove_command(const RemoveOptions& options, const Doors& doors);
int gpus_command(const GpusOptions& options, const Doors& doors);
int top_command(const TopOptions& options, const Doors& doors);
int doctor_command(const DoctorOptions& options, const Doors& doors);
int login_command(const LoginOptions& options, const Doors& doors);
int logout_command(const LogoutOptions& options, const Doors& doors);
int mcp_command(const McpOptions& options, const Doors& doors);
int completion_command(const CompletionOptions& options);
int man_pages_command(const ManPagesOptions& options, const Doors& doors);

}  // namespace yonder::cli
