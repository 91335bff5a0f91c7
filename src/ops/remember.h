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
// Writes down what was seen of a run that is remembered; of others nothing.
void note_sighting(Engine& engine, const TaskInfo& task);
void note_answer(Engine& engine, const std::string& sandbox);

}  // namespace yonder::ops
