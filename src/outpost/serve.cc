#include "outpost/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/clean_text.h"
#include "base/environment.h"
#include "base/text.h"
#include "outpost/activity.h"
#include "outpost/begin_files.h"
#include "outpost/begin_looking.h"
#include "outpost/detach.h"
#include "outpost/key_request.h"
#include "outpost/list_runs.h"
#include "outpost/outbox.h"
#include "outpost/packed_record.h"
#include "outpost/place_memory.h"
#include "outpost/probe.h"
#include "outpost/remove_run.h"
#include "outpost/self.h"
#include "outpost/session.h"
#include "outpost/start.h"
#include "wire/frame.h"
#include "wire/handshake.h"
#include "wire/messages.h"

namespace yonder::outpost {
namespace {

// The near side pings every 15 seconds. When nothing at all has come for so long, nobody is there.
constexpr auto kSilenceLimit = std::chrono::seconds(120);
constexpr std::size_t kMaxStreams = 1024;
constexpr auto kFirstCollection = std::chrono::seconds(2);
constexpr auto kCollectEvery = std::chrono::hours(1);
// Records are packed when no request has come for a moment, or when there are many.
constexpr auto kPackAfter = std::chrono::milliseconds(200);
constexpr std::size_t kPackAtOnce = 64;
constexpr auto kPackPatience = std::chrono::seconds(5);

template <class T, class... Arguments>
std::unique_ptr<Activity> activity(Arguments&&... arguments) {
  return std::make_unique<T>(std::forward<Arguments>(arguments)...);
}

class Server {
 public:
  Server(const ServeOptions& options, Fd input, Fd output)
      : options_(options),
        around_(options.around),
        input_(std::move(input)),
        output_(std::move(output)),
        changes_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

  int run();

 private:
  void greet();
  bool read_input();
  Result<void> on_frame(const wire::FrameView& frame);
  void on_request(wire::StreamId stream, const std::string& cbor);
  void count(std::size_t bytes);
  void fail_unless(wire::StreamId stream, const Result<void>& done);
  void collect();
  Result<void> on_taken(std::string_view cbor);
  void pack();
  int converse();
  Result<std::unique_ptr<Activity>> begin(wire::StreamId stream, const wire::AnyRequest& request);
  Result<void> find_records(const wire::AnyRequest& request);
  void watch(wire::StreamId stream, const Watched& change);
  void forget_changes();
  void forget(wire::StreamId stream);
  void unwatch(wire::StreamId stream);
  void clear_away();
  void step_all();
  Deadline next_due() const;

  const ServeOptions& options_;
  Surroundings around_;
  Fd input_;
  Fd output_;
  Fd changes_;
  Outbox outbox_;
  wire::FrameParser parser_;
  std::map<wire::StreamId, std::string> parts_;
  using Activities = std::map<wire::StreamId, std::unique_ptr<Activity>>;
  Activities activities_;
  std::vector<Activities::node_type> done_;
  std::multimap<wire::StreamId, int> watches_;
  std::uint64_t received_ = 0;  // as Data
  bool starts_runs_ = false;
  bool place_is_noted_ = false;
  std::optional<Spare> spare_;
  Deadline silence_ = Deadline::after(kSilenceLimit);
  Deadline next_collection_ = Deadline::after(kFirstCollection);
  std::vector<wire::TakenNote> taken_;  // runs that the near side has the end of
  bool first_taken_ = true;
  Deadline pack_at_ = Deadline::never();
};

void Server::greet() {
  outbox_.raw(wire::handshake_marker(options_.nonce) + " ready\n");
  const Surroundings& around = around_;
  outbox_.message(wire::Kind::Reply, 0,
                  wire::encode(wire::Hello{
                      .build = options_.build,
                      .boot_id = around.boot_id,
                      .hostname = read_hostname(),
                      .system = describe_system(),
                      .home = around.home,
                      .user_id = around.user_id,
                      .login_shell = around.login_shell,
                      .bash = find_program("bash", environment("PATH")),
                      .outpost_path = own_path(),
                      .state_dir = around.state_dir,
                      .state_problem = around.state_problem,
                      .state_id = around.state_id,
                      .state_volatile = !around.state_dir.empty() && is_volatile(around.state_dir),
                      .machine_id = read_machine_id(),
                      .clock_ms = wall_clock_ms(),
                      .pid = ::getpid()}));
}

// False at the end of the link, or when the near side broke the rules.
bool Server::read_input() {
  const auto room = parser_.room();
  const ssize_t n = ::read(input_.get(), room.data(), room.size());
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  silence_ = Deadline::after(kSilenceLimit);
  parser_.filled(static_cast<std::size_t>(n));
  while (true) {
    const auto frame = parser_.next_view();
    if (!frame) return false;
    if (!*frame) return true;
    if (!on_frame(**frame)) return false;
  }
}

Result<void> Server::on_frame(const wire::FrameView& frame) {
  const auto found = activities_.find(frame.stream);
  Activity* target = found == activities_.end() ? nullptr : found->second.get();
  switch (frame.kind) {
    case wire::Kind::Ping: outbox_.frame(wire::Kind::Pong, frame.stream, frame.payload); return {};
    case wire::Kind::Part: {
      auto& part = parts_[frame.stream];
      part += frame.payload;
      if (part.size() > wire::kMaxMessage || parts_.size() > kMaxStreams) {
        return Error{Errc::Protocol, "a message that is too long", ""};
      }
      return {};
    }
    case wire::Kind::Request: {
      auto part = parts_.extract(frame.stream);
      std::string whole = part ? std::move(part.mapped()) : std::string();
      whole += frame.payload;
      on_request(frame.stream, whole);
      return {};
    }
    case wire::Kind::Cancel:
      if (target == nullptr || !target->on_cancel()) forget(frame.stream);
      return {};
    case wire::Kind::Credit: {
      TRY_ASSIGN(const std::uint32_t bytes, wire::parse_credit(frame.payload));
      if (target != nullptr) target->on_credit(bytes);
      return {};
    }
    case wire::Kind::Data: {
      TRY_ASSIGN(const wire::DataView data, wire::parse_data(frame.payload));
      count(data.bytes.size());
      if (target != nullptr) fail_unless(frame.stream, target->on_data(data));
      return {};
    }
    case wire::Kind::Taken: return on_taken(frame.payload);
    case wire::Kind::End:
      if (target != nullptr) fail_unless(frame.stream, target->on_end());
      return {};
    default: return Error{Errc::Protocol, "a frame that only the far side sends", ""};
  }
}

void Server::count(std::size_t bytes) {
  const bool before = received_ >= wire::kMuch;
  received_ += bytes;
  if (!before && received_ >= wire::kMuch) widen_pipe(input_, wire::kWidePipe);
}

// What goes wrong with one stream is that stream's business, not the link's.
void Server::fail_unless(wire::StreamId stream, const Result<void>& done) {
  if (done) return;
  outbox_.message(wire::Kind::Error, stream, wire::encode(done.error()));
  forget(stream);
}

void Server::on_request(wire::StreamId stream, const std::string& cbor) {
  auto request = wire::decode_request(cbor);
  auto begun = request ? begin(stream, *request)
                       : Result<std::unique_ptr<Activity>>(std::move(request).error());
  if (!begun) {
    outbox_.message(wire::Kind::Error, stream, wire::encode(begun.error()));
  } else if (*begun) {
    // Watched before the first look, so that no change falls between.
    forget(stream);
    for (const auto& change : (*begun)->watched()) watch(stream, change);
    activities_[stream] = *std::move(begun);
  }
}

void Server::watch(wire::StreamId stream, const Watched& change) {
  if (change.path.empty()) return;
  const std::uint32_t wanted = (change.contents ? IN_MODIFY : 0U) | IN_MOVED_TO;
  // Added to what others want to know of the same file.
  const int watch = ::inotify_add_watch(changes_.get(), change.path.c_str(), wanted | IN_MASK_ADD);
  if (watch >= 0) watches_.emplace(stream, watch);
}

// Before a request that is about runs: their directory may have gone, or come back, since the last.
Result<void> Server::find_records(const wire::AnyRequest& request) {
  const auto* log = std::get_if<wire::ReadLogRequest>(&request);
  const bool starts = std::holds_alternative<wire::StartRequest>(request);
  const bool about_runs = starts || std::holds_alternative<wire::FollowRequest>(request) ||
                          std::holds_alternative<wire::StopRequest>(request) ||
                          std::holds_alternative<wire::ListRequest>(request) ||
                          std::holds_alternative<wire::RemoveRequest>(request) ||
                          (log != nullptr && log->path.empty());
  if (!about_runs) return {};
  if (find_state_again(around_)) {
    spare_.reset();  // its files are in the other directory
    place_is_noted_ = false;
  }
  TRY(check_state_is_there(around_));
  if (starts && !place_is_noted_) {
    remember_place(around_);
    place_is_noted_ = true;
  }
  return {};
}

// Nothing when the reply is already in the outbox.
Result<std::unique_ptr<Activity>> Server::begin(wire::StreamId stream,
                                                const wire::AnyRequest& request) {
  if (activities_.size() >= kMaxStreams) {
    return Error{Errc::Conflict, "too many requests at once on one link", ""};
  }
  if (std::holds_alternative<wire::ProbeRequest>(request)) {
    outbox_.message(wire::Kind::Reply, stream, wire::encode(probe(around_)));
    return std::unique_ptr<Activity>();
  }
  TRY(find_records(request));
  if (auto files = begin_files(around_, stream, request)) return *std::move(files);
  if (auto looking = begin_looking(around_, stream, request)) return *std::move(looking);
  const auto existing = [&](const std::string& id) { return find_run(around_, id); };
  const std::string& boot_id = around_.boot_id;
  if (const auto* start = std::get_if<wire::StartRequest>(&request)) {
    starts_runs_ = true;
    TRY_ASSIGN(Started started, start_run(around_, *start, spare_));
    const bool owner = started.record.id() == start->run_id;
    const GiveBack give_back = started.existed ? what_to_give_back(started.record, owner)
                                               : what_to_give_back(*start, owner);
    // Only the run's own caller feeds it; whom a key has led here must not mix in his input.
    const bool feeds_it = start->stdin_mode == wire::StdinMode::Stream && owner;
    return activity<FollowActivity>(
        std::move(started.record),
        FollowActivity::Options{.stream = stream,
                                .follow = start->follow,
                                .existed = started.existed,
                                .announce = true,
                                .stream_stdin = start->stdin_mode == wire::StdinMode::Stream,
                                .feeds_input = feeds_it,
                                .owner = owner,
                                .give_back = give_back,
                                .in_from = start->in_from,
                                .boot_id = boot_id});
  }
  if (const auto* follow = std::get_if<wire::FollowRequest>(&request)) {
    TRY_ASSIGN(RunRecord record, existing(follow->run_id));
    TRY(check_output_kept(record));
    const GiveBack give_back = what_to_give_back(record, follow->owner);
    return activity<FollowActivity>(std::move(record),
                                    FollowActivity::Options{.stream = stream,
                                                            .follow = follow->follow,
                                                            .existed = true,
                                                            .stream_stdin = follow->stream_stdin,
                                                            .owner = follow->owner,
                                                            .give_back = give_back,
                                                            .in_from = follow->in_from,
                                                            .boot_id = boot_id});
  }
  const auto& stop = std::get<wire::StopRequest>(request);
  TRY_ASSIGN(const StopOrder order, check_stop(stop));
  const auto keyed = find_by_key(around_, stop.key);
  if (stop.prevent) {
    TRY_ASSIGN(const RunId id, parse_run_id(keyed ? keyed->id() : stop.run_id));
    TRY(prevent_run(around_, id));
  }
  const bool by_name = !keyed && !stop.session.empty();
  TRY_ASSIGN(RunRecord record, by_name ? session_to_stop(around_, stop.session)
                               : keyed ? Result<RunRecord>(*keyed)
                                       : existing(stop.run_id));
  return activity<StopActivity>(std::move(record), stream, order, boot_id);
}

// Which directory changed does not matter: looking at a few runs costs less than keeping a table.
void Server::forget_changes() {
  std::array<char, 16384> buffer{};
  while (::read(changes_.get(), buffer.data(), buffer.size()) > 0) {
  }
}

void Server::forget(wire::StreamId stream) {
  activities_.erase(stream);
  unwatch(stream);
}

// A user has few watches, and one link may see thousands of runs.
void Server::unwatch(wire::StreamId stream) {
  while (const auto own = watches_.extract(stream)) {
    const bool shared = std::any_of(watches_.begin(), watches_.end(), [&](const auto& other) {
      return other.second == own.mapped();
    });
    if (!shared) ::inotify_rm_watch(changes_.get(), own.mapped());
  }
}

void Server::step_all() {
  for (auto it = activities_.begin(); it != activities_.end();) {
    const auto& [stream, doing] = *it++;
    if (doing->step(outbox_)) done_.push_back(activities_.extract(stream));
  }
}

// What is over; after its answer has been sent.
void Server::clear_away() {
  for (const auto& over : std::exchange(done_, {})) unwatch(over.key());
}

Deadline Server::next_due() const {
  Deadline due = Deadline::earlier(Deadline::earlier(silence_, next_collection_), pack_at_);
  for (const auto& [stream, doing] : activities_) due = Deadline::earlier(due, doing->due());
  return due;
}

// In a process of its own: on a slow file system it may take long, and nobody should wait for it.
void Server::collect() {
  next_collection_ = Deadline::after(kCollectEvery);
  if (::fork() == 0) {
    leave_the_link({});  // with its copies of descriptors, a spare would not notice its end
    collect_leftovers(around_.state_dir, own_path());
    collect_overflow(around_);
    ::_exit(0);
  }
}

Result<void> Server::on_taken(std::string_view cbor) {
  TRY_ASSIGN(wire::TakenNote note, wire::decode_taken(cbor));
  taken_.push_back(std::move(note));
  // The first one is often the last: a command line ends with its command.
  const bool now = std::exchange(first_taken_, false) || taken_.size() >= kPackAtOnce;
  pack_at_ = Deadline::after(now ? Duration::zero() : Duration(kPackAfter));
  return {};
}

// In a process of its own, too: a supervisor that has written the end waits for the disk, and is
// waited for.
void Server::pack() {
  pack_at_ = Deadline::never();
  const auto taken = std::exchange(taken_, {});
  if (taken.empty() || around_.state_dir.empty() || ::fork() != 0) return;
  leave_the_link({});
  pack_runs(around_.state_dir, taken, Deadline::after(kPackPatience));
  ::_exit(0);
}

int Server::run() {
  const int status = converse();
  pack();
  return status;
}

int Server::converse() {
  if (!set_nonblocking(input_) || !set_nonblocking(output_)) return 1;
  greet();
  if (!outbox_.flush(output_)) return 0;
  while (!silence_.expired()) {
    if (next_collection_.expired()) collect();
    if (pack_at_.expired()) pack();
    step_all();
    const bool was_full = !outbox_.has_room();
    if (!outbox_.flush(output_)) return 0;
    clear_away();
    if (was_full && outbox_.has_room()) continue;  // somebody may have waited for it
    // Only on links that have started something before; and while its command runs, rather than
    // when the next request may be on its way.
    if (starts_runs_ && !spare_) spare_ = Spare::fork_one(around_.state_dir);
    // Not while the way out is full: they could only wait for it. Files change with every write of
    // a command.
    const bool room = outbox_.has_room();
    std::vector<pollfd> fds{
        pollfd{input_.get(), POLLIN, 0},
        pollfd{outbox_.empty() ? -1 : output_.get(), POLLOUT, 0},
        pollfd{room ? changes_.get() : -1, POLLIN, 0},
    };
    for (const auto& [stream, doing] : activities_) {
      if (room) doing->polled(fds);
    }
    ::poll(fds.data(), fds.size(), next_due().poll_timeout());
    if ((fds[2].revents & POLLIN) != 0) forget_changes();
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read_input()) return 0;
  }
  return 0;
}

}  // namespace

int serve(const ServeOptions& options, Fd input, Fd output) {
  return Server(options, std::move(input), std::move(output)).run();
}

}  // namespace yonder::outpost
