#include "ops/far_files.h"

#include "base/text.h"
#include "link/link_pool.h"
#include "ops/give_up.h"
#include "ops/resolve.h"
#include "wire/file_messages.h"

namespace yonder::ops {
namespace {

// For the way there, for a link that has to be opened first, and for slow disks.
constexpr auto kTime = std::chrono::seconds(50);
constexpr auto kEmptying = std::chrono::minutes(30);  // of large trashes on slow disks
constexpr const char* kMayBeDone = "it may have been done all the same: look before you repeat it";

// An answer that cannot be read shows that the request has arrived.
template <class T>
Result<T> of_a_change(Result<T> decoded) {
  if (!decoded) decoded.error().hint = kMayBeDone;
  return decoded;
}

}  // namespace

Result<FarFiles> FarFiles::of(Engine& engine, CallContext& context,
                              const std::string& sandbox_name) {
  TRY_ASSIGN(SandboxSpec sandbox, resolve_sandbox(engine, context.session, sandbox_name));
  return FarFiles(engine, context, std::move(sandbox));
}

std::string FarFiles::place(const std::string& path) const {
  // "" is an error over there, not the sandbox's directory.
  return path.empty() ? path : effective_cwd(path, sandbox_.cwd);
}

Result<std::string> FarFiles::ask(const wire::AnyRequest& request, Again again, Duration more) {
  const EitherToken give_up(context_.cancel,
                            again == Again::OfALook ? context_.detach : context_.abandon);
  const Deadline deadline = Deadline::after(kTime + more);
  bool lost = false;
  while (true) {
    TRY_ASSIGN(const auto link, engine_.links.acquire(sandbox_, {.deadline = deadline,
                                                                 .cancel = give_up.token(),
                                                                 .keep_trying = lost,
                                                                 .progress = context_.progress}));
    auto reply = link->ask(request, deadline, give_up.token());
    if (reply) return reply;
    const Errc code = reply.error().code;
    lost = code == Errc::LinkLost;
    if (lost && again != Again::MayBeTwice) continue;
    if (lost || code == Errc::Timeout || code == Errc::Cancelled) {
      if (again == Again::MayBeTwice) reply.error().hint = kMayBeDone;
    }
    return reply;
  }
}

Result<files::ListReply> FarFiles::list(files::ListRequest request) {
  request.path = place(request.path);
  TRY_ASSIGN(const std::string reply, ask(request, Again::OfALook));
  return wire::decode_file_list(reply);
}

Result<files::ReadReply> FarFiles::read(files::ReadRequest request) {
  request.path = place(request.path);
  TRY_ASSIGN(const std::string reply, ask(request, Again::OfALook));
  return wire::decode_file_read(reply);
}

Result<files::SearchReply> FarFiles::search(files::SearchRequest request) {
  request.path = place(request.path);
  TRY_ASSIGN(const std::string reply,
             ask(request, Again::OfALook, std::chrono::milliseconds(request.time_ms)));
  return wire::decode_file_search(reply);
}

Result<files::TrashReply> FarFiles::trash(const files::TrashRequest& request) {
  TRY_ASSIGN(const std::string reply, ask(request, Again::OfALook));
  return wire::decode_file_trash(reply);
}

Result<files::Written> FarFiles::write(files::WriteRequest request) {
  request.path = place(request.path);
  TRY_ASSIGN(const std::string reply, ask(request, Again::MayBeTwice));
  return of_a_change(wire::decode_file_written(reply));
}

Result<files::EditReply> FarFiles::edit(files::EditRequest request) {
  request.path = place(request.path);
  TRY_ASSIGN(const std::string reply, ask(request, Again::MayBeTwice));
  return of_a_change(wire::decode_file_edit(reply));
}

Result<files::MoveReply> FarFiles::move(files::MoveRequest request) {
  request.from = place(request.from);
  request.to = place(request.to);
  TRY_ASSIGN(const std::string reply, ask(request, Again::MayBeTwice));
  return of_a_change(wire::decode_file_move(reply));
}

Result<files::DeleteReply> FarFiles::remove(files::DeleteRequest request) {
  request.path = place(request.path);
  TRY_ASSIGN(const std::string reply, ask(request, Again::MayBeTwice));
  return of_a_change(wire::decode_file_delete(reply));
}

Result<files::MakeDirectoryReply> FarFiles::make_directory(files::MakeDirectoryRequest request) {
  request.path = place(request.path);
  TRY_ASSIGN(const std::string reply, ask(request, Again::IsFine));
  return of_a_change(wire::decode_file_make_directory(reply));
}

Result<files::RestoreReply> FarFiles::restore(const files::RestoreRequest& request) {
  TRY_ASSIGN(const std::string reply, ask(request, Again::MayBeTwice));
  return of_a_change(wire::decode_file_restore(reply));
}

Result<files::EmptyTrashReply> FarFiles::empty_trash(const files::EmptyTrashRequest& request) {
  TRY_ASSIGN(const std::string reply, ask(request, Again::MayBeTwice, kEmptying));
  return of_a_change(wire::decode_file_empty_trash(reply));
}

}  // namespace yonder::ops
