#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/sandbox_spec.h"

namespace yonder::sandbox {

// Where the processor has instructions for AES, its GCM mode costs a fraction of what ssh prefers
// by default, and for large amounts that decides. Only the order of what the user's settings allow
// is changed.

// Pure. "a,b,aes128-gcm@openssh.com" → the same with the AES-GCM ones first; empty when there are
// none, or they are first already.
std::string faster_order(std::string_view ciphers);
// Pure. What `ssh -G` says of ciphers; empty when it does not.
std::string ciphers_in(std::string_view settings);

// Asks the user's ssh, which gets this environment. Empty when nothing is to be changed.
std::string fast_ciphers(const SandboxSpec& spec, const std::vector<std::string>& environment);

}  // namespace yonder::sandbox
