#include "sync/far_tree.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/far_text.h"
#include "base/text.h"
#include "tree/beneath.h"
#include "tree/trash.h"

namespace yonder::sync {
namespace {

// Beyond what every stream has: a far list or file comes without waiting for our confirmations.
constexpr std::uint32_t kWindow = 4U * 1024 * 1024;
constexpr std::size_t kMostEntries = 20UL * 1000 * 1000;
constexpr std::size_t kMostListBytes = 2UL * 1024 * 1024 * 1024;
// What an entry or a text takes here even when it is empty.
constexpr std::size_t kCostOfEach = 96;
// What the far side says while we are sending is kept; no honest one says so much.
constexpr std::size_t kMostUnread = 256UL * 1024 * 1024;

// Where a round trip takes less, the link is probably as near as the disk.
constexpr auto kNearLink = std::chrono::milliseconds(2);

// Strictly in the order of a scan, and nothing that a scan never lists.
bool is_a_scan(const std::vector<tree::Entry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view path = entries[i].path;
    if (i > 0 && !tree::comes_before(entries[i - 1].path, path)) return false;
    if (tree::is_trash_name(path.substr(0, path.find('/')))) return false;
    if (tree::split_path(path).name.starts_with(tree::kTemporaryPrefix)) return false;
  }
  return true;
}

template <class T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

// One message of a list; `bytes` grows with what it takes in memory.
Result<void> add_to(tree::Listing& listing, const tree::MessageView& message, std::size_t& bytes) {
  bytes += message.body.size();
  switch (static_cast<tree::Kind>(message.kind)) {
    case tree::Kind::Entries: {
      auto entries = tree::unpack_entries(message.body);
      if (!entries) return Error{Errc::Protocol, "a list of files that cannot be read", ""};
      for (const auto& entry : *entries) bytes += kCostOfEach + entry.path.size();
      append(listing.entries, *std::move(entries));
      return {};
    }
    case tree::Kind::Skips: {
      TRY_ASSIGN(auto skips, tree::unpack_skips(message.body));
      bytes += kCostOfEach * skips.size();
      append(listing.skips, std::move(skips));
      return {};
    }
    case tree::Kind::Temporaries: {
      TRY_ASSIGN(auto paths, tree::unpack_texts(message.body));
      bytes += kCostOfEach * paths.size();
      append(listing.temporaries, std::move(paths));
      return {};
    }
    case tree::Kind::IgnoreFiles: {
      TRY_ASSIGN(auto texts, tree::unpack_texts(message.body));
      bytes += kCostOfEach * texts.size();
      if (texts.size() % 2 != 0) return tree::unexpected(message.kind);
      append(listing.ignore_files, std::move(texts));
      return {};
    }
    case tree::Kind::Mounts: {
      TRY_ASSIGN(auto paths, tree::unpack_texts(message.body));
      bytes += kCostOfEach * paths.size();
      append(listing.mounts, std::move(paths));
      return {};
    }
    default: return tree::unexpected(message.kind);
  }
}

}  // namespace

FarTree::FarTree(link::Call call, CancelToken cancel)
    : call_(std::move(call)),
      cancel_(std::move(cancel)),
      out_([this](std::string_view bytes) { return pour(bytes); }),
      in_([this](char* buffer, std::size_t size) { return draw(buffer, size); }) {}

Result<std::unique_ptr<FarTree>> FarTree::open(const std::shared_ptr<link::Link>& link,
                                               tree::OpenTree wanted, const CancelToken& cancel) {
  wanted.near_link = is_near(*link);
  TRY_ASSIGN(link::Call call, link->request(wire::TreeRequest{}));
  call.widen(kWindow);
  // make_unique cannot reach the private constructor.
  std::unique_ptr<FarTree> tree(new FarTree(std::move(call), cancel));
  TRY(tree::send(tree->out_, tree::Kind::Open, wanted));
  TRY(tree->out_.flush());
  return tree;
}

Result<void> FarTree::take_event(const Deadline& deadline) {
  TRY_ASSIGN(link::Event event, call_.next(deadline, cancel_));
  if (auto* data = std::get_if<link::DataEvent>(&event)) {
    if (data->channel != wire::Channel::Out || data->offset != received_) {
      return Error{Errc::Protocol, "a gap in the data", ""};
    }
    received_ += data->bytes.size();
    if (read_ == inbox_.size()) {
      inbox_ = std::move(data->bytes);
      read_ = 0;
    } else {
      inbox_ += data->bytes;
      if (inbox_.size() - read_ > kMostUnread) {
        return Error{Errc::Protocol, "the far end of the sync says too much", ""};
      }
    }
  } else if (std::holds_alternative<link::ReplyEvent>(event)) {
    return Error{Errc::LinkLost, "the far end of the sync has ended", ""};
  }
  return {};
}

Result<void> FarTree::pour(std::string_view bytes) {
  while (!bytes.empty()) {
    if (cancel_.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
    const std::uint64_t room = call_.input_room();
    if (room == 0) {
      const auto before = std::chrono::steady_clock::now();
      TRY(take_event(Deadline::never()));
      blocked_ += std::chrono::steady_clock::now() - before;
      continue;
    }
    const std::string_view piece =
        bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size())));
    TRY(call_.send_input(sent_, piece));
    sent_ += piece.size();
    bytes.remove_prefix(piece.size());
  }
  return {};
}

Result<std::size_t> FarTree::draw(char* buffer, std::size_t size) {
  while (read_ == inbox_.size()) {
    TRY(take_event(waits_ ? Deadline::never() : Deadline::after(Duration::zero())));
  }
  const std::size_t n = std::min(size, inbox_.size() - read_);
  std::memcpy(buffer, inbox_.data() + read_, n);
  read_ += n;
  if (read_ == inbox_.size()) {
    inbox_.clear();
    read_ = 0;
  }
  return n;
}

Result<tree::MessageView> FarTree::next() {
  TRY(out_.flush());
  return in_.next();
}

void FarTree::hear_out(const std::function<Result<void>(const tree::MessageView&)>& on_message) {
  waits_ = false;
  while (true) {
    const auto message = in_.next();
    if (!message || !on_message(*message)) return;
  }
}

Result<tree::RootState> FarTree::root() {
  TRY_ASSIGN(const tree::MessageView message, next());
  if (static_cast<tree::Kind>(message.kind) != tree::Kind::Root) {
    return tree::unexpected(message.kind);
  }
  TRY_ASSIGN(auto state, tree::unpack_message<tree::RootState>(message.body));
  state.mtime_ns = tree::countable(state.mtime_ns);
  return state;
}

Result<void> FarTree::ask_scan(const tree::ScanTree& wanted) {
  TRY(tree::send(out_, tree::Kind::Scan, wanted));
  return out_.flush();
}

Result<tree::Listing> FarTree::listing() {
  tree::Listing listing;
  std::size_t bytes = 0;
  while (true) {
    TRY_ASSIGN(const tree::MessageView message, next());
    if (static_cast<tree::Kind>(message.kind) == tree::Kind::Done) {
      TRY_ASSIGN(const auto done, tree::unpack_message<tree::AllDone>(message.body));
      TRY(outcome_of(done));
      if (!is_a_scan(listing.entries)) {
        return Error{Errc::Protocol, "a list of files that no directory has", ""};
      }
      return listing;
    }
    TRY(add_to(listing, message, bytes));
    if (listing.entries.size() > kMostEntries || bytes > kMostListBytes) {
      return Error{Errc::Unsupported, "there are too many files over there",
                   "sync a directory of it at a time, or exclude some"};
    }
  }
}

Result<tree::AllDone> FarTree::settle(
    const std::function<Result<void>(const tree::MessageView&)>& on_message) {
  const std::uint64_t token = ++tokens_;
  TRY(tree::send_raw(out_, tree::Kind::Flush, tree::Packer().number(token).take()));
  while (true) {
    TRY_ASSIGN(const tree::MessageView message, next());
    if (static_cast<tree::Kind>(message.kind) != tree::Kind::Done) {
      TRY(on_message(message));
      continue;
    }
    TRY_ASSIGN(auto done, tree::unpack_message<tree::AllDone>(message.body));
    if (done.token == token) return done;
  }
}

bool is_near(const link::Link& link) {
  const auto round_trip = link.round_trip();
  return round_trip && *round_trip < kNearLink;
}

Result<void> outcome_of(const tree::AllDone& done) {
  if (done.problem_code.empty()) return {};
  return Error{errc_from_name(done.problem_code), machine_said(done.problem), ""};
}

}  // namespace yonder::sync
