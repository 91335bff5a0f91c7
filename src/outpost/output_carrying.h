#pragma once

#include <array>
#include <initializer_list>

#include "base/fd.h"
#include "outpost/output_writer.h"
#include "outpost/run_record.h"

namespace yonder::outpost {

// The life of a writer: the process that carries what a command prints into the files of its run.

// Leaves everything but these descriptors behind. Whatever ends the run, a writer stays until the
// last of its output is written.
void be_writer(std::initializer_list<int> kept);
// Empty when another process is the writer of this run.
Fd lock_as_writer(const RunRecord& record);
// `shared`: other processes append to the file as well.
Fd open_to_append(const RunRecord& record, const char* name, bool shared);
// Until nobody can print any more.
void carry(std::array<OutputWriter, 2>& writers);

// Some process is the writer of this run. It has a lock on `err`, also where that stays empty.
bool has_writer(const RunRecord& record);

// Whoever kills a supervisor may kill the writer, too. Then the command goes on until its pipe is
// full. Starts a new writer, in a process of its own, when a process of the run that lives has the
// pipes open and may be looked at.
void rescue_output(const RunRecord& record, const std::string& boot_id);

}  // namespace yonder::outpost
