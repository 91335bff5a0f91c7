#include <algorithm>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "config/config_store.h"
#include "link/link_pool.h"
#include "ops/ask_machines.h"
#include "ops/give_up.h"
#include "ops/machines.h"
#include "ops/remember.h"
#include "ops/resolve.h"
#include "ops/standing.h"
#include "ops/tasks.h"
#include "run/judge.h"
#include "run/runs.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr auto kSlack = std::chrono::milliseconds(500);
// Of a machine that was reached.
constexpr auto kAnswerTime = std::chrono::seconds(8);
constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
constexpr std::uint64_t kScanLimit = 10000;

using Notes = std::vector<store::RunNote>;

// One machine: what it answered, or why it did not.
struct Asked {
  SandboxSpec spec;
  Result<wire::ListReply> reply = Error{Errc::Unreachable, "not asked", ""};
};

// All that were configured, and those of the user's ssh aliases where something was started.
Result<std::vector<Asked>> whom_to_ask(Engine& engine, Session& session,
                                       const ListTasksRequest& request, const Notes& notes) {
  std::vector<Asked> asked;
  if (request.sandbox) {
    TRY_ASSIGN(SandboxSpec spec, resolve_sandbox(engine, session, *request.sandbox));
    asked.push_back({.spec = std::move(spec)});
    return asked;
  }
  std::set<std::string> used;
  for (const auto& note : notes) used.insert(note.sandbox);
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  for (const auto& spec : catalog.sandboxes) {
    const bool wanted = !is_alias(spec) || used.contains(spec.name) ||
                        spec.name == session.selected() || engine.links.existing(spec) != nullptr;
    used.erase(spec.name);
    if (wanted) asked.push_back({.spec = spec});
  }
  // Such as user@host, which is in no file.
  for (const auto& name : used) {
    if (auto spec = engine.config.find(name)) asked.push_back({.spec = *std::move(spec)});
  }
  std::erase_if(asked, [&](const Asked& one) { return request.without.contains(one.spec.name); });
  return asked;
}

// While a person types, the time that the machine has for its answer has not begun.
Result<wire::ListReply> ask_one(Engine& engine, const SandboxSpec& spec,
                                const wire::ListRequest& wanted, const CancelToken& cancel) {
  const Duration limit = spec.connect_timeout + kSlack;
  const Duration typing = engine.links.typing_time();
  if (typing > Duration::zero()) {
    TRY(engine.links.acquire(spec,
                             {.deadline = Deadline::after(limit + typing), .cancel = cancel}));
  }
  return engine.runs.list(spec, wanted, Deadline::after(limit), cancel);
}

void ask_all(Engine& engine, const CallContext& context, const ListTasksRequest& request,
             std::vector<Asked>& all) {
  wire::ListRequest wanted{.background_only = !request.foreground && !request.scan && !request.all};
  if (request.scan) wanted.limit = kScanLimit;
  const GiveUp give_up(context);
  if (all.size() == 1 && !request.wait) {
    all.front().reply = ask_one(engine, all.front().spec, wanted, give_up.token());
    return;
  }
  std::vector<SandboxSpec> specs;
  for (const auto& one : all) specs.push_back(one.spec);
  const auto heard = ask_machines(engine, specs, request.wait.value_or(kListPatience),
                                  give_up.token(), [&](std::size_t i, const CancelToken& token) {
                                    all[i].reply = engine.runs.list(
                                        specs[i], wanted, Deadline::after(kAnswerTime), token);
                                  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].reply) continue;
    if (!heard[i]) all[i].reply = no_answer_yet();
    if (heard[i] && heard[i]->error) all[i].reply = *heard[i]->error;
  }
}

TaskInfo from_note(const store::RunNote& note, std::string proof) {
  TaskInfo task{.sandbox = note.sandbox,
                .run_id = note.id,
                .kind = note.kind,
                .command = note.command,
                .description = note.description,
                .cwd = note.cwd,
                .key = note.key,
                .session_name = note.session,
                .log_file = note.log_file,
                .launcher = note.launcher,
                .created_ms = note.created_ms,
                .seen_ms = note.seen_ms,
                .last_state = note.state};
  task.status.proof = std::move(proof);
  return task;
}

class Listing {
 public:
  Listing(Engine& engine, const ListTasksRequest& request, const Notes& notes)
      : engine_(engine), request_(request), notes_(notes) {}

  void add(const Asked& asked) {
    SandboxTasks place{.sandbox = asked.spec.name};
    if (const auto last = engine_.store.last_answer(asked.spec.name)) place.seen_ms = *last;
    if (asked.reply) {
      add_answer(asked.spec.name, *asked.reply);
      place.more = asked.reply->more;
      place.seen_ms = wall_clock_ms();
      look_.answered.push_back(asked.spec.name);
    } else {
      place.error = asked.reply.error();
      add_remembered(asked.spec.name);
    }
    list_.sandboxes.push_back(std::move(place));
  }

  TaskList take() {
    // At once: a list must not wait for many flushes, nor many times for a database in use.
    const auto noted = engine_.store.note(look_);
    if (!noted) add_if_any(list_.warnings, not_written_down(noted.error()));
    std::stable_sort(list_.tasks.begin(), list_.tasks.end(),
                     [](const auto& a, const auto& b) { return a.created_ms > b.created_ms; });
    return std::move(list_);
  }

 private:
  bool is_wanted(const TaskInfo& task) const {
    if (task.kind != "background" && !request_.foreground && !is_left_behind(task)) return false;
    if (request_.all || task.status.ended_ms == 0) return true;
    return wall_clock_ms() - task.status.ended_ms < kDayMs;
  }

  bool is_known(const RunId& id) const {
    return std::any_of(notes_.begin(), notes_.end(),
                       [&](const auto& note) { return note.id == id; });
  }

  // A command whose caller did not wait for its end, or has gone: in a list of everything it is
  // work like any other. Most commands have been answered, and are not listed.
  bool is_left_behind(const TaskInfo& task) const {
    return request_.all && (!has_ended(task.status.state) || is_known(task.run_id));
  }

  // Most runs are as they were, and need no writing.
  bool changed(const TaskInfo& task) const {
    return std::none_of(notes_.begin(), notes_.end(), [&](const auto& note) {
      return note.id == task.run_id && note.state == name_of(task.status.state);
    });
  }

  // A machine may have several names. Its runs are listed once: by the name that is remembered of
  // them, or else by the first.
  bool is_listed_better(const TaskInfo& task, const std::string& name) const {
    if (!listed_.contains(name)) return false;
    return std::none_of(notes_.begin(), notes_.end(), [&](const auto& note) {
      return note.id == task.run_id && note.sandbox == task.sandbox;
    });
  }

  // A sandbox may have been renamed: then its runs are known by a name that leads nowhere.
  bool is_orphan(const RunId& id, const std::string& sandbox) const {
    const auto note = std::find_if(notes_.begin(), notes_.end(),
                                   [&](const auto& known) { return known.id == id; });
    return note != notes_.end() && note->sandbox != sandbox && !engine_.config.find(note->sandbox);
  }

  void note_found(const TaskInfo& task) {
    (is_orphan(task.run_id, task.sandbox) ? look_.adopted : look_.runs).push_back(to_note(task));
  }

  void add_task(TaskInfo task, const std::string& name) {
    const auto [place, fresh] = listed_.emplace(name, list_.tasks.size());
    if (fresh) {
      list_.tasks.push_back(std::move(task));
    } else {
      list_.tasks[place->second] = std::move(task);
    }
  }

  void add_answer(const std::string& sandbox, const wire::ListReply& reply) {
    std::set<std::string> answered;
    for (const auto& facts : reply.runs) {
      answered.insert(facts.run_id);
      TaskInfo task = task_info(sandbox, facts);
      // Two machines may tell of the same id, one of them wrongly: both are shown.
      const std::string name = concat(facts.run_id, "\n", facts.boot_id);
      if (is_listed_better(task, name)) continue;
      if (request_.scan && (task.kind == "background" || !has_ended(task.status.state))) {
        note_found(task);
      } else if (task.status.state != RunState::Unknown && changed(task)) {
        look_.seen.push_back(
            {sandbox, task.run_id, std::string(name_of(task.status.state)), task.status.exit_code});
      }
      if (is_wanted(task)) add_task(std::move(task), name);
    }
    if (reply.more) return;
    // Remembered here, not finished as far as we know, and not known there any more.
    for (const auto& note : notes_) {
      if (note.sandbox != sandbox || answered.contains(note.id.str()) || is_final(note.state)) {
        continue;
      }
      TaskInfo task = from_note(note, "no record of it on that machine");
      if (is_wanted(task)) list_.tasks.push_back(std::move(task));
    }
  }

  void add_remembered(const std::string& sandbox) {
    for (const auto& note : notes_) {
      if (note.sandbox != sandbox) continue;
      TaskInfo task = from_note(note, run::unseen().proof);
      if (is_wanted(task) && (request_.all || !is_final(note.state))) {
        list_.tasks.push_back(std::move(task));
      }
    }
  }

  Engine& engine_;
  const ListTasksRequest& request_;
  const Notes& notes_;
  TaskList list_;
  std::map<std::string, std::size_t> listed_;  // by run id and boot: where in the list
  store::Store::Look look_{.at_ms = wall_clock_ms()};
};

}  // namespace

Result<TaskList> list_tasks(Engine& engine, CallContext& context, const ListTasksRequest& request) {
  std::vector<std::string> warnings;
  auto notes = engine.store.runs({.sandbox = request.sandbox});
  if (!notes) warnings.push_back(notes.error().message);
  const Notes known = notes ? *std::move(notes) : Notes();
  TRY_ASSIGN(std::vector<Asked> asked, whom_to_ask(engine, context.session, request, known));
  context.progress(concat("asking ", asked.size(), " sandboxes"));
  ask_all(engine, context, request, asked);
  Listing listing(engine, request, known);
  for (const auto& one : asked) listing.add(one);
  TaskList list = listing.take();
  list.warnings.insert(list.warnings.begin(), warnings.begin(), warnings.end());
  return list;
}

}  // namespace yonder::ops
