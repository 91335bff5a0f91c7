#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/run.h"

namespace yonder::cli {

// Pure: how people are told about a run.

// "4711 sleep 1000, 4712 make"; each number behind `before`.
std::string processes(const std::vector<ProcessInfo>& alive, const std::string& before = "");

// "0.4 s", "12 s", "5m12s", "2h05m", "3d04h".
std::string lasted(double seconds);

// "12 s", "5 min", "3 h", "2 days". A clock that runs ahead is no reason to speak of the future.
std::string age(std::int64_t then_ms, std::int64_t now_ms);
// "just now", "5 min ago".
std::string ago(std::int64_t then_ms, std::int64_t now_ms);

// "exited with 3", "was ended by SIGKILL", "was stopped", "was stopped at its time
// limit", "is lost: ...",
// "runs", "is queued", "cannot be seen now: ...".
std::string what_became(const RunStatus& status);

}  // namespace yonder::cli
