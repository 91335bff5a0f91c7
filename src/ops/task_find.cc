#include <algorithm>
#include <map>

#include "base/clean_text.h"
#include "base/text.h"
#include "ops/last_seen.h"
#include "ops/resolve.h"
#include "ops/tasks.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr std::size_t kShownCandidates = 5;

Error not_known(const std::string& text, const std::string& detail) {
  return Error{Errc::NotFound,
               concat("run_id: no run '", printable(text), "' is known here", detail),
               "list them with list_background_tasks (yonder ps --scan), or name the sandbox too"};
}

Error ambiguous(const std::string& text, const std::map<RunId, std::string>& runs) {
  std::vector<std::string> ids;
  for (const auto& [id, sandbox] : runs) ids.push_back(id.str());
  return Error{Errc::InvalidArgument,
               concat("run_id: '", printable(text), "' fits more than one run: ", join(ids, ", ")),
               "give more letters of it"};
}

struct Known {
  RunId id;
  std::string sandbox;  // empty: not known
};

// A whole id is believed even when nobody here remembers it: the far side knows its own runs.
Result<Known> find_id(Engine& engine, const Session& session, const std::string& text) {
  if (const auto whole = parse_run_id(text)) {
    Known known{.id = *whole, .sandbox = session.sandbox_of(*whole)};
    if (!known.sandbox.empty()) return known;
    const auto note = engine.store.find(*whole);
    // The run may be anywhere then; asking the wrong machine would only mislead.
    if (!note) return not_known(text, concat(" (", note.error().message, ")"));
    if (*note) known.sandbox = (*note)->sandbox;
    return known;
  }
  // Commands that have ended are in no store, but the session may remember them.
  std::map<RunId, std::string> runs = session.runs_beginning(text);
  const auto notes = engine.store.find_by_prefix(text, kShownCandidates);
  if (!notes) return not_known(text, concat(" (", notes.error().message, ")"));
  for (const auto& note : *notes) runs.emplace(note.id, note.sandbox);
  if (runs.empty()) return not_known(text, "");
  if (runs.size() > 1) return ambiguous(text, runs);
  return Known{.id = runs.begin()->first, .sandbox = runs.begin()->second};
}

// Several machines may have a session or a log of that name: the active one is meant first.
std::string place_of(const Result<std::vector<store::RunNote>>& notes, const std::string& active) {
  if (!notes || notes->empty()) return "";
  const bool here = std::any_of(notes->begin(), notes->end(),
                                [&](const auto& note) { return note.sandbox == active; });
  return here ? active : notes->front().sandbox;
}

}  // namespace

Result<FoundTask> find_task(Engine& engine, Session& session, const TaskRef& ref) {
  if (ref.run_id.empty() && ref.session.empty() && ref.log_file.empty()) {
    return Error{Errc::InvalidArgument, "give run_id, tmux_session or log_file",
                 "list_background_tasks shows what there is"};
  }
  FoundTask found{.session = ref.session, .log_file = ref.log_file};
  std::string sandbox = ref.sandbox;
  if (const auto whole = parse_run_id(ref.run_id); whole && !sandbox.empty()) {
    found.id = *whole;
  } else if (!ref.run_id.empty()) {
    TRY_ASSIGN(const Known known, find_id(engine, session, ref.run_id));
    found.id = known.id;
    if (sandbox.empty()) sandbox = known.sandbox;
  } else if (sandbox.empty()) {
    TRY_ASSIGN(const std::string active, active_sandbox(engine, session));
    sandbox = ref.session.empty() ? place_of(engine.store.find_by_log("", ref.log_file), active)
                                  : place_of(engine.store.find_by_session("", ref.session), active);
  }
  TRY_ASSIGN(found.sandbox, resolve_sandbox(engine, session, sandbox));
  return found;
}

std::optional<LastSeen> last_seen(Engine& engine, const RunId& id) {
  const auto note = engine.store.find(id);
  if (!note || !*note || (*note)->state.empty() || (*note)->seen_ms == 0) return std::nullopt;
  return LastSeen{.state = (*note)->state, .at_ms = (*note)->seen_ms};
}

Result<std::vector<std::string>> known_runs(Engine& engine, std::size_t most) {
  TRY_ASSIGN(const auto notes, engine.store.runs({.kind = "background", .limit = most}));
  std::vector<std::string> names;
  for (const auto& note : notes) {
    names.push_back(note.id.str());
    if (!note.session.empty()) names.push_back(note.session);
  }
  return names;
}

}  // namespace yonder::ops
