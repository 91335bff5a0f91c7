#include "sync/ends.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/clean_text.h"
#include "base/fd.h"
#include "base/home_path.h"
#include "base/text.h"
#include "tree/beneath.h"
#include "tree/extended_attributes.h"
#include "tree/leftovers.h"
#include "tree/pack_rules.h"
#include "tree/part.h"

namespace yonder::sync {
namespace {

constexpr std::uint64_t kMaxExcludeFile = 1024UL * 1024;
constexpr std::int64_t kMillisecond = 1000000;
// A hundred years: no clock is so wrong, and one can still count with it.
constexpr std::int64_t kMostAhead = std::int64_t{100} * 365 * 24 * 3600 * 1000;
constexpr std::size_t kQuestionBytes = 256UL * 1024;

std::int64_t now_ns(std::int64_t ahead_ms) {
  return (wall_clock_ms() + ahead_ms) * kMillisecond;
}

// Only what is to be removed needs it.
bool tells_ignored(const SyncOptions& options) {
  return options.delete_extras && !options.delete_ignored;
}

// Rules for what .gitignore files name. Where one cannot be understood, everything below it is
// taken to be named; where there are too many, everything is.
tree::RuleSet named_by(const std::vector<std::string>& files) {
  tree::RuleSet named;
  const tree::RuleOrigin origin{".gitignore"};
  for (std::size_t i = 0; i + 1 < files.size(); i += 2) {
    if (named.add_file(files[i], files[i + 1], ".gitignore")) continue;
    if (named.add(files[i], "*", origin, tree::Level::IgnoreFile)) continue;
    tree::RuleSet all;
    [[maybe_unused]] const auto added = all.add("", "*", origin, tree::Level::IgnoreFile);
    return all;
  }
  return named;
}

// Without dots and doubled slashes; links are not looked at.
std::string plain_path(const std::string& path) {
  std::string plain = std::filesystem::path(path).lexically_normal().string();
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

}  // namespace

// Its lines go to the other side, so it is judged as what is sent.
Result<std::string> Ends::read_exclude_file() const {
  const tree::OpenTree wanted{.path = request_.options.exclude_file, .base = setup_.directory};
  TRY_ASSIGN(const tree::Root root, tree::Root::find(wanted, setup_.home));
  TRY(setup_.judge(path_of(root.state())));
  TRY_ASSIGN(const int directory, root.get());
  const Fd file(::openat(directory, root.state().file.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return errno_error(printable(request_.options.exclude_file));
  std::string content;
  std::array<char, 8192> buffer{};
  while (true) {
    TRY_ASSIGN(const std::size_t n, read_some(file, buffer.data(), buffer.size()));
    if (n == 0) return content;
    content.append(buffer.data(), n);
    if (content.size() > kMaxExcludeFile) {
      return Error{Errc::InvalidArgument, "it is too long for a file of rules", ""};
    }
  }
}

Result<tree::RuleSet> Ends::rules() const {
  const SyncOptions& options = request_.options;
  tree::RuleSet rules;
  if (options.default_rules) tree::add_defaults(rules);
  if (!options.exclude_file.empty()) {
    auto content = read_exclude_file();
    if (!content) return std::move(content).error().context("exclude_file");
    TRY(rules.add_file("", *content, concat("exclude_file ", options.exclude_file),
                       tree::Level::ExcludeFile));
  }
  int line = 0;
  for (const auto& exclude : options.excludes) {
    TRY(rules.add("", exclude, {"excludes", ++line}));
  }
  for (const auto& pattern : forbidden_) {
    TRY(rules.add("", pattern, {std::string(kSecretPlace)}));
  }
  return rules;
}

std::string Ends::path_of(const tree::RootState& state) {
  return state.file.empty() ? state.path : concat(state.path, "/", state.file);
}

Pair Ends::pair(bool push) const {
  return {.machine = setup_.spec.name,
          .local_root = local_path(),
          .remote_root = remote_path(),
          .push = push};
}

std::optional<Pair> Ends::pair_as_given(bool push) const {
  const auto here = path_from_home(request_.local_path, setup_.directory, setup_.home);
  const std::string base = setup_.spec.cwd;
  const auto base_there = path_from_home(base, "", far_root_.home);
  const auto there =
      path_from_home(request_.remote_path, base_there ? *base_there : base, far_root_.home);
  if (!here || !there || is_single_file()) return std::nullopt;
  Pair given = pair(push);
  const Pair real = given;
  given.local_root = plain_path(*here);
  given.remote_root = plain_path(*there);
  if (given.local_root == real.local_root && given.remote_root == real.remote_root) {
    return std::nullopt;
  }
  return given;
}

DeleteGuard Ends::guard(const Look& look) const {
  const tree::RootState& own = local_->state();
  const tree::RootState& target = push_ ? far_root_ : own;
  return {.target_path = target.path,
          .target_holds = target.holds,
          .single_file = is_single_file(),
          .source_exists = push_ ? own.exists : far_root_.exists,
          .source_entries = look.source.entries.size(),
          .source_left_out = look.source.skips.size(),
          .target_entries = look.target.entries.size(),
          .keeps_removed = request_.options.keep_replaced};
}

Result<void> Ends::find_local() {
  tree::OpenTree wanted{.path = request_.local_path,
                        .base = setup_.directory,
                        .role = push_ ? tree::Role::Source : tree::Role::Target};
  // Only then it matters, and to look at them may take for ever: they may lie on a dead mount.
  if (!push_ && request_.options.delete_extras) {
    wanted.precious = setup_.own_places;
    wanted.precious.push_back(setup_.state_dir);
  }
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
  auto judged = setup_.judge(path_of(found->state()));
  if (!judged) return std::move(judged).error().context("local_path");
  forbidden_ = *std::move(judged);
  local_ = *std::move(found);
  if (!push_ && far_root_.is_directory) local_->set_mode(far_root_.mode);
  return {};
}

tree::OpenTree Ends::far_wanted() const {
  return {.path = request_.remote_path,
          .base = setup_.spec.cwd,
          .file = push_ ? name_to_push() : "",
          .role = push_ ? tree::Role::Target : tree::Role::Source,
          .keep_replaced = request_.options.keep_replaced,
          .flush_to_disk = request_.options.flush_to_disk,
          .mode = push_ ? local_->state().mode : 0777,
          .precious = far_precious_,
          .claim = claim_};
}

Result<std::unique_ptr<FarTree>> Ends::open(const std::shared_ptr<link::Link>& link) {
  far_ahead_ms_ = std::clamp(link->clock_ahead_ms(), -kMostAhead, kMostAhead);
  far_precious_.clear();
  if (push_ && request_.options.delete_extras) {
    const Machine& machine = link->machine();
    far_precious_ = {machine.state_dir, std::string(tree::split_path(machine.outpost_path).parent)};
  }
  ++claim_.attempt;
  if (push_) TRY(find_local());
  TRY_ASSIGN(auto far, FarTree::open(link, far_wanted(), cancel_));
  if (push_) return far;  // its answer comes with the list: one round trip for both
  TRY_ASSIGN(far_root_, far->root());
  if (!far_root_.exists) {
    return Error{Errc::NotFound,
                 concat("remote_path '", printable(far_root_.path), "' does not exist"),
                 "nothing was changed; check the path"};
  }
  TRY(find_local());
  return far;
}

Result<tree::Listing> Ends::scan_here(const tree::RuleSet& rules) {
  const SyncOptions& options = request_.options;
  tree::Listing own;
  if (!local_->exists()) return own;
  const std::string& single = local_->state().file;
  const tree::ScanOptions scan_options{.rules = &rules,
                                       .use_gitignore = options.use_gitignore,
                                       .tell_gitignore = tells_ignored(options),
                                       .hash = options.checksum,
                                       .twins = options.hard_links && push_,
                                       .attributes = options.checksum || !single.empty(),
                                       .changed = push_,
                                       .to_copy = push_};
  const auto stopped = [&] { return cancel_.cancelled(); };
  TRY_ASSIGN(const int root, local_->get());
  if (!single.empty()) {
    if (!push_) tree::remove_leftovers_in(root);
    auto entry = tree::list_one(root, single, scan_options, stopped);
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
                        if (!push_ && tree::remove_leftover(root, path)) return;
                        own.temporaries.push_back(std::move(path));
                      },
                  .on_mount = [&](std::string&& path) { own.mounts.push_back(std::move(path)); },
                  .on_ignore_file =
                      [&](const std::string& directory, const std::string& content) {
                        own.ignore_files.push_back(directory);
                        own.ignore_files.push_back(content);
                      },
                  .stopped = stopped}));
  return own;
}

Result<Look> Ends::look(FarTree& far, const BaseRecord* base) {
  Look look{.began_ns = now_ns(push_ ? 0 : far_ahead_ms_)};
  TRY_ASSIGN(look.rules, rules());
  const SyncOptions& options = request_.options;
  const bool reads_all = options.checksum || is_single_file();
  const bool knows_attributes = base != nullptr && base->knows_attributes();
  TRY(far.ask_scan({.rules = tree::pack_rules(look.rules),
                    .use_gitignore = options.use_gitignore,
                    .tell_gitignore = tells_ignored(options),
                    .hash = options.checksum,
                    .twins = options.hard_links && !push_,
                    .attributes = reads_all || (!push_ && !knows_attributes),
                    .changed = !push_}));
  // Both ends look at the same time.
  auto own = scan_here(look.rules);
  if (!own) return std::move(own).error().context("local_path");
  // The answer to a push's Open comes with the list: one round trip for both.
  if (push_) {
    TRY_ASSIGN(far_root_, far.root());
  }
  TRY_ASSIGN(tree::Listing theirs, far.listing());
  // A single file was named; rules are for what was not.
  if (!push_ && local_->state().file.empty()) look.unasked = drop_unasked(theirs, look.rules);
  (push_ ? look.source : look.target) = *std::move(own);
  (push_ ? look.target : look.source) = std::move(theirs);
  note_ignored(look);
  const auto& files = look.source.ignore_files;
  for (std::size_t i = 0; options.use_gitignore && i + 1 < files.size(); i += 2) {
    const std::string name = files[i].empty() ? ".gitignore" : concat(files[i], "/.gitignore");
    if (!look.rules.add_file(files[i], files[i + 1], name)) look.unusable_rules = name;
  }
  TRY(name_single_file(look));
  TRY(check_apart());
  note_roots(look);
  look.target_keeps_attributes =
      push_ ? far_root_.keeps_attributes : local_->state().keeps_attributes;
  return look;
}

void Ends::note_ignored(Look& look) const {
  if (!tells_ignored(request_.options)) return;
  look.ignored = {named_by(look.source.ignore_files), named_by(look.target.ignore_files)};
}

void Ends::note_roots(Look& look) const {
  if (is_single_file()) return;
  const auto note = [](const tree::RootState& state) {
    return RootLook{.mode = state.mode, .mtime_ns = state.mtime_ns};
  };
  const tree::RootState& source = push_ ? local_->state() : far_root_;
  const tree::RootState& target = push_ ? far_root_ : local_->state();
  look.source_root = note(source);
  if (target.exists) look.target_root = note(target);
}

// What goes into itself grows with every sync.
Result<void> Ends::check_apart() const {
  const tree::RootState& own = local_->state();
  if (own.system.empty() || own.system != far_root_.system) return {};
  const std::string here = local_path();
  const std::string there = remote_path();
  const auto holds = [](const std::string& outer, const std::string& inner) {
    return outer == "/" || (inner.starts_with(outer) && inner[outer.size()] == '/');
  };
  const bool nested = !is_single_file() && (holds(here, there) || holds(there, here));
  if (here != there && !nested) return {};
  return Error{Errc::InvalidArgument,
               concat("'", setup_.spec.name, "' is this machine, and '", printable(here), "' and '",
                      printable(there),
                      here == there ? "' are the same place" : "' lie one within the other"),
               concat(kNothingChanged, "choose a target outside of the source")};
}

// The plan knows it by its name in the target.
Result<void> Ends::name_single_file(Look& look) {
  source_name_.clear();
  const std::string& here = local_->state().file;
  if (here.empty() && far_root_.file.empty()) return {};
  // Whatever else the far side lists was not asked for.
  auto& entries = look.source.entries;
  const std::string& there = far_root_.file;
  const bool both = !here.empty() && !there.empty();
  if (!both || entries.size() > 1 || (!push_ && !entries.empty() && entries[0].path != there)) {
    return Error{Errc::Protocol, "a list of files that were not asked for", ""};
  }
  if (here == there) return {};
  source_name_ = push_ ? here : there;
  for (auto& entry : entries) entry.path = push_ ? there : here;
  return {};
}

// Likewise over there, also when a link of that name leads to it.
std::string Ends::name_to_push() const {
  const std::string& file = local_->state().file;
  std::string name(tree::split_path(request_.local_path).name);
  return file.empty() || !tree::check_relative(name) || name == "~" ? file : name;
}

// What a single file is called here when it is not said: as it was asked for. The far side must
// not choose.
Result<std::string> Ends::name_to_pull() const {
  std::string asked = request_.remote_path;
  while (asked.ends_with("/")) asked.pop_back();
  std::string name(tree::split_path(asked).name);
  if (tree::check_relative(name) && name != "~") return name;
  return Error{Errc::Conflict,
               concat("remote_path '", printable(asked), "' is a file, and has no name of its own"),
               "nothing was changed; give its path"};
}

// A file has two names where the source calls it otherwise.
Result<void> Ends::answer_some(FarTree& far, const std::vector<std::string>& paths,
                               const Asked& asked, PlanInput& input) {
  const bool renamed = !source_name_.empty();
  const std::vector<std::string> in_source{source_name_};
  const bool ask_there = push_ ? asked.target : asked.source;
  const bool ask_here = push_ ? asked.source : asked.target;
  if (ask_there) {
    TRY(tree::send_raw(far.out(), tree::Kind::HashFiles,
                       tree::pack_texts(renamed && !push_ ? in_source : paths)));
    TRY(far.out().flush());
  }
  const auto set = [&](const std::string& path, const tree::Hash& hash, bool source) {
    const auto found = input.hashes.find(renamed ? paths.front() : path);
    if (found == input.hashes.end()) return;
    (source ? found->second.source : found->second.target) = hash;
  };
  for (const auto& path : paths) {
    input.hashes[path] = {};
    if (!ask_here) continue;
    const auto entry = tree::list_one(*local_->get(), renamed && push_ ? source_name_ : path,
                                      {.hash = true}, [&] { return cancel_.cancelled(); });
    if (cancel_.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
    if (entry && entry->hash) set(path, *entry->hash, push_);
  }
  if (!ask_there) return {};
  TRY_ASSIGN(const tree::Listing theirs, far.listing());
  for (const auto& entry : theirs.entries) {
    if (entry.hash) set(entry.path, *entry.hash, !push_);
  }
  return {};
}

Result<void> Ends::answer(FarTree& far, const Plan& plan, PlanInput& input) {
  TRY(answer_all(far, plan.questions, {}, input));
  return answer_all(far, plan.target_questions, {.source = false}, input);
}

Result<void> Ends::answer_all(FarTree& far, const std::vector<std::string>& questions,
                              const Asked& asked, PlanInput& input) {
  for (std::size_t i = 0; i < questions.size();) {
    std::vector<std::string> some;
    for (std::size_t bytes = 0; i < questions.size() && bytes < kQuestionBytes; ++i) {
      bytes += questions[i].size() + 8;
      some.push_back(questions[i]);
    }
    TRY(answer_some(far, some, asked, input));
  }
  return {};
}

Result<void> Ends::ask_attributes(FarTree& far, const std::vector<std::string>& paths,
                                  const std::function<void(tree::Entry&&)>& work) {
  for (std::size_t i = 0; i < paths.size();) {
    std::vector<std::string> some;
    for (std::size_t bytes = 0; i < paths.size() && bytes < kQuestionBytes; ++i) {
      bytes += paths[i].size() + 8;
      some.push_back(paths[i]);
    }
    TRY(tree::send_raw(far.out(), tree::Kind::AskAttributes, tree::pack_texts(some)));
    TRY(far.out().flush());
    TRY_ASSIGN(tree::Listing theirs, far.listing());
    for (auto& entry : theirs.entries) work(std::move(entry));
  }
  return {};
}

Result<void> Ends::read_attributes_of(FarTree& far, std::vector<std::string> paths, bool source,
                                      tree::Listing& listing) {
  std::sort(paths.begin(), paths.end(), tree::comes_before);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const auto& path : paths) {
    if (tree::Entry* entry = listing.find(path)) entry->attributes_unread = false;
  }
  const auto set = [&](const std::string& path, tree::UserAttributes&& user, bool has_more) {
    tree::Entry* entry = listing.find(path);
    if (entry == nullptr) return;
    entry->attributes = std::move(user);
    entry->has_more = has_more;
  };
  if (source != push_) {
    return ask_attributes(far, paths, [&](tree::Entry&& entry) {
      set(entry.path, std::move(entry.attributes), entry.has_more);
    });
  }
  TRY_ASSIGN(const int root, local_->get());
  tree::Directories directories(root);
  for (const auto& path : paths) {
    if (cancel_.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
    auto found = tree::find_attributes(directories, path);
    if (found) set(path, std::move(found->user), found->has_more);
  }
  return {};
}

Result<void> Ends::read_attributes(FarTree& far, const Plan& plan, Look& look) {
  if (!plan.attribute_questions.empty()) {
    TRY(read_attributes_of(far, plan.attribute_questions, true, look.source));
  }
  if (plan.target_attribute_questions.empty()) return {};
  return read_attributes_of(far, plan.target_attribute_questions, false, look.target);
}

std::uint64_t Ends::origin() const {
  tree::Packer identity;
  identity.flag(push_).text(setup_.spec.name).text(local_path()).text(remote_path());
  identity.text(setup_.state_dir);
  return tree::hash_of_bytes(identity.bytes()).low;
}

}  // namespace yonder::sync
