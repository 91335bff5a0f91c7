#include "mcp/server.h"

#include <exception>

#include "base/log.h"
#include "mcp/line_reader.h"
#include "mcp/salvaged_id.h"
#include "mcp/session.h"
#include "mcp/stdio.h"
#include "mcp/stop_signal.h"

namespace yonder::mcp {
namespace {

const RpcError kTooLong{RpcCode::InvalidRequest, "a message is longer than 16 MiB"};

void handle(Session& session, const LineReader::Item& item) {
  if (item.kind == LineReader::Kind::TooLong) {
    return session.on_unusable_line(kTooLong, salvage(item.text).id);
  }
  // The edge where exceptions end: no message may end the session.
  try {
    session.on_line(item.text);
  } catch (const std::exception& e) {
    log_error("mcp: a message could not be handled", {{"what", e.what()}});
    session.on_unusable_line({RpcCode::InternalError, "internal error"}, salvage(item.text).id);
  }
}

}  // namespace

Result<void> serve(const ServerInfo& info, const std::vector<Tool>& tools, const Fd& input,
                   const Fd& output, const CancelToken& stop) {
  TRY_ASSIGN(StopSignal signal, StopSignal::create());
  const auto forward = stop.on_cancel([&signal] { signal.trigger(); });
  Output out(output, signal, std::chrono::seconds(1), &input);
  Session session(info, tools, out);
  LineReader reader(input, signal);

  auto item = reader.next();
  while (item && item->kind != LineReader::Kind::End) {
    handle(session, *item);
    item = reader.next();
  }
  signal.trigger();  // from here on nobody waits long for the client
  session.finish();
  TRY(item);
  return {};
}

}  // namespace yonder::mcp
