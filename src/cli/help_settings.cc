#include "cli/help_text.h"

namespace yonder::cli {

std::string use_footer() {
  return R"(Commands that name no sandbox run in the active one. It is written down in config.toml, whose comments
and order stay, and counts for sessions that begin later: agents that are at work keep to the one
they have. An address needs a name first: `yonder add`.

Examples:
  yonder use gpu1
  yonder use local                                    this machine

Exit status: 0; 255 when Yonder failed.
)";
}

std::string add_footer() {
  return R"(Writes [sandbox.NAME] at the end of config.toml, and leaves the rest as it is. Nothing is written when
the file is broken, or would be. An alias of ~/.ssh/config is a sandbox without this; with it, it is
one that `auto` may choose and that agents see answering. NAME holds no colon. Passwords are not
taken here: password_command in config.toml, or `yonder login NAME`.

Examples:
  yonder add gpu1 gpu1 --label a100                   an alias, with a label
  yonder add lab me@10.0.0.7:2222 --cwd '~/work'

Exit status: 0; 255 when Yonder failed.
)";
}

std::string remove_footer() {
  return R"(Takes [sandbox.NAME] and its keys out of config.toml; comments around them stay. When it was the active
one, then none is. Runs on the machine go on, and an alias of that name is a sandbox as before.

Exit status: 0; 255 when Yonder failed.
)";
}

}  // namespace yonder::cli
