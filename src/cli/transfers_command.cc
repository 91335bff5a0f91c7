#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/render.h"
#include "cli/sync_report.h"
#include "cli/transfers_table.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kMostListed = 200;
constexpr auto kForceAfter = std::chrono::seconds(5);

int fail(bool json, const Error& error) {
  show_failure(json ? error : in_sync_options(error), format_of(json));
  return kExitFailure;
}

template <class Response>
int answer(const Response& response, const Report& report, bool json) {
  if (!json) return show(report);
  return print_json_then(ops::to_json(response), report.status);
}

int list(ops::Engine& engine, bool json) {
  const auto transfers = ops::list_transfers(engine, kMostListed);
  if (!transfers) return fail(json, transfers.error());
  if (json) {
    Json tasks = Json::array();
    for (const auto& transfer : *transfers) tasks.push_back(ops::to_json(transfer));
    return print_json_then(Json{{"tasks", tasks}});
  }
  const Screen shown_on = screen(engine.environment);
  return print_then(shown_on.terminal ? transfers_screen(*transfers, shown_on.width,
                                                         shown_on.styled, wall_clock_ms())
                                      : tab_separated(transfers_fields(*transfers)));
}

}  // namespace

int transfers_command(const TransfersOptions& options, const Doors& doors) {
  const auto engine = doors.engine();
  if (!engine) return fail(options.json, engine.error());
  if (!options.id) return list(**engine, options.json);
  ops::Session session;
  ops::CallContext context{.session = session};
  if (options.cancel) {
    const auto response = ops::cancel_transfer(**engine, context, *options.id, kForceAfter);
    if (!response) return fail(options.json, response.error());
    return answer(*response, cancel_report(*response), options.json);
  }
  const auto response = ops::check_transfer(**engine, context, {.id = *options.id});
  if (!response) return fail(options.json, response.error());
  return answer(*response, transfer_report(*response), options.json);
}

int transfer_worker_command(const TransferWorkerOptions& options, const Doors& doors) {
  const auto engine = doors.worker_engine();
  if (!engine) return fail(false, engine.error());
  const auto interrupts = Interrupts::install([](int) {});
  if (!interrupts) return fail(false, interrupts.error());
  return ops::work_on_transfer(**engine, options.id, (*interrupts)->cancel());
}

}  // namespace yonder::cli
