#pragma once

namespace yonder::cli {

// Makes sure that descriptors 0, 1 and 2 are taken. Where our caller has closed one, the next thing
// that we open would become stdin or stdout by accident. Reading from a closed stdin gives its end;
// writing to a closed stdout fails. Call it before anything is opened.
void occupy_standard_streams();

}  // namespace yonder::cli
