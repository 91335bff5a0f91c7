#include "base/text.h"
#include "sync/syncing.h"

namespace yonder::sync {
namespace {

// The directories on the way there were part of a sync. Whether that is new.
bool note_way_to(BaseRecord& whole, const std::string& prefix) {
  bool changed = false;
  for (std::size_t slash = prefix.find('/'); slash != std::string::npos;
       slash = prefix.find('/', slash + 1)) {
    const std::string_view directory = std::string_view(prefix).substr(0, slash);
    const tree::Seen seen{.exists = true, .type = tree::Type::Directory};
    const Known known(seen, 0, whole.mode_of(directory, seen.type));
    if (whole.note(directory, known)) changed = true;
  }
  return changed;
}

}  // namespace

std::vector<Ancestor> Syncing::ancestors(bool push) const {
  return ancestors_of(ends_.pair(push), ends_.is_single_file());
}

std::optional<BaseRecord> Syncing::load_base(bool push) const {
  auto record = bases_.load(ends_.pair(push), ancestors(push));
  if (record) return record;
  const auto given = ends_.pair_as_given(push);
  return given ? bases_.load(*given) : std::nullopt;
}

// Whoever is killed in the middle has said to all who may ask what comes from here.
Result<void> Syncing::note_intents(const Plan& plan, bool has_record) const {
  if (!has_record) {
    // Only which directories a first sync makes. Where nothing can be written down, it goes on.
    const std::string made = directory_intents_of(plan, "");
    if (!made.empty()) (void)bases_.note_intents(ends_.pair(push_), made);
    return {};
  }
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
Result<void> Syncing::save_in_ancestors(bool push, const Plan& plan, const Look& look,
                                        const Tally& tally) const {
  for (const auto& [pair, prefix] : ancestors(push)) {
    auto whole = bases_.has(pair) ? bases_.load(pair) : std::nullopt;
    if (!whole) continue;
    bool changed = note_way_to(*whole, prefix);
    // The root of this sync is the last directory of the way.
    const auto name_in = [&root = prefix](const std::string& path) {
      return path.empty() ? root.substr(0, root.size() - 1) : root + path;
    };
    const auto mode_before = [&](const std::string& path, tree::Type type) {
      return whole->mode_of(name_in(path), type);
    };
    const auto known_before = [&](const std::string& path) { return whole->find(name_in(path)); };
    const Outcome outcome{plan, look, tally, mode_before, known_before};
    const auto note = [&](const std::string& path, const Known& known) {
      if (whole->note(name_in(path), known)) changed = true;
      if (whole->forget_sent(name_in(path))) changed = true;
    };
    if (push == push_) {
      for_settled_in_target(outcome, note);
      for_removed(plan, tally, [&, &root = prefix](const std::string& path) {
        if (whole->forget(root + path)) changed = true;
        if (whole->forget_sent(root + path)) changed = true;
      });
    } else {
      for_settled_in_source(outcome, note);
    }
    if (changed) TRY(bases_.save(pair, *whole));
  }
  return {};
}

// Of a large tree there is only ever one record at a time.
Result<void> Syncing::save(bool push, NextRecord next, const Plan& plan, const Look& look,
                           const Tally& tally) const {
  TRY(bases_.save(ends_.pair(push), next.take()));
  return save_in_ancestors(push, plan, look, tally);
}

void Syncing::save_bases(const Plan& plan, const Look& look, const Tally& tally,
                         std::optional<BaseRecord> before) {
  NextRecord target = target_after(plan, look, tally, std::move(before));
  if (plan.empty() && plan.questions.empty() && !target.is_new()) return;
  auto saved = save(push_, std::move(target), plan, look, tally);
  if (saved) {
    saved = save(!push_, source_after(plan, look, tally, load_base(!push_)), plan, look, tally);
  }
  if (saved) return;
  warn(concat("what this sync has done could not be written down (", saved.error().message,
              "): the next one cannot tell who changed a file"));
}

}  // namespace yonder::sync
