#include "cli/help_text.h"

#include "base/text.h"

namespace yonder::cli {

namespace {

std::string commands_help() {
  return R"(yonder - run work over there: on machines reached by ssh, for people and for coding agents

Usage: yonder COMMAND [options]

Commands:
  exec [NAME] -- COMMAND...   run a command in a sandbox, with its output, stdin and exit status
  run [NAME] -- COMMAND...    start a command that goes on without us; prints its id
  ps [NAME]                   show runs everywhere: what runs, what ended and how
  logs [-f] RUN               show what a run prints
  wait RUN...                 wait for runs to end; exits as they did
  stop RUN...                 end runs, with everything they started, and say what was seen
  attach RUN                  watch a run in the tmux session that shows its log
  rm RUN...                   forget runs that have ended
  ls [PATH]                   list files over there
  cat PATH...                 print files, or some lines or bytes of them
  write PATH                  write a file from stdin, whole or not at all
  edit PATH                   edit a file in your own editor
  grep PATTERN [PATH]         find lines in the files over there
  restore [BATCH [PATH...]]   bring back what was replaced or deleted
  trash [NAME]                show what the trash holds, or empty it
  push LOCAL... NAME:REMOTE   bring files over there to the state of those here
  pull NAME:REMOTE... LOCAL   the other way round
  transfers                   show syncs that go on in the background
  git-sync NAME:PATH          bring a git checkout over there to the commit that is here
  hosts [--check] [NAME...]   show all sandboxes, and whether they answer
  use NAME                    make a sandbox the active one
  add NAME HOST               add a sandbox to config.toml
  remove NAME                 remove one from it
  gpus [NAME...]              show all GPUs, who has them, and who waits for them
  top [NAME...]               watch machines, runs and transfers in the terminal
  doctor [NAME]               look for what is wrong, and say how to mend it
  login NAME                  log in once (password, one-time code) and keep the connection
  logout NAME                 end a kept login
  mcp                         serve coding agents over MCP, on stdin and stdout
  completion SHELL            print a completion script for bash, zsh or fish
  help [COMMAND]              show this, or the help of one command
)";
}

std::string use_help() {
  return R"(
First steps:
  yonder exec local -- 'echo hello from $(hostname)'   works without any setup
  yonder exec gpu1 -- nvidia-smi                       any alias in ~/.ssh/config is a sandbox
  yonder exec me@10.0.0.7 -- uptime                    so is any address
  yonder hosts                                         what there is
  yonder use gpu1                                      for commands that name no sandbox
  yonder doctor gpu1                                   when something does not work
  claude mcp add yonder -- yonder mcp                  give it to an agent

Work that takes its time:
  yonder push . gpu1:exp                               the files that it needs
  id=$(yonder run gpu1 --cwd exp -- ./train.sh)        starts it; close the laptop if you like
  yonder ps                                            the next day, from here or by an agent
  yonder logs -f $id                                   what it prints (Ctrl-C leaves it running)
  yonder wait $id && echo trained                      exits as the run did
  yonder stop $id                                      says so when the whole tree is gone
  yonder run auto --gpus 1 -- ./train.sh               on the most idle machine with a free GPU

Files over there (of the active sandbox, or NAME:PATH, as in scp):
  yonder push . gpu1:exp                               makes exp what this directory is
  yonder pull gpu1:exp/results results                 and back
  yonder cat --tail 20 exp/train.log                   relative to the sandbox's directory
  yonder edit exp/train.yaml                           refuses to overwrite another's change
  yonder restore                                       what edits, syncs and deletions replaced

RUN is a run's id, a beginning of it that no other has (r-7f3k or 7f3k), or its session's name. TIME is
seconds (90 or 1.5), or has units: 500ms, 30m, 2h, 1d, 1h30m.

The machine over there needs nothing but a POSIX sh and one writable directory. Yonder uses your own
ssh, with its settings, keys and agents. A command goes on when the connection is lost: Yonder comes
back to it, and so can you, with `yonder exec NAME --attach RUN_ID`.

Options:
  -h, --help                  show this
  --version                   show version, commit and build; with --json as JSON
  -v, --verbose               say more on stderr

Exit status:
  of `exec` and `wait`: the command's own (128+n for signal n, 124 at --timeout), and
     2   the command line is wrong          75   --wait is over, the command goes on
    74   the output cannot be written      130   interrupted by Ctrl-C
   141   whoever read our output has gone  255   Yonder failed; stderr says why
  of `doctor`: 1 when there are problems; of `stop` and `rm`: 1 when a run still lives;
  of `push` and `pull`: 1 when something could not be copied, or is in conflict;
  of `git-sync`: 1 when it was refused because of what is over there

Files:
  ~/.config/yonder/config.toml   sandboxes, and which one is active:
                                   active = "gpu1"
                                   [sandbox.gpu1]
                                   host = "gpu1"
                                   cwd = "~/work"
  ~/.ssh/config                  its aliases are sandboxes without any setting

Environment:
  YONDER_CONFIG                  another config.toml
  XDG_CONFIG_HOME                where yonder/config.toml is looked for, instead of ~/.config
  REMOTE_HOST, REMOTE_USER, REMOTE_PORT, REMOTE_KEY_FILE, REMOTE_PASSWORD, ...
                                 one sandbox, from the environment alone
  REMOTE_SANDBOX_LIST            several of them, as JSON
  NO_COLOR                       no colours on a terminal
)";
}

}  // namespace

std::string top_help() {
  return commands_help() + use_help();
}

std::string short_help() {
  return R"(yonder - run work over there: on machines reached by ssh

  exec, run                   run a command; start one that goes on without us
  ps, logs, wait, stop        what runs where; what it prints; wait; end it
  attach, rm                  watch a run in tmux; forget one that has ended
  ls, cat, write, edit, grep  files over there
  push, pull, transfers       bring files there, or here; in the background
  restore, trash, git-sync    what was replaced; a checkout at the commit here
  use, add, remove            choose a machine; write one down; forget it
  hosts, gpus, top, doctor    machines; GPUs; all of it, live; what is wrong
  login, logout               log in once and keep the connection; end that
  mcp, completion, help       serve agents; complete words; all of the help

First steps:
  yonder exec local -- 'echo hello from $(hostname)'   works without any setup
  yonder exec gpu1 -- nvidia-smi    any alias in ~/.ssh/config, or any address
  yonder hosts                      what there is
  yonder doctor gpu1                when something does not work

`yonder help` has all of it, `yonder COMMAND --help` what one command can do.
)";
}

std::string usage_of(const std::string& command) {
  if (command == "exec") {
    return "Usage: yonder exec [NAME] [options] -- COMMAND...\n"
           "       yonder exec [NAME] --attach RUN_ID\n";
  }
  if (command == "run") return "Usage: yonder run [NAME] [options] -- COMMAND...\n";
  if (command == "push") {
    return "Usage: yonder push LOCAL... NAME:REMOTE [options]\n"
           "       yonder push [NAME] LOCAL REMOTE [options]\n";
  }
  if (command == "pull") {
    return "Usage: yonder pull NAME:REMOTE... LOCAL [options]\n"
           "       yonder pull [NAME] REMOTE LOCAL [options]\n";
  }
  if (command == "transfers") {
    return "Usage: yonder transfers [options]\n"
           "       yonder transfers ID\n"
           "       yonder transfers --cancel ID\n";
  }
  if (command == "git-sync") {
    return "Usage: yonder git-sync NAME:REMOTE_PATH [options]\n"
           "       yonder git-sync [NAME] REMOTE_PATH [options]\n";
  }
  if (command == "use") return "Usage: yonder use NAME [options]\n";
  if (command == "add") return "Usage: yonder add NAME HOST [options]\n";
  if (command == "remove") return "Usage: yonder remove NAME [options]\n";
  if (command == "hosts") return "Usage: yonder hosts [NAME...] [options]\n";
  if (command == "gpus") return "Usage: yonder gpus [NAME...] [options]\n";
  if (command == "top") return "Usage: yonder top [NAME...] [options]\n";
  if (command == "ps") return "Usage: yonder ps [NAME] [options]\n";
  if (command == "logs" || command == "attach") {
    return concat("Usage: yonder ", command, " [options] RUN\n");
  }
  if (command == "wait" || command == "stop" || command == "rm") {
    return concat("Usage: yonder ", command, " [options] RUN...\n");
  }
  return usage_of_files(command);
}

std::string exec_footer() {
  return R"(COMMAND: one word is a line for the shell over there (bash where there is one, else sh); several
words are a program and its arguments, which reach it exactly as they are, with no shell between.

Examples:
  yonder exec -- 'cd src && make -j8 2>&1 | tail'     in the active sandbox
  yonder exec gpu1 --cwd exp -- python train.py --name 'a b'
  tar c src | yonder exec gpu1 -- tar x -C /tmp       stdin goes through
  while read -r f; do yonder exec -n gpu1 -- wc "$f"; done < list
  yonder exec gpu1 --wait 10 -- ./long.sh             exits with 75 and says the run's id
  yonder exec gpu1 --attach r-abcdefghijklmnop        waits for it, with all its output

Ctrl-C (or SIGTERM, SIGHUP) stops the command, with everything it has started, and says what was
seen of it; a second one leaves without waiting for that, and takes nothing back: the command ends
if the stop has reached it. With --attach the first one leaves the command running.

Exit status: the command's own; 128+n when signal n ended it, 124 at --timeout. Yonder's own:
  2    the command line is wrong
  75   --wait is over and the command goes on; attach to it
  130  interrupted (128 + the signal's number)
  74   the output could not be written, as on a full disk; stderr says why, and the run's id
  141  whoever read our output has gone, and the command was stopped
  255  Yonder failed, or what became of the command is not known; stderr says why
)";
}

std::string doctor_footer() {
  return R"(Without NAME it looks at all configured sandboxes and up to 32 aliases from ~/.ssh/config, where a
problem with a mere alias is a note, and never asks for a password. It connects to them.

Exit status: 0 when all is well, 1 when there are problems.

A machine whose directory of run records is missing, as when its home is not mounted, starts
nothing: a run that exists could be started again. --forget-place is for records that are gone
for good.
)";
}

std::string login_footer() {
  return R"(Asks for what ssh asks for (password, passphrase, one-time code, host key) at this terminal, and
keeps the connection: later commands and agents use it until `yonder logout NAME`. After Ctrl-C
nothing is kept.
)";
}

std::string mcp_footer() {
  return R"(Speaks the Model Context Protocol on stdin and stdout. To give it to an agent:
  claude mcp add yonder -- yonder mcp
)";
}

std::string completion_footer() {
  return R"(To use it:
  bash   yonder completion bash > ~/.local/share/bash-completion/completions/yonder
  zsh    yonder completion zsh > "${fpath[1]}/_yonder"
  fish   yonder completion fish > ~/.config/fish/completions/yonder.fish
)";
}

}  // namespace yonder::cli
