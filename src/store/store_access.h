#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "store/database.h"
#include "store/store.h"

namespace yonder::store {

// How store*.cc get at the file.

// Somebody may move the file away, as the advice for a damaged one says, while this process lives.
// What is written into a file that nobody finds again would be acknowledged and lost.
inline Result<void> ensure_open(std::unique_ptr<Database>& database, const std::string& path,
                                Duration patience) {
  if (database && !database->has_moved()) {
    database->wait_at_most(patience);
    return {};
  }
  database.reset();
  TRY_ASSIGN(database, Database::open(path, patience));
  return {};
}

// One call reads and writes several times. For a database that another process holds it waits once,
// not each time.
inline Duration patience_left(const std::optional<Instant>& in_use, Duration patience) {
  constexpr auto kSameCall = std::chrono::seconds(5);
  constexpr auto kHardlyAny = std::chrono::milliseconds(20);
  const bool just_now = in_use && std::chrono::steady_clock::now() - *in_use < kSameCall;
  return just_now ? std::min<Duration>(kHardlyAny, patience) : patience;
}

template <class Use>
auto Store::with_database(Use&& use, Duration patience) {
  using Outcome = decltype(use(std::declval<Database&>()));
  return connection_.with([&](Connection& connection) -> Outcome {
    const Duration left =
        patience > kPatience ? patience : patience_left(connection.in_use, patience);
    const auto work = [&]() -> Outcome {
      TRY(ensure_open(connection.database, path_, left));
      return use(*connection.database);
    };
    Outcome outcome = work();
    const bool in_use = !outcome && outcome.error().code == Errc::Timeout;
    if (in_use && left == patience) connection.in_use = std::chrono::steady_clock::now();
    if (outcome) connection.in_use.reset();
    return outcome;
  });
}

}  // namespace yonder::store
