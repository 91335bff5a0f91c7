#pragma once

#include <string>
#include <vector>

#include "cli/top_state.h"

namespace yonder::cli {

// Pure: what each pane shows, in which order. The pointers are into `known`.

std::vector<const TopMachine*> top_machines(const TopKnown& known, const TopView& view);

struct TopRun {
  const TopMachine* machine = nullptr;
  const ops::TaskInfo* task = nullptr;
};
// A machine may have several names: its runs are shown once.
std::vector<TopRun> top_runs(const TopKnown& known, const TopView& view);

std::vector<const ops::TransferInfo*> top_transfers(const TopKnown& known, const TopView& view);

// Of each row of a pane, in its order, what TopView.chosen holds.
std::vector<std::string> top_keys_of(const TopKnown& known, const TopView& view, TopPane pane);
// Where the cursor is: on the chosen row, or on the first when that is gone.
std::size_t top_cursor(const TopKnown& known, const TopView& view, TopPane pane);

// The names of the orders that `s` goes through.
const std::vector<std::string>& top_orders(TopPane pane);

}  // namespace yonder::cli
