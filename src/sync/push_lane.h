#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sync/copy.h"
#include "tree/delta.h"
#include "tree/level_keeper.h"
#include "tree/sender.h"

namespace yonder::sync {

// Sends the contents of files over one stream.
class PushLane {
 public:
  PushLane(const CopySetup& setup, std::vector<LargeFile>& large, FarTree& far,
           std::function<void()> tick);

  // Null: waits until everything that was sent is confirmed.
  Result<void> operator()(const Work* work);

 private:
  const Action& action(std::size_t index) const { return setup_.plan.actions[index]; }
  void note(std::size_t index, const tree::Sent& sent);
  Result<void> send_bundle(const Work& work);
  tree::SourceFile* begin(std::size_t index);
  // Whole, or as a difference.
  Result<void> send_segment(std::size_t index, std::uint64_t segment,
                            const tree::Differ* differ = nullptr);
  Result<std::optional<std::string>> signature_of(std::size_t index);
  Result<void> send_delta(const Work& work);
  Result<void> settle();

  const CopySetup& setup_;
  FarTree& far_;
  std::function<void()> tick_;
  tree::Directories sources_;
  tree::LevelKeeper level_;
  std::map<std::size_t, LargeFile*> large_;
  tree::SendOptions send_;
  std::optional<tree::SourceFile> open_;
  std::size_t open_index_ = 0;
};

}  // namespace yonder::sync
