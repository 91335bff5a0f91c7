#include "outpost/begin_files.h"

#include "outpost/worker.h"
#include "tree/change_files.h"
#include "tree/list_files.h"
#include "tree/read_part.h"
#include "tree/search_files.h"
#include "tree/write_file.h"
#include "wire/file_messages.h"

namespace yonder::outpost {
namespace {

template <class T>
Result<std::string> encoded(const Result<T>& reply) {
  if (!reply) return reply.error();
  return wire::encode(*reply);
}

// What each request means. Those that change something are never cut off in the middle.
class Files {
 public:
  Files(const Surroundings& around, wire::StreamId stream)
      : home_(around.home), trash_{around.state_dir}, stream_(stream) {}

  using Begun = std::optional<Result<std::unique_ptr<Activity>>>;

  Begun operator()(const files::ListRequest& request) const {
    return look([=, home = home_] { return encoded(tree::list_files(request, home)); });
  }
  Begun operator()(const files::ReadRequest& request) const {
    return look([=, home = home_] { return encoded(tree::read_part(request, home)); });
  }
  Begun operator()(const files::SearchRequest& request) const {
    return look([=, home = home_] { return encoded(tree::search_files(request, home)); });
  }
  Begun operator()(const files::TrashRequest& request) const {
    return look([=, trash = trash_] { return encoded(tree::show_trash(request, trash)); });
  }
  Begun operator()(const files::WriteRequest& request) const {
    return change([=, home = home_, trash = trash_] {
      return encoded(tree::write_file(request, home, trash));
    });
  }
  Begun operator()(const files::EditRequest& request) const {
    return change([=, home = home_, trash = trash_] {
      return encoded(tree::edit_file(request, home, trash));
    });
  }
  Begun operator()(const files::MoveRequest& request) const {
    return change([=, home = home_, trash = trash_] {
      return encoded(tree::move_file(request, home, trash));
    });
  }
  Begun operator()(const files::DeleteRequest& request) const {
    return change([=, home = home_, trash = trash_] {
      return encoded(tree::delete_file(request, home, trash));
    });
  }
  Begun operator()(const files::MakeDirectoryRequest& request) const {
    return change([=, home = home_] { return encoded(tree::make_directory_at(request, home)); });
  }
  Begun operator()(const files::RestoreRequest& request) const {
    return change([=, trash = trash_] { return encoded(tree::restore_files(request, trash)); });
  }
  Begun operator()(const files::EmptyTrashRequest& request) const {
    return change([=, trash = trash_] { return encoded(tree::empty_trash(request, trash)); });
  }
  template <class Other>
  Begun operator()(const Other& /*request*/) const {
    return std::nullopt;
  }

 private:
  template <class Work>
  Begun look(Work work) const {
    return start_worker(stream_, WorkerEnd::AtOnce, [work](WorkerChannel&) { return work(); });
  }
  template <class Work>
  Begun change(Work work) const {
    return start_worker(stream_, WorkerEnd::WhenItHasTidied,
                        [work](WorkerChannel&) { return work(); });
  }

  std::string home_;
  tree::TrashPlace trash_;
  wire::StreamId stream_;
};

}  // namespace

std::optional<Result<std::unique_ptr<Activity>>> begin_files(const Surroundings& around,
                                                             wire::StreamId stream,
                                                             const wire::AnyRequest& request) {
  return std::visit(Files(around, stream), request);
}

}  // namespace yonder::outpost
