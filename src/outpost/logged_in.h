#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource_facts.h"

namespace yonder::outpost {

// Pure. The records of people in a utmp file; `lives` says whether a record's process is still
// there: who was cut off leaves a record behind.
std::vector<resources::LoggedIn> parse_utmp(std::string_view bytes, bool (*lives)(pid_t pid));

// Pure. A session as systemd's login manager notes it; nothing when it is not that of a person who
// is there.
std::optional<resources::LoggedIn> parse_session(std::string_view text);

// From the first of these files that exists, or from the directory of sessions of a machine that
// has no such file. Where no list is kept it is not known who is there.
resources::Measured<std::vector<resources::LoggedIn>> logged_in_users(
    const std::vector<std::string>& files, const std::string& sessions);
resources::Measured<std::vector<resources::LoggedIn>> logged_in_users();

}  // namespace yonder::outpost
