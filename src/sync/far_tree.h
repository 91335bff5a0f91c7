#pragma once

#include <memory>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "link/link.h"
#include "tree/messages.h"

namespace yonder::sync {

// One stream to the far end of a sync. Thread: one at a time.
class FarTree {
 public:
  // Does not wait for the answer: root() does. Tells the far side whether the link is near.
  static Result<std::unique_ptr<FarTree>> open(const std::shared_ptr<link::Link>& link,
                                               tree::OpenTree wanted, const CancelToken& cancel);

  Result<tree::RootState> root();
  // Everything of a scan that was asked for.
  Result<void> ask_scan(const tree::ScanTree& wanted);
  Result<tree::Listing> listing();

  tree::BlockWriter& out() { return out_; }
  // The next thing it says; what we have said is sent before.
  Result<tree::MessageView> next();
  // Sends what is waiting, and waits until all of it was carried out. `on_message` gets what comes
  // before that.
  Result<tree::AllDone> settle(
      const std::function<Result<void>(const tree::MessageView&)>& on_message);

  // What has arrived and nobody has read, without waiting for more.
  void hear_out(const std::function<Result<void>(const tree::MessageView&)>& on_message);
  // Whatever was ordered and not yet done is left undone. False: nobody saw that it has ended.
  bool stop(const Deadline& deadline) { return call_.stop(deadline); }

  // In both directions.
  std::uint64_t wire_bytes() const { return sent_ + received_; }
  // How long we waited for the far side to take what we sent.
  Duration blocked() const { return blocked_; }

 private:
  FarTree(link::Call call, CancelToken cancel);
  Result<void> pour(std::string_view bytes);
  Result<std::size_t> draw(char* buffer, std::size_t size);
  // Takes one event of the link; what it brings is kept.
  Result<void> take_event(const Deadline& deadline);

  link::Call call_;
  CancelToken cancel_;
  std::string inbox_;
  std::size_t read_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t tokens_ = 0;
  bool waits_ = true;  // for what has not yet arrived
  Duration blocked_{};
  tree::BlockWriter out_;
  tree::BlockReader in_;
};

// So near that working out differences, or compressing, may cost more than it saves. False as long
// as nobody knows.
bool is_near(const link::Link& link);

// The error that a Done carries; nothing when all went well.
Result<void> outcome_of(const tree::AllDone& done);

}  // namespace yonder::sync
