#include "base/text.h"
#include "cli/help_text.h"

namespace yonder::cli {

std::string usage_of_files(const std::string& command) {
  if (command == "ls") return "Usage: yonder ls [options] [PATH | NAME:[PATH]]\n";
  if (command == "cat") return "Usage: yonder cat [options] PATH... | NAME:PATH...\n";
  if (command == "grep") return "Usage: yonder grep [options] PATTERN [PATH | NAME:[PATH]]\n";
  if (command == "restore") {
    return "Usage: yonder restore [options] [BATCH [PATH...]]\n"
           "       yonder restore [options] NAME:[BATCH [PATH...]]\n";
  }
  if (command == "trash") return "Usage: yonder trash [options] [NAME]\n";
  if (command == "write" || command == "edit") {
    return concat("Usage: yonder ", command, " [options] PATH | NAME:PATH\n");
  }
  return "";
}

std::string ls_footer() {
  return R"(PATH is absolute, ~/..., or relative to the sandbox's directory; after `--` it may begin with a dash.
The machine is named as NAME:PATH, as NAME PATH, or with --sandbox NAME; without it the active sandbox
is meant. A colon before any slash ends NAME, as in scp: a path with a colon is ./a:b.

On a terminal: a table. In a pipe: one line for each entry, its fields separated by tabs: type, mode,
size, modified (UTC), path, target of a link. Links below PATH are not followed.

Exit status: 0; 1 when a directory could not be read; 255 when Yonder failed.
)";
}

std::string cat_footer() {
  return R"(Every byte as it is in the file; on a terminal, what it would obey is left out.

Examples:
  yonder cat gpu1:/etc/os-release
  yonder cat --lines 100:120 src/main.c
  yonder cat --bytes 1000000: big.log
  yonder cat --tail 50 train.log
)";
}

std::string write_footer() {
  return R"(The file appears whole or not at all, with the mode it had; what was there goes to the trash over
there (`yonder restore`). Through a link, the file that it leads to is written.

Examples:
  echo 'lr: 0.1' | yonder write conf.yaml
  yonder write --from conf.yaml -p gpu1:exp/7/conf.yaml
  yonder write --expect '' lock < /dev/null            only if it does not exist
)";
}

std::string edit_footer() {
  return R"(Opens a copy in $VISUAL, $EDITOR or vi, and writes it back when the editor ends. If the file was
changed over there meanwhile, nothing is written, and it says where your copy is.
)";
}

std::string grep_footer() {
  return R"(What git ignores is left out, and so are .git, caches, binaries, and files of secrets such as .env.

Examples:
  yonder grep 'def main' src
  yonder grep 'def main' gpu1:src
  yonder grep -F 'a[0]' --include '*.c' --include '*.h'

Exit status: 0 when something was found; 1 when nothing was; 2 when something could not be read; 255
when Yonder failed.
)";
}

std::string restore_footer() {
  return R"(Files that a sync, write, edit or deletion replaced are kept over there for two weeks, in batches:
one for each operation, as long as there is room (`yonder trash`). What stands in the way of a restore becomes a batch of its own.

Examples:
  yonder restore                                  which batches there are
  yonder restore --list 20261116T081502-k3fa      what is in one
  yonder restore 20261116T0815 src/main.c         one file of it; a unique beginning is enough
  yonder restore 20261116T081502-k3fa             all of it
  yonder restore local:                           what a pull has replaced on this machine

Exit status: 0; 1 when something could not be restored; 255 when Yonder failed.
)";
}

std::string trash_footer() {
  return R"(Shows each batch: how old it is, what made it, how many files it has, what they take on the disk,
below which directory they belong, and where the batch lies. `yonder restore BATCH` brings one back.

Old batches go by themselves: after two weeks, when a directory has more than 20 of them, and when
all of them take more than a tenth of the disk or half of what is free. When there is no room for a
file that is written, they make way for it, the oldest first.

With --empty it asks first. Where there is no terminal to ask at, it needs --yes.

Examples:
  yonder trash gpu1                               what is in it, and how large it is
  yonder trash gpu1 --empty                       all of it goes
  yonder trash gpu1 --empty --older-than 1d --yes
  yonder trash local                              on this machine: what pulls have replaced

Exit status: 0; 1 when something could not be removed, or the answer was no; 255 when Yonder failed.
)";
}

}  // namespace yonder::cli
