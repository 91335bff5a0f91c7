#include "outpost/gpu_wait.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "outpost/gpu_times.h"
#include "outpost/machine.h"

namespace yonder::outpost {
namespace {

using std::chrono::milliseconds;

// Between two looks. Claims announce their changes; those who use a GPU without one do not, and the
// driver needs a moment to forget a process.
constexpr milliseconds kFirstPause{200};
constexpr milliseconds kLongestPause{5000};
constexpr std::int64_t kSeenAgainMs = 30000;

class Waiting {
 public:
  Waiting(const RunRecord& record, const wire::StartRequest& spec, GpuLease lease)
      : record_(record), spec_(spec), lease_(std::move(lease)) {
    if (spec.gpu_queue_ms) limit_ = Deadline::after(milliseconds(*spec.gpu_queue_ms));
    lease_.wake_for(record_.directory(), "stop");
  }

  Result<GpuLease> run() {
    while (true) {
      if (record_.stop_wanted())
        return ended({Errc::Cancelled, "it was stopped while it waited", ""});
      auto look = lease_.look();
      rest_ = Deadline::after(kFirstPause);
      // What counts is what is written down for all to see.
      if (look && !lease_.given().empty()) return granted();
      if (auto refused = refusal(look)) return ended(*std::move(refused));
      queued_ = true;
      if (spec_.gpu_queue) note(look);
      pause(look && look->others_undecided);
    }
  }

 private:
  Result<GpuLease> granted();
  Error ended(Error why);
  std::optional<Error> refusal(const Result<Turn>& look) const;
  void note(const Result<Turn>& look);
  void pause(bool somebody_decides);

  const RunRecord& record_;
  const wire::StartRequest& spec_;
  GpuLease lease_;
  Deadline limit_ = Deadline::never();
  Deadline decision_ = Deadline::after(gpu_times().decision);
  Deadline rest_ = Deadline::never();  // however much happens, the tool is not asked before
  milliseconds pause_ = kFirstPause;
  bool queued_ = false;
  wire::WaitingRecord noted_;
};

Result<GpuLease> Waiting::granted() {
  if (record_.stop_wanted()) return ended({Errc::Cancelled, "it was stopped while it waited", ""});
  ::unlink(record_.path("waiting").c_str());
  return std::move(lease_);
}

Error Waiting::ended(Error why) {
  lease_.leave();
  ::unlink(record_.path("waiting").c_str());
  return why;
}

std::optional<Error> Waiting::refusal(const Result<Turn>& look) const {
  // A driver that is loaded anew shows no GPUs for a while: who is in the queue stays there.
  if (!look && look.error().code == Errc::Unsupported && !queued_) return look.error();
  if (spec_.gpu_queue && limit_.expired()) {
    return Error{Errc::Timeout,
                 concat("no GPU was to be had for it within ", *spec_.gpu_queue_ms / 1000, " s",
                        look ? concat(": ", join(look->holders, "; ")) : ""),
                 "nothing was run"};
  }
  if (spec_.gpu_queue) return std::nullopt;
  if (!look) return look.error();
  if (look->others_undecided && !decision_.expired()) return std::nullopt;
  return Error{Errc::Conflict,
               concat(spec_.gpus, spec_.gpus == 1 ? " GPU" : " GPUs",
                      " wanted, and not so many are free: ", join(look->holders, "; ")),
               "nothing was run; a background run with when: \"free\" (yonder run --when free) "
               "waits for them"};
}

// Only what has changed is written: somebody may be told of every change.
void Waiting::note(const Result<Turn>& look) {
  wire::WaitingRecord now{.boot_id = read_boot_id(),
                          .host = read_hostname(),
                          .since_ms = lease_.since_ms(),
                          .seen_ms = wall_clock_ms(),
                          .gpus = spec_.gpus,
                          .ahead = noted_.ahead};
  if (look) {
    now.ahead = look->ahead;
    now.holders = look->holders;
  } else {
    now.holders = {look.error().message};
  }
  const bool same = now.ahead == noted_.ahead && now.holders == noted_.holders &&
                    now.seen_ms - noted_.seen_ms < kSeenAgainMs;
  if (same) return;
  // A disk that is full now may have room when the run's turn comes.
  if (record_.write_waiting(now)) noted_ = std::move(now);
}

void Waiting::pause(bool somebody_decides) {
  const Deadline next =
      Deadline::earlier(Deadline::after(somebody_decides ? kFirstPause : pause_), limit_);
  bool changed = false;
  while (!changed && !next.expired()) {
    pollfd changes{lease_.changes().get(), POLLIN, 0};
    ::poll(&changes, 1, next.poll_timeout());
    changed = lease_.drain_changes();
  }
  if (changed && !record_.stop_wanted()) {
    ::poll(nullptr, 0, Deadline::earlier(rest_, limit_).poll_timeout());
  }
  pause_ = changed ? kFirstPause : std::min(pause_ * 2, kLongestPause);
  lease_.touch();
}

}  // namespace

Result<GpuLease> obtain_gpus(const RunRecord& record, const wire::StartRequest& spec) {
  TRY_ASSIGN(GpuLease lease, GpuLease::enter(record.id(), spec));
  return Waiting(record, spec, std::move(lease)).run();
}

}  // namespace yonder::outpost
