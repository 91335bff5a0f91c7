#include "cli/top_collect.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "cli/run_words.h"
#include "ops/machines.h"
#include "ops/resolve.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kMostTransfers = 50;
constexpr std::uint64_t kLogLines = 1000;
// A machine that cannot be reached is not called every two seconds.
constexpr auto kAfterFailure = std::chrono::seconds(5);

Instant now() {
  return std::chrono::steady_clock::now();
}

// Does something again and again, from beginning to beginning; `once` says whether it worked.
void every(Duration interval, const CancelToken& stop, const std::function<bool()>& once) {
  Monitor<bool> waiting(false);
  const auto wake = stop.on_cancel([&] { waiting.wake_all(); });
  while (!stop.cancelled()) {
    const Instant begun = now();
    const bool worked = once();
    const Duration pause = worked ? interval : std::max<Duration>(interval, kAfterFailure);
    waiting.wait(
        Deadline::after(std::max(Duration::zero(), pause - Duration(now() - begun))),
        [&](bool) { return stop.cancelled(); }, [](bool) {});
  }
}

std::string end_note(const Result<ops::LogEnd>& end) {
  if (!end) return concat("The log cannot be read: ", end.error().message);
  if (!end->task) return "This run is not known there any more.";
  return concat("The run ", what_became(end->task->status), ".");
}

}  // namespace

// One machine: what it has, and what runs on it.
class TopCollector::Watcher {
 public:
  Watcher(TopCollector& home, SandboxSpec spec) : home_(home), spec_(std::move(spec)) {
    const Duration interval = home_.options_.interval;
    look_ = Thread("look " + spec_.name,
                   [this, interval] { every(interval, stop_.token(), [this] { return look(); }); });
    list_ = Thread("list " + spec_.name,
                   [this, interval] { every(interval, stop_.token(), [this] { return list(); }); });
  }
  ~Watcher() { stop_.cancel(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void stop() const { stop_.cancel(); }

 private:
  bool look() {
    home_.change_machine(spec_.name, [](TopMachine& machine) { top_asked(machine, now()); });
    const auto seen =
        home_.engine_.board.look({spec_}, {.fresh = true, .cancel = stop_.token()}).front();
    if (stop_.token().cancelled()) return false;
    home_.change_machine(spec_.name,
                         [&](TopMachine& machine) { top_answered(machine, seen, now()); });
    return seen.facts.has_value();
  }

  bool list() {
    home_.change_machine(spec_.name, [](TopMachine& machine) { top_asked_tasks(machine, now()); });
    ops::CallContext context{.session = home_.session_, .cancel = stop_.token()};
    auto listed = ops::list_tasks(home_.engine_, context, {.sandbox = spec_.name});
    if (stop_.token().cancelled()) return false;
    const bool answered = listed && std::none_of(listed->sandboxes.begin(), listed->sandboxes.end(),
                                                 [](const auto& one) { return one.error; });
    home_.change_machine(spec_.name, [&](TopMachine& machine) {
      if (listed) {
        top_listed_tasks(machine, std::move(listed->tasks), answered, now());
      } else if (!machine.tasks_seen) {
        machine.tasks_seen = now();  // nobody need wait for it
      }
    });
    return answered;
  }

  TopCollector& home_;
  const SandboxSpec spec_;
  CancelSource stop_;
  Thread look_;  // joined first
  Thread list_;
};

// One run's log.
class TopCollector::Follower {
 public:
  Follower(TopCollector& home, std::string machine, std::string run_id)
      : home_(home), machine_(std::move(machine)), run_id_(std::move(run_id)) {
    thread_ = Thread("log " + run_id_, [this] { follow(); });
  }
  ~Follower() { stop_.cancel(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

 private:
  void follow() {
    ops::CallContext context{.session = home_.session_, .detach = stop_.token()};
    const auto end = ops::stream_log(
        home_.engine_, context,
        {.task = {.run_id = run_id_, .sandbox = machine_}, .lines = kLogLines, .follow = true},
        [this](std::string_view bytes) { change_log([&](TopLog& log) { log.add(bytes); }); });
    if (stop_.token().cancelled()) return;
    change_log([&](TopLog& log) { log.end(end_note(end)); });
  }

  void change_log(const std::function<void(TopLog&)>& how) {
    home_.change([&](TopKnown& known) {
      if (known.log && !stop_.token().cancelled()) how(*known.log);
    });
  }

  TopCollector& home_;
  const std::string machine_;
  const std::string run_id_;
  CancelSource stop_;
  Thread thread_;  // joined first
};

Result<std::unique_ptr<TopCollector>> TopCollector::start(ops::Engine& engine,
                                                          TopCollectOptions options) {
  TRY_ASSIGN(Pipe news, make_pipe());
  TRY(set_nonblocking(news.read));
  TRY(set_nonblocking(news.write));
  std::unique_ptr<TopCollector> collector(
      new TopCollector(engine, std::move(options), std::move(news)));
  TRY_ASSIGN(const auto specs, collector->specs());
  collector->watch(specs.specs);
  collector->thread_ = Thread("top", [one = collector.get()] {
    every(one->options_.interval, one->stop_.token(), [one] {
      one->look_around();
      return true;
    });
  });
  return collector;
}

TopCollector::TopCollector(ops::Engine& engine, TopCollectOptions options, Pipe news)
    : engine_(engine), options_(std::move(options)), news_(std::move(news)) {
  known_.change([&](TopKnown& known) { known.interval = options_.interval; });
}

TopCollector::~TopCollector() {
  stop_.cancel();
  thread_.join();
  // All at once, then each is waited for.
  for (const auto& [name, watcher] : watchers_) watcher->stop();
  follower_.reset();
  watchers_.clear();
}

TopKnown TopCollector::known() const {
  return known_.look([](const TopKnown& known) { return known; });
}

bool TopCollector::wait_for_all(const Deadline& deadline, const CancelToken& cancel) {
  const auto wake = cancel.on_cancel([this] { known_.wake_all(); });
  const auto all = [](const TopKnown& known) {
    return known.listed && std::all_of(known.machines.begin(), known.machines.end(),
                                       [](const auto& one) { return one.has_been_heard(); });
  };
  return known_.wait(
      deadline, [&](const TopKnown& known) { return cancel.cancelled() || all(known); }, all);
}

void TopCollector::take_news() const {
  std::array<char, 256> bytes{};
  while (::read(news_.read.get(), bytes.data(), bytes.size()) > 0) {
  }
}

void TopCollector::change(const std::function<void(TopKnown&)>& how) {
  known_.change([&](TopKnown& known) { how(known); });
  // A full pipe is news enough.
  [[maybe_unused]] const auto written = ::write(news_.write.get(), "!", 1);
}

void TopCollector::change_machine(const std::string& name,
                                  const std::function<void(TopMachine&)>& how) {
  change([&](TopKnown& known) {
    for (auto& machine : known.machines) {
      if (machine.name == name) how(machine);
    }
  });
}

Result<ops::ToAsk> TopCollector::specs() {
  if (options_.names.empty()) {
    return ops::machines_to_ask(engine_, session_, ops::Aliases::Many);
  }
  std::vector<SandboxSpec> specs;
  for (const auto& name : options_.names) {
    TRY_ASSIGN(SandboxSpec spec, ops::resolve_sandbox(engine_, session_, name));
    const auto is_same = [&](const SandboxSpec& other) { return other.name == spec.name; };
    if (std::none_of(specs.begin(), specs.end(), is_same)) specs.push_back(std::move(spec));
  }
  return ops::ToAsk{.specs = std::move(specs)};
}

// Begins with those that are new, and leaves those that are not wanted any more.
void TopCollector::watch(const std::vector<SandboxSpec>& specs) {
  std::set<std::string> wanted;
  for (const auto& spec : specs) wanted.insert(spec.name);
  std::erase_if(watchers_, [&](const auto& entry) { return !wanted.contains(entry.first); });
  change([&](TopKnown& known) {
    std::erase_if(known.machines,
                  [&](const TopMachine& machine) { return !wanted.contains(machine.name); });
    for (const auto& spec : specs) {
      if (watchers_.contains(spec.name)) continue;
      TopMachine machine;
      machine.name = spec.name;
      known.machines.push_back(std::move(machine));
    }
  });
  for (const auto& spec : specs) {
    if (!watchers_.contains(spec.name)) {
      watchers_.emplace(spec.name, std::make_unique<Watcher>(*this, spec));
    }
  }
}

// The file with the machines may change, and transfers come and go.
void TopCollector::look_around() {
  const auto specs = this->specs();
  if (specs) watch(specs->specs);
  auto transfers = ops::list_transfers(engine_, kMostTransfers);
  change([&](TopKnown& known) {
    known.listed = true;
    known.trouble = !specs       ? specs.error().message
                    : !transfers ? transfers.error().message
                                 : ops::left_out_note(specs->left_out);
    known.transfers.clear();
    if (!transfers) return;
    for (auto& one : *transfers) {
      if (!one.state.ended()) known.transfers.push_back(std::move(one));
    }
  });
}

void TopCollector::open_log(const std::string& machine, const std::string& run_id) {
  close_log();
  change([&](TopKnown& known) { known.log.emplace(machine, run_id); });
  follower_ = std::make_unique<Follower>(*this, machine, run_id);
}

void TopCollector::close_log() {
  follower_.reset();
  change([](TopKnown& known) { known.log.reset(); });
}

}  // namespace yonder::cli
