#include "link/boot_script.h"

#include "base/text.h"

namespace yonder::link {
namespace {

// Plain POSIX sh: no bash, no GNU tools. `head -c` is nearly everywhere; dd is everywhere.
constexpr std::string_view kFunctions = R"sh(set -f
say() { printf '\001YONDER-%s %s\n' "$n" "$1"; }
ours() {
  [ -d "$1" ] && [ ! -h "$1" ] || return 1
  set -- `LC_ALL=C ls -ldn "$1" 2>/dev/null`
  case "$1" in drwx------*) [ "$3" = "$u" ];; *) return 1;; esac
}
usable() {
  [ -f "$1" ] && [ ! -h "$1" ] || return 1
  c=`"$1" check "$h" </dev/null 2>/dev/null`
  [ "$c" = "whole $h" ]
}
if [ "`printf ab | head -c 1 2>/dev/null`" = a ]; then
  take() { head -c "$1"; }
else
  take() { dd ibs=1 obs=65536 count="$1" 2>/dev/null; }
fi
places() {
  for d in "${XDG_CACHE_HOME:+$XDG_CACHE_HOME/yonder}" "${HOME:+$HOME/.cache/yonder}" \
      "/var/tmp/yonder-$u" "/tmp/yonder-$u" "/dev/shm/yonder-$u"; do
    [ -z "$d" ] || "$1"
  done
}
begin() {
  f="$d/outpost-$h"
  if ours "$d" && usable "$f"; then exec "$f" serve "$n" "$h"; fi
}
deploy() {
  e=`umask 077; mkdir -p "$d" 2>&1` || { say "tried $d: $e"; return; }
  ours "$d" || { say "tried $d: not a directory of our own with mode 0700"; return; }
  t="$d/.new-$h-$$"
  e=`umask 077; { printf '#!/bin/sh\nexit 0\n' >"$t" && chmod 700 "$t"; } 2>&1` ||
    { rm -f "$t"; say "tried $d: $e"; return; }
  e=`"$t" 2>&1 </dev/null` || { rm -f "$t"; say "tried $d: programs may not be run there: $e"; return; }
  rm -f "$t"
  say "need $s $a $z"
  if [ "$z" = 1 ]; then
    e=`umask 077; { take "$zn" | { gzip -dc >"$t" || cat >/dev/null; }; } 2>&1`
  else
    e=`umask 077; { take "$rn" | { cat >"$t" || cat >/dev/null; }; } 2>&1`
  fi
  if chmod 700 "$t" && usable "$t" && mv -f "$t" "$d/outpost-$h"; then
    exec "$d/outpost-$h" serve "$n" "$h"
  fi
  rm -f "$t"
  say "tried $d: the program did not arrive whole: $e"
}
)sh";

// The last part: decide which program this machine needs, and try.
constexpr std::string_view kMain = R"sh(
z=0; command -v gzip >/dev/null 2>&1 && z=1
places begin
places deploy
say failed
exit 0
}
)sh";

}  // namespace

std::string boot_script(const std::string& nonce, const std::vector<OutpostImage>& images) {
  std::string script = "{\n";
  script += kFunctions;
  script += concat("n='", nonce, "'\n");
  script += "s=`uname -s`; a=`uname -m`; u=`id -u`\n";
  script += "case \"$s-$a\" in\n";
  for (const auto& image : images) {
    const std::string alias = image.machine == "x86_64"    ? "|Linux-amd64"
                              : image.machine == "aarch64" ? "|Linux-arm64"
                                                           : "";
    script += concat("Linux-", image.machine, alias, ") h=", image.hash, " rn=", image.raw.size(),
                     " zn=", image.gzip.size(), ";;\n");
  }
  script += "*) say \"need $s $a 0\"; exit 0;;\nesac";
  script += kMain;
  return script;
}

}  // namespace yonder::link
