#pragma once

#include <string>

#include "base/file_work.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "wire/messages.h"

namespace yonder::ops {

// The files of one sandbox. Relative paths are relative to its directory, as those of commands are.
// Looking is asked again when the link is lost meanwhile; a change is not, since it may have been
// made: the error then says so.
class FarFiles {
 public:
  // `sandbox_name` empty: the active one.
  static Result<FarFiles> of(Engine& engine, CallContext& context, const std::string& sandbox_name);

  const SandboxSpec& sandbox() const { return sandbox_; }

  Result<files::ListReply> list(files::ListRequest request);
  Result<files::ReadReply> read(files::ReadRequest request);
  Result<files::SearchReply> search(files::SearchRequest request);
  Result<files::TrashReply> trash(const files::TrashRequest& request);
  Result<files::Written> write(files::WriteRequest request);
  Result<files::EditReply> edit(files::EditRequest request);
  Result<files::MoveReply> move(files::MoveRequest request);
  Result<files::DeleteReply> remove(files::DeleteRequest request);
  Result<files::MakeDirectoryReply> make_directory(files::MakeDirectoryRequest request);
  Result<files::RestoreReply> restore(const files::RestoreRequest& request);
  Result<files::EmptyTrashReply> empty_trash(const files::EmptyTrashRequest& request);

 private:
  // What asking twice would do. A look is given up when its client goes; a change is made.
  enum class Again { OfALook, IsFine, MayBeTwice };
  FarFiles(Engine& engine, CallContext& context, SandboxSpec sandbox)
      : engine_(engine), context_(context), sandbox_(std::move(sandbox)) {}
  Result<std::string> ask(const wire::AnyRequest& request, Again again, Duration more = {});
  std::string place(const std::string& path) const;

  Engine& engine_;
  CallContext& context_;
  SandboxSpec sandbox_;
};

}  // namespace yonder::ops
