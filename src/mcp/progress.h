#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/json.h"
#include "mcp/protocol.h"
#include "mcp/stdio.h"
#include "ops/engine.h"

namespace yonder::mcp {

// Tells the client how one call goes on, if the client asked for that: not more often than five
// times a second, and not after the reply.
class ProgressReporter {
 public:
  // Without a token (null) it stays silent.
  ProgressReporter(Output& output, Json token, Version version, CancelToken cancel)
      : output_(output), token_(std::move(token)), version_(version), cancel_(std::move(cancel)) {}

  // What comes too soon after the last one is dropped: the next one knows more. Thread: any.
  void report(const std::string& message, Instant now);
  void report(const std::string& message, const ops::Measure& measure, Instant now);
  // When this returns nothing more will be sent. Called before the reply goes out.
  void close();

 private:
  struct State {
    bool closed = false;
    bool began = false;
    double sent = 0;  // the last number
    Instant last_sent;
  };
  void send(const std::string& message, const ops::Measure* measure, Instant now);
  Json render(double progress, const ops::Measure* measure, const std::string& message) const;

  Output& output_;
  Json token_;
  Version version_;
  CancelToken cancel_;
  Guarded<State> state_;
};

// The token under which the client wants to hear of progress; null when it does not.
Json progress_token(const Json& params);

}  // namespace yonder::mcp
