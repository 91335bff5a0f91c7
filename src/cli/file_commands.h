#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/interrupts.h"
#include "cli/table.h"
#include "ops/far_files.h"

namespace yonder::cli {

// What the commands about files begin with: the engine, the sandbox, and an ear for Ctrl-C.
class FileWork {
 public:
  static Result<std::unique_ptr<FileWork>> begin(const Doors& doors, const std::string& sandbox);

  ops::FarFiles& files() { return *files_; }
  ops::Engine& engine() const { return engine_; }
  Interrupts& interrupts() const { return *interrupts_; }
  // Says what went wrong with `path` (empty: with none), and how to exit.
  int fail(Error error, bool json, const std::string& path = "") const;

 private:
  FileWork(ops::Engine& engine, std::string named) : engine_(engine), named_(std::move(named)) {}

  ops::Engine& engine_;
  std::string named_;  // the sandbox as it was asked for; empty: the active one
  ops::Session session_;
  std::unique_ptr<Interrupts> interrupts_;
  std::unique_ptr<ops::CallContext> context_;
  std::unique_ptr<ops::FarFiles> files_;
};

int fail_before(const Error& error, bool json);

// Pure.
// Names of any bytes on one line: as text that can be turned back, with what a terminal would obey
// made visible.
std::string safe_name(std::string_view name);
// The command that brings a batch back.
std::string restore_line(const std::string& sandbox, const std::string& batch);
// "-rw-r--r--", as ls has it.
std::string mode_letters(files::Type type, std::uint32_t mode);
std::string utc_time(std::int64_t seconds);
std::vector<Row> ls_rows(const files::ListReply& reply, const std::string& as_given);
std::vector<Row> ls_fields(const files::ListReply& reply, const std::string& as_given);
std::string grep_text(const files::SearchReply& reply, const std::string& as_given);
std::vector<Row> trash_rows(const files::TrashReply& reply);
// What `yonder trash` shows of it.
std::vector<Row> trash_sizes(const files::TrashReply& reply);
// "9 batches, 180 MiB"
std::string trash_total(const files::TrashReply& reply);
// Leaves only those that are so old.
void keep_older(files::TrashReply& reply, Duration at_least);

}  // namespace yonder::cli
