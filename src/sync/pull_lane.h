#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "sync/copy.h"
#include "tree/apply.h"
#include "tree/messages.h"
#include "tree/receiver.h"
#include "tree/sender.h"

namespace yonder::sync {

// Asks for contents over one stream, and puts them into their places.
class PullLane {
 public:
  PullLane(const CopySetup& setup, FarTree& far, std::function<void()> tick);
  PullLane(const PullLane&) = delete;
  PullLane& operator=(const PullLane&) = delete;
  ~PullLane();

  // Null: waits until everything that was asked for is there.
  Result<void> operator()(const Work* work);

  tree::Applier& applier() { return applier_; }
  tree::Receiver& receiver() { return receiver_; }

 private:
  struct Asked {
    std::uint64_t bytes = 0;
    tree::Kind answer = tree::Kind::File;
    std::uint64_t segment = 0;
    bool has_segment = false;  // a Note will do
  };
  const Action& action(std::size_t index) const { return setup_.plan.actions[index]; }
  tree::Wanted wanted(std::size_t index) const;
  void expect(std::size_t index, const Asked& asked);
  Result<tree::FileHead> head_for(tree::Kind kind, const tree::FileStart& start);
  bool answered(std::uint64_t number);
  Result<void> ended(std::uint64_t number, const Result<void>& outcome);
  Result<void> receive_until(std::uint64_t ahead);
  Result<void> take_other(const tree::MessageView& message);
  Result<void> ask_bundle(const Work& work);
  Result<void> ask_segment(const Work& work);
  Result<void> ask_delta(const Work& work);
  Result<void> send_signature(const tree::SourceFile& old);

  const CopySetup& setup_;
  FarTree& far_;
  std::function<void()> tick_;
  tree::Applier applier_;
  tree::Receiver receiver_;
  std::multimap<std::uint64_t, Asked> asked_;  // not yet answered
  std::uint64_t ahead_ = 0;
};

}  // namespace yonder::sync
