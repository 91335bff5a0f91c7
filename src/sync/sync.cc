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
#include "tree/beneath.h"
#include "tree/pack_rules.h"
#include "tree/part.h"
#include "tree/root.h"

namespace yonder::sync {
namespace {

constexpr std::uint64_t kMaxExcludeFile = 1024UL * 1024;
constexpr std::int64_t kMillisecond = 1000000;
constexpr std::size_t kQuestionBytes = 256UL * 1024;
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
  for (const auto& pattern : options.forbidden) {
    TRY(rules.add("", pattern, {std::string(kSecretPlace)}));
  }
  return rules;
}

// What both ends have, seen from here.
struct Look {
  tree::Listing source;
  tree::Listing target;
  tree::RuleSet rules;         // with the ignore files that were found in the source
  std::string unusable_rules;  // an ignore file of the source that could not be added to them
  std::int64_t began_ns = 0;   // what changes later is not in here
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
  Result<void> attempt_with(const std::shared_ptr<link::Link>& link, FarTree& far);
  Result<Look> look(FarTree& far);
  Result<tree::Listing> scan_here(const tree::RuleSet& rules);
  Result<void> name_single_file(Look& look);
  Result<std::string> name_to_pull() const;
  Result<void> answer_questions(FarTree& far, const Plan& plan, PlanInput& input);
  Result<void> answer_some(FarTree& far, const std::vector<std::string>& paths, PlanInput& input);
  Result<Plan> plan_for(FarTree& far, const Look& look, const BaseRecord* base);
  Result<void> carry_out(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                         const Look& look);
  Result<bool> is_fast(link::Link& link, const Plan& plan);
  void count(const Plan& plan, const Tally& tally);
  void count(const Action& action);
  void count_cut(const Plan& now);
  std::uint64_t origin() const;
  void save_bases(const Plan& plan, const Look& look, const Tally& tally,
                  const std::optional<BaseRecord>& before);
  static std::set<std::string_view> unsettled(const Plan& plan, const Tally& tally);
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
  std::string source_name_;  // of a single file that has another name in the target
  std::optional<Plan> cut_;  // of an attempt that nobody saw the end of
  bool again_ = false;
  Instant shown_{};
  std::int64_t far_ahead_ms_ = 0;  // of the far clock
};

std::int64_t now_ns(std::int64_t ahead_ms) {
  return (wall_clock_ms() + ahead_ms) * kMillisecond;
}

Result<void> Syncing::find_local() {
  tree::OpenTree wanted{.path = request_.local_path,
                        .base = setup_.directory,
                        .role = push_ ? tree::Role::Source : tree::Role::Target};
  if (!push_ && !far_root_.is_directory) {
    TRY_ASSIGN(wanted.file, name_to_pull());
  }
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

Result<tree::Listing> Syncing::scan_here(const tree::RuleSet& rules) {
  const SyncOptions& options = request_.options;
  tree::Listing own;
  if (!local_->exists()) return own;
  const tree::ScanOptions scan_options{.rules = &rules,
                                       .use_gitignore = options.use_gitignore,
                                       .hash = options.checksum,
                                       .twins = options.hard_links && push_};
  TRY_ASSIGN(const int root, local_->get());
  const std::string& single = local_->state().file;
  if (!single.empty()) {
    auto entry = tree::list_one(root, single, scan_options);
    if (entry) {
      own.entries.push_back(*std::move(entry));
    } else if (entry.error().code != Errc::NotFound) {
      return std::move(entry).error();
    }
    return own;
  }
  TRY(tree::scan(root, scan_options,
                 {.on_entry = [&](tree::Entry&& e) { own.entries.push_back(std::move(e)); },
                  .on_skip = [&](tree::Skip&& skip) { own.skips.push_back(std::move(skip)); },
                  .on_temporary =
                      [&](std::string&& path) {
                        if (!push_) tree::remove_old_part(root, path, tree::kForgottenPart);
                        own.temporaries.push_back(std::move(path));
                      },
                  .on_ignore_file =
                      [&](const std::string& directory, const std::string& content) {
                        own.ignore_files.push_back(directory);
                        own.ignore_files.push_back(content);
                      },
                  .stopped = [&] { return hooks_.cancel.cancelled(); }}));
  return own;
}

Result<Look> Syncing::look(FarTree& far) {
  Look look{.began_ns = now_ns(push_ ? 0 : far_ahead_ms_)};
  TRY_ASSIGN(look.rules, rules_of(request_.options));
  const SyncOptions& options = request_.options;
  TRY(far.ask_scan({.rules = tree::pack_rules(look.rules),
                    .use_gitignore = options.use_gitignore,
                    .hash = options.checksum,
                    .twins = options.hard_links && !push_}));
  // Both ends look at the same time.
  auto own = scan_here(look.rules);
  if (!own) return std::move(own).error().context("local_path");
  // The answer to a push's Open comes with the list: one round trip for both.
  if (push_) {
    TRY_ASSIGN(far_root_, far.root());
  }
  TRY_ASSIGN(tree::Listing theirs, far.listing());
  (push_ ? look.source : look.target) = *std::move(own);
  (push_ ? look.target : look.source) = std::move(theirs);
  const auto& files = look.source.ignore_files;
  for (std::size_t i = 0; i + 1 < files.size(); i += 2) {
    const std::string name = files[i].empty() ? ".gitignore" : concat(files[i], "/.gitignore");
    if (!look.rules.add_file(files[i], files[i + 1], name)) look.unusable_rules = name;
  }
  TRY(name_single_file(look));
  return look;
}

// The plan knows it by its name in the target.
Result<void> Syncing::name_single_file(Look& look) {
  source_name_.clear();
  const std::string& here = local_->state().file;
  if (here.empty() && far_root_.file.empty()) return {};
  // Whatever else the far side lists was not asked for.
  auto& entries = look.source.entries;
  const std::string& there = far_root_.file;
  if (entries.size() > 1 || (!push_ && !entries.empty() && entries[0].path != there)) {
    return Error{Errc::Protocol, "a list of files that were not asked for", ""};
  }
  if (here == there) return {};
  source_name_ = push_ ? here : there;
  for (auto& entry : entries) entry.path = push_ ? there : here;
  return {};
}

// What a single file is called here when it is not said: as it was asked for. The far side must
// not choose.
Result<std::string> Syncing::name_to_pull() const {
  std::string asked = request_.remote_path;
  while (asked.ends_with("/")) asked.pop_back();
  std::string name(tree::split_path(asked).name);
  if (tree::check_relative(name) && name != "~") return name;
  return Error{Errc::Conflict,
               concat("remote_path '", printable(asked), "' is a file, and has no name of its own"),
               "nothing was changed; give its path"};
}

// A file has two names where the source calls it otherwise.
Result<void> Syncing::answer_some(FarTree& far, const std::vector<std::string>& paths,
                                  PlanInput& input) {
  const bool renamed = !source_name_.empty();
  const std::vector<std::string> in_source{source_name_};
  TRY(tree::send_raw(far.out(), tree::Kind::HashFiles,
                     tree::pack_texts(renamed && !push_ ? in_source : paths)));
  TRY(far.out().flush());
  const auto set = [&](const std::string& path, const tree::Hash& hash, bool source) {
    const auto found = input.hashes.find(renamed ? paths.front() : path);
    if (found == input.hashes.end()) return;
    (source ? found->second.source : found->second.target) = hash;
  };
  for (const auto& path : paths) {
    input.hashes[path] = {};
    if (hooks_.cancel.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
    const auto entry =
        tree::list_one(local_fd(), renamed && push_ ? source_name_ : path, {.hash = true});
    if (entry && entry->hash) set(path, *entry->hash, push_);
  }
  TRY_ASSIGN(const tree::Listing theirs, far.listing());
  for (const auto& entry : theirs.entries) {
    if (entry.hash) set(entry.path, *entry.hash, !push_);
  }
  return {};
}

Result<void> Syncing::answer_questions(FarTree& far, const Plan& plan, PlanInput& input) {
  const auto& paths = plan.questions;
  for (std::size_t i = 0; i < paths.size();) {
    std::vector<std::string> some;
    for (std::size_t bytes = 0; i < paths.size() && bytes < kQuestionBytes; ++i) {
      bytes += paths[i].size() + 8;
      some.push_back(paths[i]);
    }
    TRY(answer_some(far, some, input));
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
                  .now_ns = look.began_ns};
  Plan plan = make_plan(input, plan_options);
  if (!plan.questions.empty()) {
    TRY(answer_questions(far, plan, input));
    const auto asked = std::move(plan.questions);
    plan = make_plan(input, plan_options);
    plan.questions = asked;
  }
  if (options.delete_extras && !look.unusable_rules.empty()) {
    return Error{Errc::InvalidArgument,
                 concat("delete_extras is refused: the rules in ", printable(look.unusable_rules),
                        " cannot be used, so nobody knows what they leave out"),
                 "nothing was changed; correct that file, or give use_gitignore=false"};
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
      .source_name = source_name_,
      .origin = origin(),
      .tally = tally,
      .cancel = hooks_.cancel,
      .tick = [&] { show(Phase::Copying, &tally, &plan); },
      .open_link =
          [&] {
            return setup_.links.open_another(
                setup_.spec,
                {.deadline = Deadline::after(std::chrono::seconds(30)), .cancel = hooks_.cancel});
          },
      .most_links = report_.reconnects < kLossesWithMoreLinks ? setup_.most_links : 1,
      .fast_link = fast,
      .apply = {.keep = request_.options.keep_replaced ? tree::Keep::InTrash : tree::Keep::Nowhere,
                .flush_to_disk = request_.options.flush_to_disk},
      .local_root_path = local_->state().path,
      .local_trash = {setup_.state_dir}};
  auto copied = push_ ? push(copy, far) : pull(copy, far);
  report_.bytes_sent += tally.bytes - std::min(tally.bytes.load(), tally.bytes_found.load());
  report_.bytes_on_wire += tally.wire_bytes;
  report_.links = std::max(report_.links, tally.links.load());
  for (const auto& batch : tally.trash_batches()) report_.trash_batches.push_back(batch);
  if (!copied) {
    cut_ = plan;
    return copied;
  }
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

void Syncing::count(const Action& action) {
  switch (action.act) {
    case Act::MakeDirectory: ++report_.directories_made; break;
    case Act::SetAttributes: ++report_.attributes_set; break;
    case Act::Remove:
      ++(action.type == tree::Type::Directory ? report_.directories_removed
                                              : report_.files_removed);
      break;
    default: ++report_.files_sent; break;
  }
}

void Syncing::count(const Plan& plan, const Tally& tally) {
  report_.failed = tally.failures();
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    if (!tally.has_failed(i) && !tally.was_kept(i)) count(plan.actions[i]);
  }
}

// What the attempt before had to do and this one has not, was done.
void Syncing::count_cut(const Plan& now) {
  if (!cut_) return;
  const Plan before = *std::exchange(cut_, std::nullopt);
  std::set<std::pair<std::string_view, Act>> left;
  for (const Action& action : now.actions) left.emplace(action.path, action.act);
  for (const Action& action : before.actions) {
    if (!left.contains({action.path, action.act})) count(action);
  }
}

// Where the files come from: which machine, which directory.
std::uint64_t Syncing::origin() const {
  tree::Packer identity;
  identity.flag(push_).text(setup_.spec.name).text(report_.local_path).text(report_.remote_path);
  identity.text(setup_.state_dir);
  return tree::hash_of_bytes(identity.bytes()).low;
}

// The entries that are not as they should be now, for one reason or another.
std::set<std::string_view> Syncing::unsettled(const Plan& plan, const Tally& tally) {
  std::set<std::string_view> paths;
  for (const auto& left : plan.left) {
    if (left.why == Left::Conflict || left.why == Left::InTheWay) paths.insert(left.path);
  }
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    if (tally.has_failed(i)) paths.insert(plan.actions[i].path);
  }
  return paths;
}

void Syncing::save_bases(const Plan& plan, const Look& look, const Tally& tally,
                         const std::optional<BaseRecord>& before) {
  BaseRecord base;
  base.set_scanned_ns(look.began_ns);
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
  const auto keep_as_before = [](BaseRecord& record, const std::optional<BaseRecord>& old,
                                 const std::string& path) {
    const tree::Seen* then = old ? old->find(path) : nullptr;
    record.forget(path);
    if (then != nullptr) record.note(path, *then);
  };
  // A conflict stays one until somebody decides it.
  for (const auto& left : plan.left) {
    if (left.why == Left::Conflict) keep_as_before(base, before, left.path);
  }
  if (plan.empty() && plan.questions.empty() && before && before->same_entries(base)) return;
  auto saved = bases_.save(pair(push_), base);
  // The other way round: what the source is now is what the next sync back would meet. Only what
  // did not get through is news to the other side, and must not be overwritten by it.
  if (saved) {
    const auto back_before = bases_.load(pair(!push_));
    BaseRecord back;
    back.set_scanned_ns(look.began_ns);
    for (const auto& entry : look.source.entries) back.note(entry.path, tree::seen_as(entry));
    for (const auto path : unsettled(plan, tally)) {
      keep_as_before(back, back_before, std::string(path));
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
  far_ahead_ms_ = link->clock_ahead_ms();
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
  auto done = attempt_with(link, *far);
  report_.bytes_on_wire += far->wire_bytes();
  return done;
}

Result<void> Syncing::attempt_with(const std::shared_ptr<link::Link>& link, FarTree& far) {
  TRY_ASSIGN(const Look look, this->look(far));
  report_.remote_path =
      far_root_.file.empty() ? far_root_.path : concat(far_root_.path, "/", far_root_.file);
  report_.single_file = !far_root_.file.empty();
  const auto base = bases_.load(pair(push_));
  TRY_ASSIGN(Plan plan, plan_for(far, look, base ? &*base : nullptr));
  count_cut(plan);
  again_ = false;
  report_.failed.clear();
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
    const std::uint64_t sent_before = report_.bytes_sent;
    auto done = attempt();
    // As long as it gets on, it goes on.
    if (report_.bytes_sent > sent_before) give_up = Deadline::after(setup_.patience);
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
