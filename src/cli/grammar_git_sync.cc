#include "cli/grammar.h"
#include "cli/help_text.h"

namespace yonder::cli {

void declare_git_sync(CLI::App& app, RawOptions& raw) {
  CLI::App& sync =
      *app.add_subcommand("git-sync", "Bring a git checkout over there to the commit that is here");
  sync.add_option("REMOTE_PATH", raw.paths, "The checkout over there, as NAME:PATH or NAME PATH")
      ->type_name("");
  add_sandbox_option(sync, raw, "Sandbox, ssh alias or address (default: the active sandbox)");
  sync.add_option("--local", raw.local_path, "The repository here (default: .)")->type_name("DIR");
  sync.add_option("--commit", raw.commit, "Branch, tag or commit of it (default: HEAD)")
      ->type_name("COMMIT");
  sync.add_option("--branch", raw.branch,
                  "Branch to be on over there (default: the one that is here)")
      ->type_name("BRANCH");
  sync.add_option("--via", raw.via, "Send it from here, or fetch it over there (default: link)")
      ->type_name("link|remote");
  sync.add_option("--remote", raw.remote, "With --via remote: which one (default: origin)")
      ->type_name("REMOTE");
  sync.add_option("--on-dirty", raw.on_dirty, "What to do with changes over there")
      ->type_name("refuse|stash|reset");
  sync.add_option("--on-diverged", raw.on_diverged, "What to do with commits that are only there")
      ->type_name("refuse|keep_branch|reset");
  sync.add_option("--timeout", raw.timeout, "Give up after this time (default: never)")
      ->type_name("TIME");
  sync.add_flag("--background", raw.background, "Do not wait; print the transfer's number");
  sync.add_flag("--json", raw.json, "Print JSON");
  sync.footer(git_sync_footer());
}

}  // namespace yonder::cli
