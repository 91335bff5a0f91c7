#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "link/prefix.h"
#include "model/sandbox_spec.h"

namespace yonder::sandbox {

struct PrefixOptions {
  std::vector<std::string> environment;  // "NAME=value", of this process
  std::string control_path;              // socket of a login that is kept; empty: none
  std::string ciphers;                   // in this order; empty: as the user's settings have it
  std::vector<std::string> overrides;    // further options; see ssh_settings.h
  bool interactive = false;              // a person is there, who may mistype and try again
};

// Pure: the words that start a shell over there. What they are given of our environment has no
// secret in it; passwords come through the askpass broker. InvalidArgument when the host or user
// looks like an option, or when a path cannot be said to ssh.
Result<link::CommandPrefix> prefix_for(const SandboxSpec& spec, const PrefixOptions& options);

// The words that run a shell line there in the terminal of the process that executes them; no
// secret in their environment either.
Result<link::CommandPrefix> terminal_for(const SandboxSpec& spec, const PrefixOptions& options,
                                         const std::string& command);

// The words that log in and leave a connection behind, at `options.control_path`, for later
// prefixes to use. They end when the login has succeeded or failed.
Result<link::CommandPrefix> login_for(const SandboxSpec& spec, const PrefixOptions& options);

}  // namespace yonder::sandbox
