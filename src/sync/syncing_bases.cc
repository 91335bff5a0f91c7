#include "base/text.h"
#include "sync/syncing.h"

namespace yonder::sync {

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
    BaseRecord now = with_part(*whole, part, prefix);
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
  const BaseRecord in_target = settled_in_target(plan, look, tally);
  const BaseRecord target = target_after(in_target, plan, look, tally, before);
  if (plan.empty() && plan.questions.empty() && before && before->same_entries(target)) return;
  const auto save = [&](bool push, const BaseRecord& settled,
                        const BaseRecord& record) -> Result<void> {
    TRY(bases_.save(ends_.pair(push), record));
    return save_in_ancestors(push, settled, plan, tally);
  };
  const BaseRecord in_source = settled_in_source(plan, look, tally);
  auto saved = save(push_, in_target, target);
  if (saved) saved = save(!push_, in_source, source_after(in_source, look, load_base(!push_)));
  if (saved) return;
  warn(concat("what this sync has done could not be written down (", saved.error().message,
              "): the next one cannot tell who changed a file"));
}

}  // namespace yonder::sync
