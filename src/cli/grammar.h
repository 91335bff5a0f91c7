#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace yonder::cli {

// Where the library puts the words of a command line, before they are checked.
struct RawOptions {
  bool verbose = false;
  bool version = false;
  std::string help_topic;
  std::string sandbox;         // what stands for NAME
  std::string sandbox_option;  // of --sandbox; settle_sandbox() makes one of the two
  bool json = false;

  std::string cwd;
  std::vector<std::string> env;
  std::string timeout;
  std::string wait;
  std::string key;
  std::string attach;
  std::string max_output;
  bool login = false;
  bool no_stdin = false;
  bool quiet = false;

  std::string gpus;
  std::string gpu_memory;
  std::string memory;
  std::string disk;
  std::vector<std::string> labels;
  std::string when;
  std::string max_wait;

  std::string session_name;
  std::string log_file;
  std::string description;
  std::string launcher;
  bool no_tmux = false;

  std::optional<std::string> run;  // what stands for RUN
  std::vector<std::string> runs;   // or for RUN...
  bool all = false;
  bool with_exec = false;
  bool scan = false;
  bool forget_place = false;
  bool follow = false;
  std::string lines;
  std::string since;
  std::string grep;
  std::string signal;
  std::string grace;

  std::vector<std::string> paths;  // of files; the first may be a name, a pattern or a batch
  bool recursive = false;
  std::string depth;
  std::string most;
  std::string tail;
  std::string bytes;
  std::string from;
  bool append = false;
  bool parents = false;
  std::string mode;
  std::optional<std::string> expected_hash;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool ignore_case = false;
  bool fixed = false;
  bool no_gitignore = false;
  std::string context;
  bool list = false;
  bool empty = false;
  std::string older_than;
  bool yes = false;
  std::string local_path;
  std::string commit;
  std::string branch;
  std::string via;
  std::string remote;
  std::string on_dirty;
  std::string on_diverged;

  bool remove_extras = false;
  std::string confirm_delete;
  bool delete_ignored = false;
  std::vector<std::string> excludes;
  std::string exclude_file;
  bool gitignore = false;
  bool no_default_excludes = false;
  bool checksum = false;
  bool hard_links = false;
  std::string on_conflict;
  bool dry_run = false;
  bool no_trash = false;
  bool fsync = false;
  bool background = false;
  std::optional<std::string> transfer;
  std::optional<std::string> cancel_transfer;

  bool check = false;
  bool resources = false;
  bool once = false;
  std::string interval;
  std::vector<std::string> machines;
  std::vector<std::string> more_machines;  // of --sandbox
  bool names = false;
  std::string host;
  std::string user;
  std::string port;
  std::string key_file;
  std::vector<std::string> toolsets;
  std::string shell;
  std::string directory;
};

// Declares every command and option. `raw` must live as long as `app`. Nothing is refused here but
// missing values: the parser looks at what is left over, because it can say more about it.
void declare(CLI::App& app, RawOptions& raw);

// Its parts that have a file of their own.
void declare_runs(CLI::App& app, RawOptions& raw);
void declare_files(CLI::App& app, RawOptions& raw);
void declare_git_sync(CLI::App& app, RawOptions& raw);
void declare_sync(CLI::App& app, RawOptions& raw);
void declare_machines(CLI::App& app, RawOptions& raw);
void declare_settings(CLI::App& app, RawOptions& raw);

// "-n" and "--no-stdin", as people type them.
std::vector<std::string> names_of(const CLI::Option& option);

// NAME and --sandbox, of a command that takes a machine and no path.
void add_sandbox(CLI::App& command, RawOptions& raw, const std::string& description);
// --sandbox alone, where paths or runs may name the machine.
void add_sandbox_option(CLI::App& command, RawOptions& raw, const std::string& description);
// --wait, of a command that asks several machines.
void add_patience(CLI::App& command, RawOptions& raw);
// What `exec` and `run` know in common: where and how a command runs.
void add_surroundings(CLI::App& command, RawOptions& raw);
// What both may ask of a machine.
void add_needs(CLI::App& command, RawOptions& raw);

}  // namespace yonder::cli
