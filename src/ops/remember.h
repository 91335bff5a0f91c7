#pragma once

#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "ops/tasks.h"
#include "store/run_note.h"
#include "wire/messages.h"

namespace yonder::ops {

// What was observed of a run, as an answer shows it.
TaskInfo task_info(const std::string& sandbox, const wire::RunFacts& facts);

// Writes down that a run exists, so that a later process finds it by its id. Says why it could not.
store::RunNote to_note(const TaskInfo& task);
Result<void> remember_task(Engine& engine, const TaskInfo& task);
// Writes down what was seen of a run that is remembered; of others nothing. Says in one sentence
// why it could not; empty: it was written, or there was nothing to write.
std::string note_sighting(Engine& engine, const TaskInfo& task);
void add_if_any(std::vector<std::string>& warnings, std::string warning);
// That sentence.
std::string not_written_down(const Error& error);
// Remembers, for this session, on which sandbox a run was found whose id the machine has told. Not
// when it is known as the run of another one: a machine may name runs of others.
void remember_where(Engine& engine, Session& session, const RunId& id, const std::string& sandbox);
void note_answer(Engine& engine, const std::string& sandbox);

}  // namespace yonder::ops
