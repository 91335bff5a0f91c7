#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace yonder::cli {

// Pure: words of a command line that may name a machine, as "gpu1:exp" does. Errors are
// InvalidArgument.

// A word as scp reads it: a colon before any slash ends the name of a machine, and "./a:b" names
// none. A name that holds colons stands in brackets: "[::1]:exp", "me@[::1]:exp",
// "[me@host:2222]:exp". In "ssh://me@host:2222/exp" the path begins behind the slash.
struct PlaceWord {
  std::string machine;  // empty: the word names none
  std::string path;     // empty: nothing stands behind the colon
};
PlaceWord split_place(const std::string& word);

// Whether a word without a colon can be the name of a sandbox, and not only a path.
bool may_be_name(const std::string& word);

// The words of a command that is about one machine.
struct FarWords {
  std::string sandbox;             // empty: the active one
  std::vector<std::string> words;  // without the machine; "." for what is only a machine
};

// `named` is the machine that was named otherwise, by NAME or --sandbox; it may be empty. Two
// machines are an error, and so is a word without one beside a word with one.
Result<FarWords> far_words(const std::string& named, const std::vector<std::string>& words);

// The same for a command that takes `most` words, so that one more is the NAME before them.
Result<FarWords> far_words_after_name(const std::string& named,
                                      const std::vector<std::string>& words, std::size_t most);

// One file or directory that is to be copied.
struct Copy {
  std::string sandbox;  // empty: the active one
  std::string source;
  std::string target;
};

// The words of `push` (sources here, a target over there) and `pull` (the other way round). Of
// several sources each goes into the target under its own name.
Result<std::vector<Copy>> push_words(const std::string& named,
                                     const std::vector<std::string>& words);
Result<std::vector<Copy>> pull_words(const std::string& named,
                                     const std::vector<std::string>& words);

}  // namespace yonder::cli
