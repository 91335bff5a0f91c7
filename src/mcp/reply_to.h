#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "base/json.h"
#include "mcp/stdio.h"

namespace yonder::mcp {

// Where the answer to one request goes. Called exactly once for each: with the reply, or with
// nothing when the client has cancelled the request and must not get one. Thread: any.
using ReplyTo = std::function<void(std::optional<Json> reply)>;

ReplyTo single_reply(Output& output);

// For all requests of one batch, `expected` in number: their replies go out together, as one array,
// when the last one is there.
ReplyTo batch_reply(Output& output, std::size_t expected);

}  // namespace yonder::mcp
