#pragma once

#include <string>
#include <string_view>

namespace yonder::wire {

// Before the first frame the far side speaks in lines. Everything that comes before such a line is
// noise of start-up files: skipped, and kept for diagnosis. The nonce is new for each link, so that
// neither an echo of the boot script nor an older session can be mistaken for an answer.
//
//   <marker> ready                    frames follow; the first is the Hello, as a Reply of stream 0
//   <marker> need <system> <machine> <gzip: 0|1>     send the program
//   <marker> tried <directory>: <reason>             one for each place that did not work
//   <marker> failed                   there is no further place
inline std::string handshake_marker(std::string_view nonce) {
  return "\x01YONDER-" + std::string(nonce);
}

}  // namespace yonder::wire
