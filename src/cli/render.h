#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fd.h"
#include "base/json.h"

namespace yonder::cli {

// The only file of this room that writes to stdout, but for the screen of `top`, and to stderr.

// Makes sure that descriptors 0, 1 and 2 are taken. Where our caller has closed one, the next thing
// that we open would become stdin or stdout by accident. Reading from a closed stdin gives its end,
// writing to a closed stdout fails, and what goes to a closed stderr is dropped. Call it before
// anything is opened.
void occupy_standard_streams();

enum class Written {
  Yes,
  Interrupted,  // somebody wants us to stop, and the reader does not keep up
  ReaderGone,   // EPIPE
  Failed,       // errno says why: a full disk, for example
};

// Passes the bytes of a command on, and never stays stuck at a reader who has stopped reading.
class Output {
 public:
  // `wake` becomes readable when a blocked write is to be given up; -1: never.
  Output(int fd, int wake);
  static Output to_stdout(int wake);
  static Output to_stderr(int wake);
  Written write(std::string_view bytes) const;

 private:
  Fd own_;  // of the same pipe
  int fd_;
  int wake_;
  std::size_t piece_;  // so much does not block
};

// Text of ours on stdout, and how to exit then: with `status` when it was written, with 141 when
// the reader has gone, and with 74 when it could not be written otherwise, which stderr then says.
// `if_unwritten` is said in both cases: what must not be lost, such as the id of a run.
int print_then(std::string_view text, int status = 0,
               const std::vector<std::string>& if_unwritten = {});
int print_json_then(const Json& value, int status = 0,
                    const std::vector<std::string>& if_unwritten = {});
// How to exit after such a write, whose errno is `error`; says why it failed.
int status_after(Written written, int error);

// "yonder: ..." on stderr, each as one line; foreign bytes in it are made harmless.
void say(std::string_view message);
void say_error(const Error& error);

// Where the user wants to read about a failure: on stderr, or as {"error": ...} on stdout.
enum class Format { Text, Json };
inline Format format_of(bool json) {
  return json ? Format::Json : Format::Text;
}
void show_failure(const Error& error, Format format);

// What the terminal behind stdout, if there is one, can show.
struct Screen {
  bool terminal = false;
  bool styled = false;  // bold and colours
  std::size_t width = 80;
};
Screen screen(const std::vector<std::string>& environment);

bool stderr_is_terminal();
std::size_t stderr_width();

// One line of the terminal behind stderr that is written again and again, without an end; empty:
// gone.
void redraw(std::string_view line);

}  // namespace yonder::cli
