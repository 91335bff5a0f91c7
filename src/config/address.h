#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace yonder::config {

// What may name a sandbox, a host and a user, whoever says it. Errors are InvalidArgument and
// begin with `what`, which says where the word stood.

// A name is 1 to 128 characters of [A-Za-z0-9._@:%+-] and begins with neither '-' nor '.', so that
// it can stand in a command line, a URL and a file name. "auto" means "choose one" and is no name.
Result<void> check_name(std::string_view name, std::string_view what);

// A host must not look like an option, and must not hold what a shell would act upon: ssh puts it
// into the user's ProxyCommand and Match exec lines as it is. (The characters are those that newer
// versions of ssh refuse themselves.)
Result<void> check_host(std::string_view host, std::string_view what);
Result<void> check_user(std::string_view user, std::string_view what);

// 1 to 65535, in digits only.
std::optional<int> parse_port(std::string_view text);

// An absolute path, or one below the home directory ("~/.ssh/key"), made absolute. Nothing else:
// a relative path would depend on where the daemon happened to be started.
Result<std::string> key_file_path(std::string_view text, const std::string& home,
                                  std::string_view what);

}  // namespace yonder::config
