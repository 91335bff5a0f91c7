#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/resource_facts.h"
#include "cli/cli.h"
#include "model/run.h"
#include "model/sandbox_spec.h"
#include "ops/git_sync.h"
#include "ops/sync.h"

namespace yonder::cli {

// What a command line asks for, before anything is done about it.

struct ExecOptions {
  std::string sandbox;  // empty: the active one
  RunRequest run;
  resources::Needs needs;
  std::vector<std::string> own_variables;  // to be passed on with the value they have here
  std::optional<std::string> attach;       // wait for this run: its id or a beginning of it
  std::optional<Duration> wait;
  bool no_stdin = false;
  bool json = false;
  bool quiet = false;
  std::size_t max_output = 20000;  // characters, with json
};

// `run`: start and leave alone.
struct RunOptions {
  std::string sandbox;  // empty: the active one
  RunRequest run;
  resources::Needs needs;
  std::vector<std::string> own_variables;
  std::string session_name;
  std::string log_file;
  std::string description;
  std::string launcher;
  bool tmux = true;
  bool json = false;
};

struct PsOptions {
  std::optional<std::string> sandbox;
  bool all = false;
  bool exec = false;
  bool scan = false;
  bool json = false;
  bool ids = false;  // for completion scripts
  std::optional<Duration> wait;
};

// Runs as they were typed: an id, the beginning of one, or a session's name.
struct RunWords {
  std::vector<std::string> runs;  // never empty
  std::string sandbox;            // empty: where they were started
  bool json = false;
};

struct LogsOptions {
  RunWords which;
  bool follow = false;
  bool everything = false;
  std::optional<std::size_t> lines;
  std::optional<std::uint64_t> offset;
  std::string grep;
};

struct WaitOptions {
  RunWords which;
};

struct StopOptions {
  RunWords which;
  std::optional<int> signal;
  std::optional<Duration> grace;
};

struct AttachOptions {
  RunWords which;
};

struct RmOptions {
  RunWords which;
};

// Files over there. `sandbox` empty: the active one.
struct LsOptions {
  std::string sandbox;
  std::string path = ".";
  bool recursive = false;
  std::optional<std::size_t> depth;
  std::size_t most = 1000;
  bool json = false;
};

struct CatOptions {
  std::string sandbox;
  std::vector<std::string> paths;  // never empty
  std::optional<std::uint64_t> first_line;
  std::optional<std::uint64_t> lines;
  std::optional<std::uint64_t> tail;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> bytes;
  bool json = false;
};

struct WriteOptions {
  std::string sandbox;
  std::string path;
  std::string from;  // a file here; empty: stdin
  bool append = false;
  bool parents = false;
  std::optional<std::uint32_t> mode;
  std::optional<std::string> expected_hash;
  bool json = false;
};

struct EditOptions {
  std::string sandbox;
  std::string path;
};

struct GrepOptions {
  std::string sandbox;
  std::string pattern;
  std::string path = ".";
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool ignore_case = false;
  bool fixed = false;
  bool no_gitignore = false;
  std::size_t context = 0;
  std::size_t most = 1000;
  bool json = false;
};

struct RestoreOptions {
  std::string sandbox;
  bool list = false;
  std::string batch;
  std::vector<std::string> paths;
  bool json = false;
};

struct TrashOptions {
  std::string sandbox;
  bool empty = false;
  std::optional<Duration> older_than;
  bool yes = false;  // do not ask
  bool json = false;
};

struct GitSyncOptions {
  ops::GitSyncRequest request;
  bool json = false;
};

// `push` and `pull`.
struct SyncOptions {
  std::vector<ops::SyncCall> calls;  // never empty; one for each source
  bool json = false;
  bool quiet = false;
};

struct TransfersOptions {
  std::optional<std::int64_t> id;  // nothing: all
  bool cancel = false;
  bool json = false;
};

// Hidden: what the process of a transfer is.
struct TransferWorkerOptions {
  std::int64_t id = 0;
};

struct HostsOptions {
  std::vector<std::string> sandboxes;  // empty: all
  bool check = false;
  bool resources = false;
  bool json = false;
  bool names = false;  // for completion scripts
  std::optional<Duration> wait;
};

// `use`, `add` and `remove`: what config.toml says.
struct UseOptions {
  std::string sandbox;
  bool json = false;
};

struct AddOptions {
  SandboxSpec spec;
  bool json = false;
};

struct RemoveOptions {
  std::string sandbox;
  bool json = false;
};

struct GpusOptions {
  std::vector<std::string> sandboxes;  // empty: all
  bool json = false;
  std::optional<Duration> wait;
};

struct TopOptions {
  std::vector<std::string> sandboxes;  // empty: all
  Duration interval = std::chrono::seconds(2);
  bool once = false;
  bool json = false;
  std::optional<Duration> wait;  // with `once`
};

struct DoctorOptions {
  std::optional<std::string> sandbox;
  bool forget_place = false;
  bool json = false;
  std::optional<Duration> wait;
};

struct LoginOptions {
  std::string sandbox;
};

struct LogoutOptions {
  std::string sandbox;
};

enum class Shell { Bash, Zsh, Fish };
struct CompletionOptions {
  Shell shell = Shell::Bash;
};

struct HelpOptions {
  std::string text;
};

struct VersionOptions {
  bool json = false;
};

// Hidden: how a build gets its manual.
struct ManPagesOptions {
  std::string directory;
};

using Command =
    std::variant<HelpOptions, VersionOptions, ExecOptions, RunOptions, PsOptions, LogsOptions,
                 WaitOptions, StopOptions, AttachOptions, RmOptions, LsOptions, CatOptions,
                 WriteOptions, EditOptions, GrepOptions, RestoreOptions, TrashOptions,
                 GitSyncOptions, SyncOptions, TransfersOptions, TransferWorkerOptions, HostsOptions,
                 UseOptions, AddOptions, RemoveOptions, GpusOptions, TopOptions, DoctorOptions,
                 LoginOptions, LogoutOptions, McpOptions, CompletionOptions, ManPagesOptions>;

struct CommandLine {
  Command command;
  bool verbose = false;
};

}  // namespace yonder::cli
