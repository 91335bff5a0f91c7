#pragma once

#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "link/link.h"

namespace yonder::testing {

// A far side written in shell: it greets with a Hello and then does what the test says. What it
// does are pieces of shell, put one after the other.
class FarSide {
 public:
  // Every link begins with one.
  static constexpr std::size_t kFirstPing = 9;

  FarSide() { ::signal(SIGPIPE, SIG_IGN); }

  // Reads the boot script up to its last line, and learns the nonce from it.
  static std::string booted() {
    return "while read -r line; do case \"$line\" in n=*) nonce=${line#n=?}; nonce=${nonce%?};; "
           "'exit 0') break;; esac; done; read -r line; ";
  }
  // Says a line of the greeting: "ready", or what it needs.
  static std::string says(const std::string& line) {
    return concat("printf '\\001YONDER-%s ", line, "\\n' \"$nonce\"; ");
  }
  std::string greeting() {
    std::string hello;
    wire::append_message(
        hello, wire::Kind::Reply, 0,
        wire::encode(wire::Hello{.build = "b\n", .hostname = "far", .home = "/h"}));
    return booted() + "printf 'motd\\n'; " + says("ready") + shown(hello) + taken(kFirstPing);
  }
  // Prints these bytes.
  std::string shown(const std::string& bytes) {
    const std::string name = concat("bytes", files_++);
    scratch_.write(name, bytes);
    return ShellText("cat").arg(scratch_ / name).str() + "; ";
  }
  // Reads so many bytes.
  static std::string taken(std::size_t bytes) { return concat("head -c ", bytes, " >/dev/null; "); }
  // Stays and says nothing more. Holds the end of the link open, whoever `sh` is.
  static std::string listens() { return "exec cat 3>&1 >/dev/null"; }
  // The same, and writes down all that it hears from here on.
  std::string writes_down(const std::string& name) const {
    return ShellText("exec tee").arg(scratch_ / name).str() + " 3>&1 >/dev/null";
  }
  static std::size_t probe_size() {
    return wire::encode(wire::AnyRequest(wire::ProbeRequest{})).size() + 9;
  }

  static link::CommandPrefix prefix(const std::string& script) {
    return {.argv = {"sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
  }
  // Whoever never said how they want to be called.
  static SandboxSpec spec() {
    SandboxSpec spec;
    spec.name = "fake";
    return spec;
  }
  const Scratch& scratch() const { return scratch_; }

 private:
  Scratch scratch_;
  int files_ = 0;
};

}  // namespace yonder::testing
