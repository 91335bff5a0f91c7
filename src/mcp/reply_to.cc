#include "mcp/reply_to.h"

#include <memory>
#include <utility>

#include "base/guarded.h"

namespace yonder::mcp {
namespace {

struct Collected {
  std::size_t missing = 0;
  Json replies = Json::array();
};

}  // namespace

ReplyTo single_reply(Output& output) {
  return [&output](const std::optional<Json>& reply) {
    if (reply) output.send(*reply);
  };
}

ReplyTo batch_reply(Output& output, std::size_t expected) {
  auto collected = std::make_shared<Guarded<Collected>>(Collected{.missing = expected});
  return [&output, collected](std::optional<Json> reply) {
    const Json whole = collected->with([&](Collected& so_far) {
      if (reply) so_far.replies.push_back(*std::move(reply));
      --so_far.missing;
      return so_far.missing == 0 ? std::move(so_far.replies) : Json::array();
    });
    if (!whole.empty()) output.send(whole);
  };
}

}  // namespace yonder::mcp
