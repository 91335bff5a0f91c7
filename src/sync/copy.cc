#include "sync/copy.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/clean_text.h"
#include "base/far_text.h"
#include "base/log.h"
#include "base/text.h"

namespace yonder::sync {
namespace {

// Before that nobody knows how fast the link is, and most copies are over.
constexpr auto kBeforeMoreLinks = std::chrono::milliseconds(400);
// What takes less is not worth a further login.
constexpr double kWorthMoreLinks = 1.0;
constexpr auto kTick = std::chrono::milliseconds(100);
// Long enough for an order over there, and shorter than anybody waits before killing us. On a slow
// link the word to stop comes behind what is already on its way, and may need longer.
constexpr auto kStopWithin = std::chrono::seconds(3);

// Further links: each logs in, opens a stream of its own and takes works until none is left.
class Helpers {
 public:
  Helpers(const CopySetup& setup, WorkQueue& queue, const BeginWorker& begin)
      : setup_(setup),
        queue_(queue),
        begin_(begin),
        began_(std::chrono::steady_clock::now()),
        with_all_(setup.cancel.on_cancel([this] { logins_.cancel(); })) {}
  // All works are done by now: nobody waits for a login that is still under way.
  ~Helpers() { logins_.cancel(); }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // Called now and then by the first link's thread.
  void consider() {
    if (decided_ || setup_.most_links <= 1) return;
    const Duration spent = std::chrono::steady_clock::now() - began_;
    if (spent < kBeforeMoreLinks) return;
    const double rate = static_cast<double>(setup_.tally.bytes.load()) / to_seconds(spent);
    const auto left = static_cast<double>(queue_.bytes_left());
    if (left < rate * kWorthMoreLinks) return;
    decided_ = true;
    for (int i = 0; i < setup_.most_links; ++i) {
      threads_.emplace_back(concat("copy ", i), [this] { work(); });
    }
  }

 private:
  void work() {
    auto link = setup_.open_link(logins_.token());
    if (!link) {
      log_debug("no further link for a copy: " + link.error().message);
      return;
    }
    queue_.join();
    const int now = ++alive_;
    int most = setup_.tally.links;
    while (most < now && !setup_.tally.links.compare_exchange_weak(most, now)) {
    }
    const auto worked = work_on(*link);
    // Nobody knows what became of its last works: the attempt is looked at anew.
    if (!worked) queue_.fail(worked.error());
    --alive_;
    queue_.leave();
  }

  Result<void> work_on(const std::shared_ptr<link::Link>& link) {
    TRY_ASSIGN(const auto far, FarTree::open(link, setup_.far, setup_.cancel));
    auto worked = work_with(*far);
    if (!worked) end_stream(setup_, *far, worked.error());
    setup_.tally.wire_bytes += far->wire_bytes();
    return worked;
  }

  Result<void> work_with(FarTree& far) {
    TRY(far.root());
    const Worker worker = begin_(far, [] {});
    while (const auto next = queue_.take()) TRY(worker(&*next));
    // The attempt has failed: what this one has sent must not be done either.
    if (auto error = queue_.error()) return *std::move(error);
    return worker(nullptr);
  }

  const CopySetup& setup_;
  WorkQueue& queue_;
  const BeginWorker& begin_;
  Instant began_;
  bool decided_ = false;
  std::atomic<int> alive_{0};
  CancelSource logins_;
  CancelToken::Registration with_all_;
  std::vector<Thread> threads_;  // joined first
};

}  // namespace

int links_worth_it(bool near_link, unsigned processors) {
  constexpr int kMost = 4;
  if (!near_link) return kMost;
  return std::clamp(static_cast<int>(processors / 2), 1, kMost);
}

const std::string& path_of(const Plan& plan, std::uint64_t number) {
  static const std::string kNone;
  if (number < plan.actions.size()) return plan.actions[number].path;
  const std::uint64_t directory = number - plan.actions.size();
  return directory < plan.directories.size() ? plan.directories[directory].path : kNone;
}

tree::FileHead head_of(const CopySetup& setup, const Action& action) {
  return {.path = action.path,
          .mode = action.mode,
          .mtime_ns = action.mtime_ns,
          .size = action.size,
          .expected = action.target,
          .expected_mode = action.target_mode,
          .origin = setup.origin,
          .aside = action.set_aside,
          .attributes = action.attributes};
}

tree::Seen source_of(const Action& action) {
  return {.exists = true, .type = action.type, .size = action.size, .mtime_ns = action.mtime_ns};
}

const std::string& source_path(const CopySetup& setup, const Action& action) {
  return setup.source_name.empty() ? action.path : setup.source_name;
}

bool twin_failed(const CopySetup& setup, const Action& action, std::uint64_t number) {
  if (!action.twin_action || !setup.tally.has_failed(*action.twin_action)) return false;
  setup.tally.fail(number, action.path,
                   {Errc::Conflict,
                    concat("'", printable(action.twin_of),
                           "', of which it is another name, could not be copied"),
                    ""});
  return true;
}

bool is_given_up(const Tally& tally, std::uint64_t number, Tally::End source) {
  const auto failure = tally.failure(number);
  if (!failure) return false;
  const bool at_the_source = failure->over_there == (source == Tally::End::There);
  return at_the_source ? failure->code == Errc::Conflict || failure->code == Errc::NotFound
                       : failure->code == Errc::NoRoom;
}

void fail_too_large(const CopySetup& setup, const WorkList& list) {
  for (const std::size_t index : list.too_large) {
    const std::string& path = setup.plan.actions[index].path;
    setup.tally.fail(index, path, too_large(path));
  }
}

void end_stream(const CopySetup& setup, FarTree& far, const Error& error) {
  // It may have said where the old files are, before anybody read it.
  if (error.code == Errc::LinkLost) {
    far.hear_out([&](const tree::MessageView& message) {
      return note_failure(setup.plan, setup.tally, message);
    });
  }
  if (!far.stop(setup.tally.stop_by(kStopWithin))) setup.tally.may_go_on = true;
}

Result<void> note_failure(const Plan& plan, Tally& tally, const tree::MessageView& message) {
  const auto kind = static_cast<tree::Kind>(message.kind);
  if (kind == tree::Kind::Batch) {
    tally.note_trash(std::string(message.body));
    return {};
  }
  if (kind != tree::Kind::Failed && kind != tree::Kind::Note) return tree::unexpected(message.kind);
  TRY_ASSIGN(const auto failure, tree::unpack_message<tree::Failure>(message.body));
  if (failure.number >= plan.actions.size() + plan.directories.size()) {
    return tree::unexpected(message.kind);
  }
  if (kind == tree::Kind::Note) {
    tally.keep(failure.number);
    return {};
  }
  tally.fail(failure.number, path_of(plan, failure.number),
             {errc_from_name(failure.code),
              printable(std::string_view(failure.message).substr(0, kMostFarText)), ""},
             Tally::End::There);
  return {};
}

Result<void> share_out(const CopySetup& setup, WorkQueue& queue, FarTree& first,
                       const BeginWorker& begin) {
  Helpers helpers(setup, queue, begin);
  const auto tick = [&] {
    helpers.consider();
    setup.tick();
  };
  const Worker worker = begin(first, tick);
  while (true) {
    tick();
    if (setup.cancel.cancelled()) queue.fail({Errc::Cancelled, "cancelled", ""});
    if (const auto next = queue.take_when_alone()) {
      auto done = worker(&*next);
      if (!done) queue.fail(done.error());
    } else if (queue.finished()) {
      break;
    } else {
      queue.wait(Deadline::after(kTick));
    }
  }
  if (const auto error = queue.error()) return *error;
  return worker(nullptr);
}

}  // namespace yonder::sync
