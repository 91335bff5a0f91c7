#include "sync/sync.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "link/link_pool.h"
#include "sync/copy.h"
#include "sync/far_tree.h"
#include "tree/pack_rules.h"
#include "tree/root.h"

namespace yonder::sync {
namespace {

constexpr std::uint64_t kMaxExcludeFile = 1024UL * 1024;
constexpr std::int64_t kMillisecond = 1000000;
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

Result<tree::RuleSet> rules_of(const SyncOptions& options) {
  tree::RuleSet rules;
  if (options.default_rules) tree::add_defaults(rules);
  if (!options.exclude_file.empty()) {
    auto content = read_file(options.exclude_file, kMaxExcludeFile);
    if (!content) return std::move(content).error().context("exclude_file");
    TRY(rules.add_file("", *content, concat("exclude_file ", options.exclude_file),
                       tree::Level::ExcludeFile));
  }
  int line = 0;
  for (const auto& exclude : options.excludes) {
    TRY(rules.add("", exclude, {"excludes", ++line}));
  }
  return rules;
}

// What both ends have, seen from here.
struct Look {
  tree::Listing source;
  tree::Listing target;
  tree::RuleSet rules;  // with the ignore files that were found
};

class Syncing {
 public:
  Syncing(const SyncSetup& setup, const SyncRequest& request, const SyncHooks& hooks)
      : setup_(setup),
        request_(request),
        hooks_(hooks),
        push_(request.direction == Direction::Push),
        bases_(setup.state_dir + "/syncs") {}

  Result<SyncReport> run();

 private:
  Result<void> find_local();
  Result<void> attempt();
  Result<void> attempt_over(const std::shared_ptr<link::Link>& link);
  Result<Look> look(FarTree& far);
  Result<void> answer_questions(FarTree& far, const Plan& plan, PlanInput& input);
  Result<Plan> plan_for(FarTree& far, const Look& look, const BaseRecord* base);
  Result<void> carry_out(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                         const Look& look);
  Result<bool> is_fast(link::Link& link, const Plan& plan);
  void count(const Plan& plan, const Tally& tally);
  void save_bases(const Plan& plan, const Look& look, const Tally& tally,
                  const std::optional<BaseRecord>& before);
  Result<void> note_intents(const Plan& plan);
  bool worth_another_round(const Tally& tally) const;
  void show(Phase phase, const Tally* tally, const Plan* plan);

  tree::OpenTree far_wanted() const;
  Pair pair(bool push) const {
    return {.machine = setup_.spec.name,
            .local_root = report_.local_path,
            .remote_root = report_.remote_path,
            .push = push};
  }
  int local_fd() const { return *local_->get(); }

  const SyncSetup& setup_;
  const SyncRequest& request_;
  const SyncHooks& hooks_;
  const bool push_;
  BaseStore bases_;
  std::optional<tree::Root> local_;
  tree::RootState far_root_;
  SyncReport report_;
  bool again_ = false;
  Instant shown_{};
  std::int64_t scanned_ns_ = 0;  // when we began to look, by the clock of the source
};

std::int64_t now_ns(std::int64_t ahead_ms) {
  return (wall_clock_ms() + ahead_ms) * kMillisecond;
}

Result<void> Syncing::find_local() {
  tree::OpenTree wanted{.path = request_.local_path,
                        .base = setup_.directory,
                        .role = push_ ? tree::Role::Source : tree::Role::Target};
  if (!push_) wanted.file = far_root_.is_directory ? "" : far_root_.file;
  auto found = tree::Root::find(wanted, setup_.home);
  if (!found) return std::move(found).error().context("local_path");
  if (push_ && !found->state().exists) {
    return Error{Errc::NotFound,
                 concat("local_path '", printable(request_.local_path), "' does not exist"),
                 "nothing was changed; check the path"};
  }
  local_ = *std::move(found);
  const auto& state = local_->state();
  report_.local_path = state.file.empty() ? state.path : concat(state.path, "/", state.file);
  return {};
}

tree::OpenTree Syncing::far_wanted() const {
  return {.path = request_.remote_path,
          .base = setup_.spec.cwd,
          .file = push_ ? local_->state().file : "",
          .role = push_ ? tree::Role::Target : tree::Role::Source,
          .keep_replaced = request_.options.keep_replaced,
          .flush_to_disk = request_.options.flush_to_disk};
}

Result<Look> Syncing::look(FarTree& far) {
  TRY_ASSIGN(tree::RuleSet rules, rules_of(request_.options));
  const SyncOptions& options = request_.options;
  const tree::ScanTree wanted{.rules = tree::pack_rules(rules),
                              .use_gitignore = options.use_gitignore,
                              .hash = options.checksum,
                              .twins = options.hard_links && !push_};
  TRY(far.ask_scan(wanted));
  // Both ends look at the same time.
  tree::Listing own;
  tree::RuleSet all_rules = rules;
  const tree::ScanOptions scan_options{.rules = &rules,
                                       .use_gitignore = options.use_gitignore,
                                       .hash = options.checksum,
                                       .twins = options.hard_links && push_};
  const std::string single = local_ ? local_->state().file : "";
  const auto scan_here = [&]() -> Result<void> {
    if (!local_->exists()) return {};
    TRY_ASSIGN(const int root, local_->get());
    if (!single.empty()) {
      auto entry = tree::list_one(root, single, scan_options);
      if (entry) own.entries.push_back(*std::move(entry));
      if (!entry && entry.error().code != Errc::NotFound) return std::move(entry).error();
      return {};
    }
    return tree::scan(
        root, scan_options,
        {.on_entry = [&](tree::Entry&& e) { own.entries.push_back(std::move(e)); },
         .on_skip = [&](tree::Skip&& skip) { own.skips.push_back(std::move(skip)); },
         .on_temporary = [&](std::string&& path) { own.temporaries.push_back(std::move(path)); },
         .on_ignore_file =
             [&](const std::string& directory, const std::string& content) {
               (void)all_rules.add_file(directory, content, concat(directory, "/.gitignore"));
             },
         .stopped = [&] { return hooks_.cancel.cancelled(); }});
  };
  auto scanned = scan_here();
  if (!scanned) return std::move(scanned).error().context("local_path");
  // The answer to a push's Open comes with the list: one round trip for both.
  if (push_) {
    TRY_ASSIGN(far_root_, far.root());
  }
  TRY_ASSIGN(tree::Listing theirs, far.listing());
  Look look{.rules = std::move(all_rules)};
  look.source = push_ ? std::move(own) : std::move(theirs);
  look.target = push_ ? std::move(theirs) : std::move(own);
  return look;
}

Result<void> Syncing::answer_questions(FarTree& far, const Plan& plan, PlanInput& input) {
  TRY(tree::send_raw(far.out(), tree::Kind::HashFiles, tree::pack_texts(plan.questions)));
  TRY(far.out().flush());
  std::map<std::string, tree::Hash> own;
  for (const auto& path : plan.questions) {
    const auto entry = tree::list_one(local_fd(), path, {.hash = true});
    if (entry && entry->hash) own[path] = *entry->hash;
    input.hashes[path] = {};
  }
  TRY_ASSIGN(const tree::Listing theirs, far.listing());
  const auto set = [&](const std::string& path, const tree::Hash& hash, bool source) {
    const auto found = input.hashes.find(path);
    if (found == input.hashes.end()) return;
    (source ? found->second.source : found->second.target) = hash;
  };
  for (const auto& [path, hash] : own) set(path, hash, push_);
  for (const auto& entry : theirs.entries) {
    if (entry.hash) set(entry.path, *entry.hash, !push_);
  }
  return {};
}

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
                  .now_ns = scanned_ns_};
  Plan plan = make_plan(input, plan_options);
  if (!plan.questions.empty()) {
    TRY(answer_questions(far, plan, input));
    const auto asked = std::move(plan.questions);
    plan = make_plan(input, plan_options);
    plan.questions = asked;
  }
  const bool push = push_;
  const std::string& target = push ? far_root_.path : local_->state().path;
  TRY(check_removals(plan, plan_options,
                     {.target_path = target,
                      .target_home = push ? far_root_.home : local_->state().home,
                      .source_exists = push ? local_->state().exists : far_root_.exists,
                      .source_entries = look.source.entries.size(),
                      .target_entries = look.target.entries.size()}));
  return plan;
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

Result<void> Syncing::note_intents(const Plan& plan) {
  std::string intents;
  for (const Action& action : plan.actions) {
    if (action.act == Act::Remove || action.act == Act::MakeDirectory) continue;
    intents += pack_intent(
        action.path,
        {.exists = true, .type = action.type, .size = action.size, .mtime_ns = action.mtime_ns});
  }
  if (intents.empty()) return {};
  return bases_.note_intents(pair(push_), intents);
}

// Only asked where it matters: it costs a round trip.
Result<bool> Syncing::is_fast(link::Link& link, const Plan& plan) {
  if (!has_delta(plan)) return true;
  TRY_ASSIGN(const Duration round_trip, link.ping(Deadline::never(), hooks_.cancel));
  return round_trip < kFastLink;
}

Result<void> Syncing::carry_out(const std::shared_ptr<link::Link>& link, FarTree& far,
                                const Plan& plan, const Look& look) {
  Tally tally;
  const auto before = bases_.load(pair(push_));
  if (before) TRY(note_intents(plan));
  if (!push_) TRY(local_->make());
  TRY_ASSIGN(const bool fast, is_fast(*link, plan));
  const CopySetup copy{
      .plan = plan,
      .source = look.source,
      .target = look.target,
      .local_root = local_fd(),
      .far = far_wanted(),
      .tally = tally,
      .cancel = hooks_.cancel,
      .tick = [&] { show(Phase::Copying, &tally, &plan); },
      .open_link =
          [&] {
            return setup_.links.open_another(
                setup_.spec,
                {.deadline = Deadline::after(std::chrono::seconds(30)), .cancel = hooks_.cancel});
          },
      .most_links = setup_.most_links,
      .fast_link = fast,
      .apply = {.keep = request_.options.keep_replaced ? tree::Keep::InTrash : tree::Keep::Nowhere,
                .flush_to_disk = request_.options.flush_to_disk},
      .local_root_path = local_->state().path,
      .local_trash = {setup_.state_dir}};
  auto copied = push_ ? push(copy, far) : pull(copy, far);
  report_.bytes_sent += tally.bytes;
  report_.bytes_on_wire += tally.wire_bytes;
  report_.links = std::max(report_.links, tally.links.load());
  for (const auto& batch : tally.trash_batches()) report_.trash_batches.push_back(batch);
  TRY(std::move(copied));
  show(Phase::Finishing, &tally, &plan);
  count(plan, tally);
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

void Syncing::count(const Plan& plan, const Tally& tally) {
  report_.failed = tally.failures();
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    if (tally.has_failed(i)) continue;
    switch (plan.actions[i].act) {
      case Act::MakeDirectory: ++report_.directories_made; break;
      case Act::SetAttributes: ++report_.attributes_set; break;
      case Act::Remove:
        ++(plan.actions[i].type == tree::Type::Directory ? report_.directories_removed
                                                         : report_.files_removed);
        break;
      default: ++report_.files_sent; break;
    }
  }
}

void Syncing::save_bases(const Plan& plan, const Look& look, const Tally& tally,
                         const std::optional<BaseRecord>& before) {
  BaseRecord base;
  base.set_scanned_ns(scanned_ns_);
  for (const auto& entry : look.target.entries) base.note(entry.path, tree::seen_as(entry));
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& a = plan.actions[i];
    if (tally.has_failed(i)) continue;
    if (a.act == Act::Remove) {
      base.forget(a.path);
    } else {
      base.note(a.path, {.exists = true, .type = a.type, .size = a.size, .mtime_ns = a.mtime_ns});
    }
  }
  // A conflict stays one until somebody decides it.
  for (const auto& left : plan.left) {
    if (left.why != Left::Conflict) continue;
    const tree::Seen* then = before ? before->find(left.path) : nullptr;
    base.forget(left.path);
    if (then != nullptr) base.note(left.path, *then);
  }
  auto saved = bases_.save(pair(push_), base);
  // The other way round: what the source is now is what the next sync back would meet.
  if (saved) {
    BaseRecord back;
    back.set_scanned_ns(base.scanned_ns());
    for (const auto& entry : look.source.entries) back.note(entry.path, tree::seen_as(entry));
    // What did not get there is not in step.
    for (const auto& left : plan.left) back.forget(left.path);
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
      if (tally.has_failed(i)) back.forget(plan.actions[i].path);
    }
    saved = bases_.save(pair(!push_), back);
  }
  if (!saved) {
    report_.warnings.push_back(concat("what this sync has done could not be written down (",
                                      saved.error().message,
                                      "): the next one cannot tell who changed a file"));
  }
}

Result<void> Syncing::attempt_over(const std::shared_ptr<link::Link>& link) {
  show(Phase::Looking, nullptr, nullptr);
  if (push_) TRY(find_local());
  TRY_ASSIGN(const auto far, FarTree::open(link, far_wanted(), hooks_.cancel));
  if (!push_) {
    TRY_ASSIGN(far_root_, far->root());
    if (!far_root_.exists) {
      return Error{Errc::NotFound,
                   concat("remote_path '", printable(far_root_.path), "' does not exist"),
                   "nothing was changed; check the path"};
    }
    TRY(find_local());
  }
  scanned_ns_ = now_ns(push_ ? 0 : link->clock_ahead_ms());
  TRY_ASSIGN(const Look look, this->look(*far));
  report_.remote_path =
      far_root_.file.empty() ? far_root_.path : concat(far_root_.path, "/", far_root_.file);
  report_.single_file = !far_root_.file.empty();
  const auto base = bases_.load(pair(push_));
  TRY_ASSIGN(Plan plan, plan_for(*far, look, base ? &*base : nullptr));
  again_ = false;
  report_.failed.clear();
  TRY(hooks_.on_plan(plan));
  if (!request_.dry_run && !plan.empty()) {
    TRY(carry_out(link, *far, plan, look));
  } else if (!request_.dry_run && (!base || !plan.questions.empty())) {
    save_bases(plan, look, Tally(), base);
  }
  report_.bytes_on_wire += far->wire_bytes();
  report_.plan = std::move(plan);
  return {};
}

Result<void> Syncing::attempt() {
  show(Phase::Connecting, nullptr, nullptr);
  const bool first = report_.reconnects == 0;
  TRY_ASSIGN(const auto link,
             setup_.links.acquire(setup_.spec, {.deadline = Deadline::after(setup_.patience),
                                                .cancel = hooks_.cancel,
                                                .keep_trying = !first,
                                                .progress = hooks_.on_note}));
  return attempt_over(link);
}

Result<SyncReport> Syncing::run() {
  const auto began = std::chrono::steady_clock::now();
  Deadline give_up = Deadline::after(setup_.patience);
  report_.dry_run = request_.dry_run;
  for (int rounds = 0; rounds < kMostRounds;) {
    const std::uint64_t before = report_.bytes_sent;
    auto done = attempt();
    if (report_.bytes_sent > before) give_up = Deadline::after(setup_.patience);
    if (!done && done.error().code == Errc::LinkLost && !hooks_.cancel.cancelled()) {
      if (give_up.expired()) return std::move(done).error();
      ++report_.reconnects;
      hooks_.on_note("the link was lost: connecting again");
      continue;
    }
    TRY(std::move(done));
    ++rounds;
    if (!again_) break;
  }
  report_.duration = std::chrono::steady_clock::now() - began;
  if (!request_.dry_run) {
    report_.plan.actions.clear();
    report_.plan.directories.clear();
  }
  return std::move(report_);
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
