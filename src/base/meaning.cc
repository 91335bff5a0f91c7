#include "base/meaning.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace yonder {
namespace {

struct Synonyms {
  std::string_view meant;  // a command, an option or an argument of ours
  std::string_view words;  // what it is called elsewhere, separated by spaces
};

// The first line whose `meant` is a candidate counts.
constexpr std::array kSynonyms{
    Synonyms{"push", "cp copy upload send put scp rsync sync deploy"},
    Synonyms{"pull", "download get fetch receive"},
    Synonyms{"stop", "kill cancel end terminate abort interrupt"},
    Synonyms{"ps", "jobs tasks runs status list_runs list_jobs squeue"},
    Synonyms{"logs", "tail log output follow stdout"},
    Synonyms{"exec", "ssh sh shell bash execute remote command cmd do"},
    Synonyms{"run", "start launch submit spawn bg nohup sbatch job"},
    Synonyms{"hosts", "machines sandboxes servers nodes list_hosts inventory"},
    Synonyms{"ls", "dir list files"},
    Synonyms{"cat", "read show view less more head type print"},
    Synonyms{"write", "tee save create"},
    Synonyms{"edit", "vi vim nano emacs editor open"},
    Synonyms{"grep", "search find rg ag ack"},
    Synonyms{"restore", "undelete undo trash recover revert"},
    Synonyms{"rm", "remove delete forget clean prune"},
    Synonyms{"attach", "join tmux screen connect"},
    Synonyms{"wait", "await"},
    Synonyms{"transfers", "copies uploads downloads syncs"},
    Synonyms{"git_sync", "git checkout clone"},
    Synonyms{"gpus", "nvidia_smi nvidia rocm_smi gpu_status"},
    Synonyms{"top", "htop monitor watch dashboard"},
    Synonyms{"doctor", "diagnose check ping test debug"},
    Synonyms{"login", "signin sign_in auth authenticate password"},
    Synonyms{"logout", "signout sign_out disconnect"},
    Synonyms{"mcp", "serve server agent"},
    Synonyms{"completion", "completions complete"},
    Synonyms{"help", "man usage"},
    // Options and arguments.
    Synonyms{"command", "cmd cmdline command_line script shell bash code run"},
    Synonyms{"cwd", "dir directory workdir working_directory work_dir chdir cd pwd path"},
    Synonyms{"env", "environment var variable variables e"},
    Synonyms{"timeout", "time_limit limit deadline max_time timeout_s timeout_ms"},
    Synonyms{"timeout_s", "timeout timeout_ms timeout_seconds time_limit limit deadline max_time"},
    Synonyms{"wait_s", "wait wait_seconds block yield_time_ms"},
    Synonyms{"max_wait", "wait queue_timeout"},
    Synonyms{"background", "bg detach async daemon"},
    Synonyms{"sandbox_name", "sandbox host hostname machine server name target node"},
    Synonyms{"sandbox", "sandbox_name host hostname machine server name target node"},
    Synonyms{"remote_path", "path file file_path filename remote directory dir destination dest"},
    Synonyms{"local_path", "local source src"},
    Synonyms{"content", "contents text body data"},
    Synonyms{"stdin", "input"},
    Synonyms{"delete_extras", "delete mirror remove"},
    Synonyms{"delete", "mirror delete_extras remove prune"},
    Synonyms{"dry_run", "simulate what_if pretend preview check test"},
    Synonyms{"exclude", "ignore skip excludes"},
    Synonyms{"excludes", "ignore skip exclude"},
    Synonyms{"quiet", "silent"},
    Synonyms{"key", "idempotency_key id dedupe_key"},
    Synonyms{"run_id", "id task_id job_id run task job pid"},
    Synonyms{"task_id", "id transfer_id transfer task"},
    Synonyms{"follow", "tail watch stream"},
    Synonyms{"lines", "tail n last_n_lines head count"},
    Synonyms{"last_n_lines", "lines tail n"},
    Synonyms{"old_text", "old_string old_str search find"},
    Synonyms{"new_text", "new_string new_str replace replacement"},
    Synonyms{"pattern", "regex regexp query search"},
    Synonyms{"gpus", "gpu num_gpus gpu_count gres"},
    Synonyms{"memory", "mem ram"},
    Synonyms{"ignore_case", "insensitive"},
    Synonyms{"json", "format output o"},
    Synonyms{"name", "session title"},
    Synonyms{"signal", "sig s kill"},
    Synonyms{"no_trash", "force permanently"},
};

std::string plain(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string text = to_lower(word);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

bool has_word(std::string_view words, std::string_view word) {
  return !word.empty() && concat(" ", words, " ").find(concat(" ", word, " ")) != std::string::npos;
}

}  // namespace

std::string probably_meant(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string asked = plain(word);
  for (const auto& [meant, words] : kSynonyms) {
    if (!has_word(words, asked)) continue;
    const auto found = std::find_if(
        candidates.begin(), candidates.end(),
        [&, meant = meant](const std::string& candidate) { return plain(candidate) == meant; });
    if (found != candidates.end()) return *found;
  }
  return nearest(word, candidates);
}

}  // namespace yonder
