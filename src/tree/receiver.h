#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "tree/apply.h"
#include "tree/delta.h"
#include "tree/messages.h"
#include "tree/part.h"

namespace yonder::tree {

// Takes the contents of files as they come, and puts each into its place. What goes wrong with one
// file is that file's business: the rest of it is passed over.
class Receiver {
 public:
  struct Hooks {
    // What the file is to be. Whoever asked for it knows; what the sender says of its path is not
    // believed.
    std::function<Result<FileHead>(Kind, const FileStart&)> head;
    // It is there, or why not.
    std::function<Result<void>(std::uint64_t number, const Result<void>& outcome)> on_end;
    std::function<void(std::uint64_t bytes)> on_bytes = [](std::uint64_t) {};
    // Of a whole file that is there.
    std::function<void(std::uint64_t number, const Hash&)> on_contents = [](std::uint64_t,
                                                                            const Hash&) {};
    // Whoever sends knows what he could not read; nobody has to tell him.
    bool sender_knows_its_problems = false;
  };
  Receiver(Applier& applier, Hooks hooks);
  ~Receiver();

  // Nothing: the message is none of contents. An error is one of the stream.
  std::optional<Result<void>> take(const MessageView& message);

  // A file has begun and not yet ended.
  bool busy() const { return number_.has_value(); }

  Result<PartFile*> part(const FileHead& head);
  void forget_part() { part_.reset(); }

 private:
  struct Patching;
  Result<void> begin(Kind kind, const FileStart& start);
  Result<void> begin_segment(Kind kind, const FileHead& head, std::uint64_t segment);
  Result<void> begin_delta(const FileHead& head);
  Result<void> take_bytes(std::string_view bytes);
  Result<void> take_hole(std::uint64_t count);
  Result<void> end(const FileEnd& end);
  Result<void> finish(const FileEnd& end);
  void drop(Error error);

  Applier& applier_;
  Hooks hooks_;
  std::optional<std::uint64_t> number_;  // of the file that is being received
  std::optional<Error> problem_;         // with it: the rest is passed over
  std::optional<IncomingFile> file_;
  std::unique_ptr<Patching> patching_;
  bool in_segment_ = false;
  std::optional<PartFile> part_;
  std::string part_path_;
};

}  // namespace yonder::tree
