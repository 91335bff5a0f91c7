#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace yonder {

// Pure. The name of a user in the text of /etc/passwd; empty when it is not there.
std::string name_in_passwd(std::string_view passwd, uid_t uid);

// By /etc/passwd alone: a static program must not ask NSS. Users who are not in it (of a directory
// service, say) are named by their number.
std::string user_name(uid_t uid);

}  // namespace yonder
