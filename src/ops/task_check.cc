#include "base/base64.h"
#include "base/clean_text.h"
#include "base/clock.h"
#include "base/repeats.h"
#include "base/text.h"
#include "ops/exec.h"
#include "ops/give_up.h"
#include "ops/remember.h"
#include "ops/tasks.h"
#include "run/judge.h"
#include "run/runs.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

wire::ReadLogRequest to_wire(const FoundTask& found, const CheckRequest& request) {
  wire::ReadLogRequest wanted{.run_id = found.id ? found.id->str() : "",
                              .session = found.id ? "" : found.session,
                              .path = found.id || !found.session.empty() ? "" : found.log_file,
                              .from = request.offset,
                              .lines = request.last_n_lines,
                              .filter = request.filter};
  // Of what is new both ends matter; of the last lines only the end.
  wanted.head = request.offset ? request.max_output_chars / 2 : 0;
  wanted.tail = request.max_output_chars - wanted.head;
  if (request.wait) {
    wanted.wait_ms = std::chrono::duration_cast<std::chrono::milliseconds>(*request.wait).count();
  }
  return wanted;
}

void add_text(CheckResponse& response, const CheckRequest& request, const wire::LogReply& reply) {
  response.truncated = reply.skipped > 0;
  if (request.raw) {
    response.raw_base64 = to_base64(reply.head + reply.tail);
    return;
  }
  HeadTail shown(reply.head.size(), reply.tail.size());
  shown.append(reply.head);
  shown.skip(reply.skipped);
  shown.append(reply.tail);
  CleanText clean = clean_text(shown);
  response.log_tail = fold_repeats(clean.text);
  response.binary = clean.binary;
}

// A filter that finds nothing in part of a log has not said anything about the rest.
void add_search(CheckResponse& response, const CheckRequest& request, const wire::LogReply& reply) {
  response.searched_from = reply.searched_from;
  if (!reply.search_cut || !reply.searched_from) return;
  if (request.offset) {
    response.warnings.push_back(concat("the filter has seen the log up to byte ", reply.next,
                                       " of ", reply.size, ": go on with that offset"));
    return;
  }
  response.truncated = true;
  response.warnings.push_back(
      concat("the filter has seen the log from byte ", *reply.searched_from,
             " on, not what is before: offset 0 searches from the beginning"));
}

// What is seen of something that Yonder did not start, and not a bit more.
void add_foreign(CheckResponse& response, const wire::LogReply& reply) {
  if (reply.session_lives) {
    response.running = *reply.session_lives;
    response.proof = "tmux";
  } else if (reply.exists) {
    response.proof = "log";
  } else {
    response.proof = "nothing of it was found";
  }
}

// The machine cannot be asked now. That says nothing about the run.
Result<CheckResponse> unseen(Engine& engine, const FoundTask& found, const Error& error) {
  const bool about_the_link = error.code == Errc::Unreachable || error.code == Errc::LinkLost ||
                              error.code == Errc::Timeout;
  if (!about_the_link) return error;
  CheckResponse response{.sandbox = found.sandbox.name,
                         .tmux_session = found.session,
                         .log_file = found.log_file,
                         .proof = "not reachable",
                         .connection_error = true,
                         .warnings = {error.message}};
  if (!error.hint.empty()) response.warnings.push_back(error.hint);
  if (!found.id) return response;
  TaskInfo task{.sandbox = found.sandbox.name, .run_id = *found.id, .status = run::unseen()};
  const auto note = engine.store.find(*found.id);
  if (note && *note) {
    task.last_state = (*note)->state;
    task.seen_ms = (*note)->seen_ms;
    task.session_name = (*note)->session;
    response.log_file = (*note)->log_file;
  }
  response.task = task;
  return response;
}

// At once: a database in use is waited for once.
void write_down(Engine& engine, const TaskInfo& task, CheckResponse& response) {
  store::Store::Look look{.answered = {task.sandbox}, .at_ms = wall_clock_ms()};
  if (task.status.state != RunState::Unknown) {
    look.seen.push_back({task.sandbox, task.run_id, std::string(name_of(task.status.state)),
                         task.status.exit_code});
  }
  if (const auto noted = engine.store.note(look); !noted) {
    add_if_any(response.warnings, not_written_down(noted.error()));
  }
}

}  // namespace

Result<CheckResponse> check_task(Engine& engine, CallContext& context,
                                 const CheckRequest& request) {
  TRY_ASSIGN(const FoundTask found, find_task(engine, context.session, request.task));
  const GiveUp give_up(context);
  const auto reply =
      engine.runs.read_log(found.sandbox, to_wire(found, request), false, give_up.token());
  if (!reply) return unseen(engine, found, reply.error());
  CheckResponse response{.sandbox = found.sandbox.name,
                         .tmux_session = found.session,
                         .log_file = reply->path,
                         .offset = reply->start,
                         .next_offset = reply->next,
                         .log_size = reply->size,
                         .matches = reply->matches};
  if (!reply->problem.empty()) response.warnings.push_back(reply->problem);
  add_text(response, request, *reply);
  add_search(response, request, *reply);
  if (!reply->run) {
    add_foreign(response, *reply);
    note_answer(engine, found.sandbox.name);
    return response;
  }
  if (found.id && reply->run->run_id != found.id->str()) {
    return Error{Errc::Protocol,
                 concat("'", found.sandbox.name, "' was asked about run ", found.id->str(),
                        " and answered about another"),
                 ""};
  }
  response.task = task_info(found.sandbox.name, *reply->run);
  for (auto& warning : warnings_of(response.task->status)) {
    response.warnings.push_back(std::move(warning));
  }
  if (!response.task->tmux_session.empty()) response.tmux_session = response.task->tmux_session;
  remember_where(engine, context.session, response.task->run_id, found.sandbox.name);
  if (response.task->kind == "exec" && reply->run->err_bytes > 0) {
    response.warnings.push_back(concat("its stderr is separate (", reply->run->err_bytes,
                                       " bytes): exec_bash with this run_id shows it"));
  }
  // How it was started is not known here.
  const auto hint = not_found_hint(response.task->status, false);
  if (!hint.empty()) response.warnings.push_back(hint);
  write_down(engine, *response.task, response);
  return response;
}

}  // namespace yonder::ops
