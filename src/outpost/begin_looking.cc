#include "outpost/begin_looking.h"

#include "outpost/list_runs.h"
#include "outpost/measure.h"
#include "outpost/read_log.h"
#include "outpost/remove_activity.h"
#include "outpost/tree_service.h"
#include "outpost/worker.h"

namespace yonder::outpost {

std::optional<Result<std::unique_ptr<Activity>>> begin_looking(const Surroundings& around,
                                                               wire::StreamId stream,
                                                               const wire::AnyRequest& request) {
  using Begun = Result<std::unique_ptr<Activity>>;
  if (const auto* read = std::get_if<wire::ReadLogRequest>(&request)) {
    return ReadLogActivity::create(around, stream, *read);
  }
  if (const auto* list = std::get_if<wire::ListRequest>(&request)) {
    return Begun(std::make_unique<ListActivity>(around, stream, *list));
  }
  if (const auto* remove = std::get_if<wire::RemoveRequest>(&request)) {
    auto record = find_run(around, remove->run_id);
    if (!record) return Begun(std::move(record).error());
    return Begun(std::make_unique<RemoveActivity>(around, *std::move(record), stream));
  }
  if (std::holds_alternative<wire::TreeRequest>(request)) {
    return start_worker(stream, WorkerEnd::WhenItHasTidied,
                        [&around](WorkerChannel& channel) { return serve_tree(around, channel); });
  }
  if (const auto* resources = std::get_if<wire::ResourcesRequest>(&request)) {
    return start_worker(stream, WorkerEnd::AtOnce,
                        [&around, resources](WorkerChannel&) -> Result<std::string> {
                          return wire::encode(measure(around, resources->cwd));
                        });
  }
  return std::nullopt;
}

}  // namespace yonder::outpost
