#include "sync/sync.h"

#include <algorithm>
#include <thread>

#include "base/clean_text.h"
#include "base/text.h"
#include "link/link_pool.h"
#include "sync/syncing.h"

namespace yonder::sync {
namespace {

constexpr auto kLoginLimit = std::chrono::seconds(30);  // of a further link
// A link that is lost so often may not bear several logins at once.
constexpr int kLossesWithMoreLinks = 3;
constexpr auto kBetweenProgress = std::chrono::milliseconds(100);
// What was changed while we worked is tried once more.
constexpr int kMostRounds = 2;

}  // namespace

void Syncing::show(Phase phase, const Tally* tally, const Plan* plan) {
  const auto now = std::chrono::steady_clock::now();
  if (phase == Phase::Copying && now - shown_ < kBetweenProgress) return;
  shown_ = now;
  Progress progress{.phase = phase, .reconnects = report_.reconnects};
  if (plan != nullptr) {
    progress.files_total = plan->counts.files();
    progress.bytes_total = plan->counts.bytes;
  }
  if (tally != nullptr) {
    progress.files_done = tally->files;
    progress.bytes_done = std::min<std::uint64_t>(tally->bytes, progress.bytes_total);
    progress.current = tally->current();
  }
  hooks_.on_progress(progress);
}

Result<void> Syncing::copy(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                           const Look& look, Tally& tally) {
  if (!push_) TRY(ends_.local().make());
  TRY_ASSIGN(const int root, ends_.local().get());
  // Known by now, but for a link that has just been opened; then it is asked where it matters most.
  if (!link->round_trip() && has_delta(plan)) {
    TRY(link->ping(Deadline::never(), hooks_.cancel));
  }
  const bool near_link = is_near(*link);
  const int most_links =
      setup_.most_links.value_or(links_worth_it(near_link, std::thread::hardware_concurrency()));
  const SyncOptions& options = request_.options;
  const CopySetup setup{
      .plan = plan,
      .source = look.source,
      .target = look.target,
      .local_root = root,
      .far = ends_.far_wanted(),
      .source_name = ends_.source_name(),
      .origin = ends_.origin(),
      .tally = tally,
      .cancel = hooks_.cancel,
      .tick = [&] { show(Phase::Copying, &tally, &plan); },
      .open_link =
          [&](const CancelToken& cancel) {
            return setup_.links.open_another(
                setup_.spec, {.deadline = Deadline::after(kLoginLimit), .cancel = cancel});
          },
      .most_links = report_.reconnects < kLossesWithMoreLinks ? most_links : 1,
      .near_link = near_link,
      .apply = {.keep = options.keep_replaced ? tree::Keep::InTrash : tree::Keep::Nowhere,
                .flush_to_disk = options.flush_to_disk,
                .claim = ends_.claim()},
      .local_root_path = ends_.local().state().path,
      .local_trash = {setup_.state_dir}};
  return push_ ? push(setup, far) : pull(setup, far);
}

Result<void> Syncing::carry_out(const std::shared_ptr<link::Link>& link, FarTree& far,
                                const Plan& plan, const Look& look,
                                std::optional<BaseRecord> before) {
  Tally tally;
  TRY(note_intents(plan, before.has_value()));
  if (plan.makes_root) made_root_ = true;
  auto copied = copy(link, far, plan, look, tally);
  report_.bytes_sent += tally.bytes - std::min(tally.bytes.load(), tally.bytes_found.load());
  report_.bytes_on_wire += tally.wire_bytes;
  report_.attributes_lost += tally.lost_attributes;
  report_.links = std::max(report_.links, tally.links.load());
  for (const auto& batch : tally.trash_batches()) report_.trash_batches.push_back(batch);
  if (tally.lost_modes) {
    warn("the target's file system does not keep all modes: some entries have others there");
  }
  if (!copied) {
    cut_ = perhaps_done(plan, tally);
    return copied;
  }
  show(Phase::Finishing, &tally, &plan);
  count(report_, plan, tally);
  save_bases(plan, look, tally, std::move(before));
  again_ = worth_another_round(tally);
  return {};
}

// Whatever somebody changed meanwhile is looked at once more.
bool Syncing::worth_another_round(const Tally& tally) const {
  const auto failures = tally.failures();
  return std::any_of(failures.begin(), failures.end(), [](const FailedEntry& failed) {
    return failed.code == Errc::Conflict || failed.code == Errc::Protocol ||
           failed.code == Errc::NotFound;
  });
}

void Syncing::warn_of(const Unasked& unasked) {
  if (unasked.entries == 0) return;
  warn(concat("the far side has listed what the rules here leave out (", unasked.entries,
              unasked.entries == 1 ? " entry, '" : " entries, the first is '",
              printable(unasked.first), "'): nothing of it was taken"));
}

void Syncing::count_cut(const Plan& now, const Look& look) {
  const auto cut = std::exchange(cut_, {});
  const std::uint64_t replaced = count_done(report_, cut, now, look.target);
  // The far side names its batch at the end of an attempt only.
  if (!push_ || replaced == 0 || !request_.options.keep_replaced) return;
  warn(concat(replaced, replaced == 1 ? " thing was" : " things were",
              " replaced or removed before the link was lost: kept in the trash over there, in a "
              "batch that trash_batches may not name; list_remote_trash (yonder restore) shows "
              "it"));
}

Result<void> Syncing::attempt_over(const std::shared_ptr<link::Link>& link) {
  show(Phase::Looking, nullptr, nullptr);
  TRY_ASSIGN(const auto far, ends_.open(link));
  auto done = attempt_with(link, *far);
  report_.bytes_on_wire += far->wire_bytes();
  return done;
}

Result<void> Syncing::attempt_with(const std::shared_ptr<link::Link>& link, FarTree& far) {
  // A pull knows by now which two places these are; a push does when it has looked.
  auto base = push_ ? std::nullopt : load_base(push_);
  TRY_ASSIGN(Look look, ends_.look(far, base ? &*base : nullptr));
  report_.local_path = ends_.local_path();
  report_.remote_path = ends_.remote_path();
  report_.single_file = ends_.is_single_file();
  if (push_) base = load_base(push_);
  TRY_ASSIGN(Plan plan, plan_for(far, look, base ? &*base : nullptr));
  count_cut(plan, look);
  Counts& counts = plan.counts;
  if (!unchanged_) unchanged_ = {counts.unchanged, counts.unchanged_directories};
  counts.unchanged = std::min(counts.unchanged, unchanged_->entries);
  counts.unchanged_directories = std::min(counts.unchanged_directories, unchanged_->directories);
  again_ = false;
  report_.failed.clear();
  warn_of(look.unasked);
  if (plan.without_record) {
    warn(
        "there is no record of an earlier sync between these two places: what is newer in the "
        "target was taken for somebody's change, what is older was not");
  }
  TRY(hooks_.on_plan(plan));
  if (!request_.dry_run && !plan.empty()) {
    TRY(carry_out(link, far, plan, look, std::move(base)));
  } else if (!request_.dry_run) {
    save_bases(plan, look, Tally(), std::move(base));
  }
  report_.plan = std::move(plan);
  return {};
}

Result<void> Syncing::attempt() {
  show(Phase::Connecting, nullptr, nullptr);
  const bool first = losses_ == 0;
  TRY_ASSIGN(const auto link,
             setup_.links.acquire(setup_.spec, {.deadline = Deadline::after(setup_.patience),
                                                .cancel = hooks_.cancel,
                                                .keep_trying = !first,
                                                .progress = hooks_.on_note}));
  return attempt_over(link);
}

Result<void> Syncing::run_attempts() {
  Deadline give_up = Deadline::after(setup_.patience);
  for (int rounds = 0; rounds < kMostRounds;) {
    const std::uint64_t sent_before = report_.bytes_sent;
    auto done = attempt();
    // As long as it gets on, it goes on.
    if (report_.bytes_sent > sent_before) give_up = Deadline::after(setup_.patience);
    if (!done && done.error().code == Errc::LinkLost && !hooks_.cancel.cancelled()) {
      if (give_up.expired()) return done;
      ++losses_;
      ++report_.reconnects;
      hooks_.on_note("the link was lost: connecting again");
      continue;
    }
    TRY(std::move(done));
    ++rounds;
    if (!again_) break;
  }
  return {};
}

Result<SyncReport> Syncing::run() {
  const auto began = std::chrono::steady_clock::now();
  if (hooks_.before != nullptr) {
    report_ = hooks_.before->report;
    cut_ = hooks_.before->cut;
    unchanged_ = hooks_.before->unchanged;
    judged_ = true;
  }
  report_.dry_run = request_.dry_run;
  auto done = run_attempts();
  report_.duration += std::chrono::steady_clock::now() - began;
  if (!request_.dry_run) {
    report_.plan.actions.clear();
    report_.plan.directories.clear();
  }
  if (done) return std::move(report_);
  hooks_.on_cut({std::move(report_), std::move(cut_), unchanged_});
  return std::move(done).error();
}

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::Connecting: return "connecting";
    case Phase::Looking: return "looking";
    case Phase::Copying: return "copying";
    case Phase::Finishing: break;
  }
  return "finishing";
}

Result<SyncReport> run_sync(const SyncSetup& setup, const SyncRequest& request,
                            const SyncHooks& hooks) {
  return Syncing(setup, request, hooks).run();
}

}  // namespace yonder::sync
