#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/fd.h"
#include "base/guarded.h"
#include "base/thread.h"
#include "cli/top_state.h"
#include "ops/engine.h"
#include "ops/machines.h"

namespace yonder::cli {

struct TopCollectOptions {
  std::vector<std::string> names;  // empty: all that are to be asked
  Duration interval = std::chrono::seconds(2);
};

// Asks all machines again and again, each in threads of its own: one that hangs makes nobody else
// wait. Thread: any.
class TopCollector {
 public:
  // Fails when a named machine is not known, or the configuration cannot be read.
  static Result<std::unique_ptr<TopCollector>> start(ops::Engine& engine,
                                                     TopCollectOptions options);
  // Gives up whatever is under way.
  ~TopCollector();
  TopCollector(const TopCollector&) = delete;
  TopCollector& operator=(const TopCollector&) = delete;

  TopKnown known() const;
  // Until every machine has answered or failed once. False when that is not so at the deadline, or
  // was given up.
  bool wait_for_all(const Deadline& deadline, const CancelToken& cancel);

  // Readable when there is news.
  int news_fd() const { return news_.read.get(); }
  void take_news() const;

  // The log of this run is known().log from now on.
  void open_log(const std::string& machine, const std::string& run_id);
  void close_log();

 private:
  class Watcher;
  class Follower;

  TopCollector(ops::Engine& engine, TopCollectOptions options, Pipe news);
  Result<ops::ToAsk> specs();
  void watch(const std::vector<SandboxSpec>& specs);
  void look_around();
  void change(const std::function<void(TopKnown&)>& how);
  // The same for one machine, if it is still there.
  void change_machine(const std::string& name, const std::function<void(TopMachine&)>& how);

  ops::Engine& engine_;
  const TopCollectOptions options_;
  ops::Session session_;
  Pipe news_;
  CancelSource stop_;
  Monitor<TopKnown> known_;
  std::map<std::string, std::unique_ptr<Watcher>> watchers_;  // the thread's, once it runs
  std::unique_ptr<Follower> follower_;
  Thread thread_;
};

}  // namespace yonder::cli
