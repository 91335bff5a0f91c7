#include "sync/sync.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"
#include "link/link_pool.h"
#include "sync/after.h"
#include "sync/copy.h"
#include "sync/ends.h"
#include "sync/far_tree.h"
#include "sync/so_far.h"

namespace yonder::sync {
namespace {

constexpr auto kLoginLimit = std::chrono::seconds(30);  // of a further link
// A link that is lost so often may not bear several logins at once.
constexpr int kLossesWithMoreLinks = 3;
constexpr auto kBetweenProgress = std::chrono::milliseconds(100);
// What was changed while we worked is tried once more.
constexpr int kMostRounds = 2;
// Where a round trip takes less, and so the link is probably as near as the disk.
constexpr auto kFastLink = std::chrono::milliseconds(2);

std::string stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

OnConflict choice_for(ConflictChoice choice, Direction direction) {
  const bool push = direction == Direction::Push;
  switch (choice) {
    case ConflictChoice::KeepRemote: return push ? OnConflict::KeepTarget : OnConflict::TakeSource;
    case ConflictChoice::KeepLocal: return push ? OnConflict::TakeSource : OnConflict::KeepTarget;
    case ConflictChoice::Both: return OnConflict::Both;
    case ConflictChoice::Stop: break;
  }
  return OnConflict::Stop;
}

class Syncing {
 public:
  Syncing(const SyncSetup& setup, const SyncRequest& request, const SyncHooks& hooks)
      : setup_(setup),
        request_(request),
        hooks_(hooks),
        push_(request.direction == Direction::Push),
        ends_(setup, request, hooks.cancel),
        bases_(setup.state_dir + "/syncs") {}

  Result<SyncReport> run();

 private:
  Result<void> run_attempts();
  Result<void> attempt();
  Result<void> attempt_over(const std::shared_ptr<link::Link>& link);
  Result<void> attempt_with(const std::shared_ptr<link::Link>& link, FarTree& far);
  Result<Plan> plan_for(FarTree& far, const Look& look, const BaseRecord* base);
  Result<void> judge_removals(Plan& plan, const PlanOptions& options, const Look& look);
  Result<void> carry_out(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                         const Look& look);
  Result<void> copy(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                    const Look& look, Tally& tally);
  Result<bool> is_fast(link::Link& link, const Plan& plan);
  std::vector<Ancestor> ancestors(bool push) const;
  std::optional<BaseRecord> load_base(bool push) const;
  Result<void> note_intents(const Plan& plan) const;
  Result<void> save_in_ancestors(bool push, const BaseRecord& part, const Plan& plan,
                                 const Tally& tally) const;
  void save_bases(const Plan& plan, const Look& look, const Tally& tally,
                  const std::optional<BaseRecord>& before);
  // Once, however many attempts there are.
  void warn(std::string warning) {
    auto& all = report_.warnings;
    if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(std::move(warning));
  }
  void count_cut(const Plan& now);
  void warn_of(const Unasked& unasked);
  bool worth_another_round(const Tally& tally) const;
  void show(Phase phase, const Tally* tally, const Plan* plan);

  const SyncSetup& setup_;
  const SyncRequest& request_;
  const SyncHooks& hooks_;
  const bool push_;
  Ends ends_;
  BaseStore bases_;
  SyncReport report_;
  std::vector<Action> cut_;  // of an attempt that nobody saw the end of
  bool again_ = false;
  int losses_ = 0;  // of the link
  bool made_root_ = false;
  Instant shown_{};
};

Result<Plan> Syncing::plan_for(FarTree& far, const Look& look, const BaseRecord* base) {
  const SyncOptions& options = request_.options;
  const PlanOptions plan_options{.delete_extras = options.delete_extras,
                                 .confirm_delete = options.confirm_delete,
                                 .twins = options.hard_links,
                                 .on_conflict = choice_for(options.on_conflict, request_.direction),
                                 .conflict_ending = concat(".conflict-", stamp())};
  PlanInput input{.source = look.source,
                  .target = look.target,
                  .base = base,
                  .rules = &look.rules,
                  .now_ns = look.began_ns,
                  .source_root = look.source_root,
                  .target_root = look.target_root,
                  .made_root = made_root_};
  Plan plan = make_plan(input, plan_options);
  if (!plan.questions.empty()) {
    TRY(ends_.answer(far, plan.questions, input));
    const auto asked = std::move(plan.questions);
    plan = make_plan(input, plan_options);
    plan.questions = asked;
  }
  TRY(judge_removals(plan, plan_options, look));
  return plan;
}

Result<void> check_rules(const PlanOptions& options, const Look& look) {
  if (!options.delete_extras || look.unusable_rules.empty()) return {};
  return Error{Errc::InvalidArgument,
               concat("delete_extras is refused: the rules in ", printable(look.unusable_rules),
                      " cannot be used, so nobody knows what they leave out"),
               concat(kNothingChanged, "correct that file, or give use_gitignore=false")};
}

// A dry run is how one looks first: it says what would be refused, and shows the rest.
Result<void> Syncing::judge_removals(Plan& plan, const PlanOptions& options, const Look& look) {
  if (!options.delete_extras) return {};
  const DeleteGuard guard = ends_.guard(look);
  if (guard.single_file) warn("delete_extras does nothing for a single file");
  PlanOptions wanted = options;
  if (request_.dry_run && !options.confirm_delete && needs_confirming(plan, guard)) {
    plan.needs_confirm = plan.counts.removals();
    wanted.confirm_delete = plan.needs_confirm;
    warn(concat(*plan.needs_confirm, " of ", guard.target_entries,
                " entries would be removed: would need confirm_delete=", *plan.needs_confirm));
  }
  auto judged = check_rules(options, look);
  if (judged) judged = check_removals(plan, wanted, guard);
  if (!request_.dry_run || judged) return judged;
  const Error& error = judged.error();
  const std::string_view hint = error.hint;
  warn(concat("not without dry_run: ", error.message, "; ",
              hint.substr(hint.starts_with(kNothingChanged) ? kNothingChanged.size() : 0)));
  return {};
}

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

// Only asked where it matters: it costs a round trip.
Result<bool> Syncing::is_fast(link::Link& link, const Plan& plan) {
  if (!has_delta(plan)) return true;
  TRY_ASSIGN(const Duration round_trip, link.ping(Deadline::never(), hooks_.cancel));
  return round_trip < kFastLink;
}

Result<void> Syncing::copy(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                           const Look& look, Tally& tally) {
  if (!push_) TRY(ends_.local().make());
  TRY_ASSIGN(const int root, ends_.local().get());
  TRY_ASSIGN(const bool fast, is_fast(*link, plan));
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
      .most_links = report_.reconnects < kLossesWithMoreLinks ? setup_.most_links : 1,
      .fast_link = fast,
      .apply = {.keep = options.keep_replaced ? tree::Keep::InTrash : tree::Keep::Nowhere,
                .flush_to_disk = options.flush_to_disk,
                .claim = ends_.claim()},
      .local_root_path = ends_.local().state().path,
      .local_trash = {setup_.state_dir}};
  return push_ ? push(setup, far) : pull(setup, far);
}

Result<void> Syncing::carry_out(const std::shared_ptr<link::Link>& link, FarTree& far,
                                const Plan& plan, const Look& look) {
  Tally tally;
  const auto before = load_base(push_);
  if (before) TRY(note_intents(plan));
  if (plan.makes_root) made_root_ = true;
  auto copied = copy(link, far, plan, look, tally);
  report_.bytes_sent += tally.bytes - std::min(tally.bytes.load(), tally.bytes_found.load());
  report_.bytes_on_wire += tally.wire_bytes;
  report_.links = std::max(report_.links, tally.links.load());
  for (const auto& batch : tally.trash_batches()) report_.trash_batches.push_back(batch);
  if (!copied) {
    cut_ = perhaps_done(plan, tally);
    return copied;
  }
  show(Phase::Finishing, &tally, &plan);
  count(report_, plan, tally);
  save_bases(plan, look, tally, before);
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

std::vector<Ancestor> Syncing::ancestors(bool push) const {
  return ancestors_of(ends_.pair(push), ends_.is_single_file());
}

std::optional<BaseRecord> Syncing::load_base(bool push) const {
  return bases_.load(ends_.pair(push), ancestors(push));
}

// Whoever is killed in the middle has said to all who may ask what comes from here.
Result<void> Syncing::note_intents(const Plan& plan) const {
  const std::string own = intents_of(plan, "");
  if (own.empty()) return {};
  TRY(bases_.note_intents(ends_.pair(push_), own));
  for (const auto& [pair, prefix] : ancestors(push_)) {
    if (bases_.has(pair)) TRY(bases_.note_intents(pair, intents_of(plan, prefix)));
  }
  return {};
}

// A sync of a greater tree must not take what this one has left for somebody else's, nor what
// somebody else has left for this one's.
Result<void> Syncing::save_in_ancestors(bool push, const BaseRecord& part, const Plan& plan,
                                        const Tally& tally) const {
  for (const auto& [pair, prefix] : ancestors(push)) {
    auto whole = bases_.has(pair) ? bases_.load(pair) : std::nullopt;
    if (!whole) continue;
    BaseRecord now = with_part(*whole, part, prefix, unsettled(plan, tally));
    if (push == push_) forget_removed(now, plan, tally, prefix);
    if (whole->same_entries(now)) continue;
    // A sync of all of it that was cut off is not settled by one of a part.
    const bool settled = whole->sent_only(part, prefix);
    TRY(bases_.save(pair, now, settled ? BaseStore::Sent::IsSettled : BaseStore::Sent::IsKept));
  }
  return {};
}

void Syncing::save_bases(const Plan& plan, const Look& look, const Tally& tally,
                         const std::optional<BaseRecord>& before) {
  const BaseRecord target = target_after(plan, look, tally, before);
  if (plan.empty() && plan.questions.empty() && before && before->same_entries(target)) return;
  const auto save = [&](bool push, const BaseRecord& record) -> Result<void> {
    TRY(bases_.save(ends_.pair(push), record));
    return save_in_ancestors(push, record, plan, tally);
  };
  auto saved = save(push_, target);
  if (saved) saved = save(!push_, source_after(plan, look, tally, load_base(!push_)));
  if (saved) return;
  warn(concat("what this sync has done could not be written down (", saved.error().message,
              "): the next one cannot tell who changed a file"));
}

void Syncing::warn_of(const Unasked& unasked) {
  if (unasked.entries == 0) return;
  warn(concat("the far side has listed what the rules here leave out (", unasked.entries,
              unasked.entries == 1 ? " entry, '" : " entries, the first is '",
              printable(unasked.first), "'): nothing of it was taken"));
}

void Syncing::count_cut(const Plan& now) {
  const auto cut = std::exchange(cut_, {});
  const std::uint64_t replaced = count_done(report_, cut, now);
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
  TRY_ASSIGN(const Look look, ends_.look(far));
  report_.local_path = ends_.local_path();
  report_.remote_path = ends_.remote_path();
  report_.single_file = ends_.is_single_file();
  const auto base = load_base(push_);
  TRY_ASSIGN(Plan plan, plan_for(far, look, base ? &*base : nullptr));
  count_cut(plan);
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
    TRY(carry_out(link, far, plan, look));
  } else if (!request_.dry_run) {
    save_bases(plan, look, Tally(), base);
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
  }
  report_.dry_run = request_.dry_run;
  auto done = run_attempts();
  report_.duration += std::chrono::steady_clock::now() - began;
  if (!request_.dry_run) {
    report_.plan.actions.clear();
    report_.plan.directories.clear();
  }
  if (done) return std::move(report_);
  hooks_.on_cut({std::move(report_), std::move(cut_)});
  return std::move(done).error();
}

}  // namespace

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
