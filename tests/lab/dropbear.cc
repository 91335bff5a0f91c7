#include "lab/dropbear.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "lab/command.h"

namespace yonder::lab {
namespace {

// dropbearkey prints the key among other lines.
Result<std::string> public_key_in(const std::string& printed) {
  for (const auto& line : split(printed, '\n')) {
    if (line.starts_with("ssh-")) return line;
  }
  return Error{Errc::Protocol, "dropbearkey printed no public key", ""};
}

}  // namespace

Result<Dropbear> Dropbear::start(Lab& lab) {
  TRY_ASSIGN(const std::string directory, lab.new_directory("dropbear"));
  TRY_ASSIGN(FreePort port, FreePort::reserve());
  const std::string key = directory + "/host_key";
  TRY_ASSIGN(const std::string printed, run_command({"dropbearkey", "-t", "ed25519", "-f", key}));
  TRY_ASSIGN(const std::string public_key, public_key_in(printed));
  Plan plan{.daemon = {.argv = {"dropbear", "-F", "-E", "-r", key, "-P", directory + "/pid", "-p",
                                concat("127.0.0.1:", port.number())},
                       .log = directory + "/log",
                       .private_mounts = [&lab] { return lab.look_like_a_server(); }},
            .ready = "Not backgrounding",  // printed when it listens already
            .session_program = "dropbear"};
  Dropbear dropbear(std::move(port), std::move(plan), public_key);
  TRY(dropbear.start_again());
  return dropbear;
}

Result<void> Dropbear::authorize(const Account& user, const std::string& public_key) {
  const std::string directory = user.home + "/.ssh";
  const std::string path = directory + "/authorized_keys";
  TRY(make_directories(directory));
  TRY_ASSIGN(const Fd file, open_file(path, O_WRONLY | O_APPEND | O_CREAT));
  TRY(write_all(file, concat(trim(public_key), "\n")));
  for (const auto& owned : {directory, path}) {
    if (::chown(owned.c_str(), user.uid, user.uid) != 0) return errno_error("chown " + owned);
  }
  return {};
}

}  // namespace yonder::lab
