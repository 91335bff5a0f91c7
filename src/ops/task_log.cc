#include "base/text.h"
#include "ops/remember.h"
#include "ops/tasks.h"
#include "run/runs.h"

namespace yonder::ops {
namespace {

constexpr std::uint64_t kPiece = 1024UL * 1024;
constexpr std::int64_t kWaitMs = 50000;

// Where to read on. `next` is where an answer ends, and so behind what had no room in it.
std::uint64_t position_after(const wire::LogReply& reply, bool filtered) {
  const bool has_gap = reply.skipped > 0 && !filtered;
  return has_gap ? reply.start + reply.head.size() : reply.next;
}

// One reader's way through one log.
class LogReading {
 public:
  LogReading(Engine& engine, const CallContext& context, const LogRequest& request,
             const std::function<void(std::string_view)>& on_bytes)
      : engine_(engine),
        request_(request),
        on_bytes_(on_bytes),
        progress_(context.progress),
        on_cancel_(context.cancel.on_cancel([this] { stop_.cancel(); })),
        on_detach_(context.detach.on_cancel([this] { stop_.cancel(); })) {}

  Result<LogEnd> read(const FoundTask& found) {
    wire::ReadLogRequest wanted = first_request(found);
    while (true) {
      // Once something was read, a lost machine is waited for: the run goes on without us.
      auto reply =
          engine_.runs.read_log(found.sandbox, wanted, request_.follow && begun_, stop_.token());
      if (stop_.token().cancelled()) {
        end_.detached = true;
        return end_;
      }
      if (!reply) return std::move(reply).error();
      take(found, *reply);
      const std::uint64_t next = position_after(*reply, !request_.filter.empty());
      const bool all = next >= reply->size || next == wanted.from;
      // An answer that arrived and still says unknown will not say more by asking on.
      const bool over = !end_.task || !goes_on(end_.task->status.state);
      if (all && (!request_.follow || over)) return end_;
      wanted.from = next;
      set_room(wanted);
      if (request_.follow && all) wanted.wait_ms = kWaitMs;
      if (!all) wanted.wait_ms.reset();
    }
  }

 private:
  wire::ReadLogRequest first_request(const FoundTask& found) const {
    wire::ReadLogRequest wanted{.run_id = found.id ? found.id->str() : "",
                                .session = found.id ? "" : found.session,
                                .path = found.id || !found.session.empty() ? "" : found.log_file,
                                .from = request_.offset,
                                .filter = request_.filter};
    wanted.lines = request_.lines;
    wanted.head = 0;
    wanted.tail = kPiece;
    if (!wanted.from && request_.lines == 0) wanted.from = 0;
    if (wanted.from) set_room(wanted);
    return wanted;
  }

  void set_room(wire::ReadLogRequest& wanted) const {
    wanted.head = kPiece;
    wanted.tail = request_.filter.empty() ? 0 : kPiece;
  }

  void take(const FoundTask& found, const wire::LogReply& reply) {
    begun_ = true;
    on_bytes_(reply.head);
    // Of matching lines the middle cannot be asked for again: at least it is not hidden.
    const bool gap = reply.skipped > 0 && !reply.tail.empty();
    if (gap) on_bytes_(concat("[... ", reply.skipped, " bytes left out ...]\n"));
    on_bytes_(reply.tail);
    end_.next_offset = position_after(reply, !request_.filter.empty());
    // What a filter could not look through is not mended by what comes after it.
    if (request_.filter.empty() || !reply.problem.empty()) end_.problem = reply.problem;
    if (!reply.run) return;
    end_.task = task_info(found.sandbox.name, *reply.run);
    tell_place();
    note_sighting(engine_, *end_.task);
  }

  // Of a run that waits there is nothing to read yet.
  void tell_place() {
    const auto& queue = end_.task->status.queue;
    if (!request_.follow || !queue || ahead_ == queue->ahead) return;
    ahead_ = queue->ahead;
    progress_(concat("queued, ", queue->ahead, " ahead"));
  }

  Engine& engine_;
  const LogRequest& request_;
  const std::function<void(std::string_view)>& on_bytes_;
  std::function<void(const std::string&)> progress_;
  std::optional<std::uint64_t> ahead_;
  CancelSource stop_;
  CancelToken::Registration on_cancel_;
  CancelToken::Registration on_detach_;
  LogEnd end_;
  bool begun_ = false;
};

}  // namespace

Result<LogEnd> stream_log(Engine& engine, CallContext& context, const LogRequest& request,
                          const std::function<void(std::string_view bytes)>& on_bytes) {
  TRY_ASSIGN(const FoundTask found, find_task(engine, context.session, request.task));
  return LogReading(engine, context, request, on_bytes).read(found);
}

}  // namespace yonder::ops
