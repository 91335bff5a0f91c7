#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report.h"
#include "cli/table.h"
#include "ops/transfers.h"

namespace yonder::cli {

// Pure: what `yonder transfers` shows.
std::string transfers_screen(const std::vector<ops::TransferInfo>& list, std::size_t width,
                             bool styled, std::int64_t now_ms);
// The same as cells.
Row transfers_header();
Row transfer_row(const ops::TransferInfo& transfer, std::int64_t now_ms);
std::vector<Row> transfers_fields(const std::vector<ops::TransferInfo>& list);
Report transfer_report(const ops::CheckTransferResponse& response);
Report cancel_report(const ops::CancelTransferResponse& response);

}  // namespace yonder::cli
