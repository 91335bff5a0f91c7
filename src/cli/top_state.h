#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/top_log.h"
#include "ops/tasks.h"
#include "ops/transfers.h"
#include "resources/board.h"

namespace yonder::cli {

// What `yonder top` knows and where its user stands in it. Plain values: the collector fills them,
// the keys move in them, and the drawing only reads.

struct TopTime {
  Instant steady{};
  std::int64_t wall_ms = 0;
  static TopTime now();
};

// The last values of something between 0 and 100, oldest first. Nothing: it was not measured then.
using TopHistory = std::deque<std::optional<std::uint64_t>>;
constexpr std::size_t kTopSamples = 60;

struct TopMachine {
  std::string name;
  std::optional<resources::MachineFacts> facts;  // the last that it said
  Instant measured{};                            // when those were true
  std::optional<Error> error;                    // of the last question, if it was not answered
  std::optional<Instant> unanswered;             // the first question since its last answer
  std::map<std::string, TopHistory> gpus;        // utilisation, by top_gpu_key()

  std::vector<ops::TaskInfo> tasks;
  std::optional<Instant> tasks_seen;    // nothing: not yet
  std::optional<Instant> tasks_waited;  // the first question since then

  bool has_been_heard() const { return (facts || error) && tasks_seen; }
};

struct TopKnown {
  std::vector<TopMachine> machines;
  std::vector<ops::TransferInfo> transfers;  // under way
  bool listed = false;                       // the machines to ask are known
  std::string trouble;                       // why something above may be out of date
  Duration interval = std::chrono::seconds(2);
  std::optional<TopLog> log;  // of the run that is looked at
};

enum class TopPane { Machines, Runs, Transfers };
constexpr std::size_t kTopPanes = 3;

struct TopView {
  TopPane pane = TopPane::Machines;
  // Of each pane: which row is chosen, by its name or id, so that it stays when others come.
  std::array<std::string, kTopPanes> chosen;
  std::array<std::size_t, kTopPanes> order{};  // which of top_orders()
  std::string filter;
  bool typing = false;  // the filter
  bool help = false;
  bool log = false;          // the log is shown
  std::size_t log_back = 0;  // lines above its end; 0: follows it

  std::string& chosen_here() { return chosen.at(static_cast<std::size_t>(pane)); }
  const std::string& chosen_in(TopPane one) const {
    return chosen.at(static_cast<std::size_t>(one));
  }
  std::size_t order_in(TopPane one) const { return order.at(static_cast<std::size_t>(one)); }
};

std::string top_gpu_key(const resources::Gpu& gpu);

// A question goes out.
void top_asked(TopMachine& machine, Instant now);
// What became of it. Histories grow by one: by a gap if there was no answer.
void top_answered(TopMachine& machine, const resources::Seen& seen, Instant now);
void top_asked_tasks(TopMachine& machine, Instant now);
// `answered`: these are from the machine, not only what is remembered here.
void top_listed_tasks(TopMachine& machine, std::vector<ops::TaskInfo> tasks, bool answered,
                      Instant now);

// How long a machine has owed an answer; nothing while that is no longer than usual.
std::optional<Duration> top_silence(const std::optional<Instant>& unanswered, Instant now);
// Whether its values may be shown as what is true now.
bool top_is_fresh(const TopMachine& machine, Instant now);

}  // namespace yonder::cli
