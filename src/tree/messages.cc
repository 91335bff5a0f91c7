#include "tree/messages.h"

#include <type_traits>

#include "base/text.h"

namespace yonder::tree {
namespace {

class Writing {
 public:
  void operator()(std::uint64_t value) { out_.number(value); }
  void operator()(std::uint32_t value) { out_.number(value); }
  void operator()(std::int64_t value) { out_.integer(value); }
  void operator()(bool value) { out_.flag(value); }
  void operator()(Role value) { out_.flag(value == Role::Target); }
  void operator()(const std::string& value) { out_.text(value); }
  void operator()(const Seen& value) { pack(out_, value); }
  void operator()(const Hash& value) { out_.number(value.low).number(value.high); }
  void operator()(const FileHead& head) {
    out_.text(head.path).number(head.mode).integer(head.mtime_ns).number(head.size);
    pack(out_, head.expected);
    (*this)(head.expected_mode);
    out_.number(head.origin).text(head.aside);
    pack(out_, head.attributes);
  }
  void operator()(const UserAttributes& value) { pack(out_, value); }
  void operator()(const ExpectedMode& value) { out_.number(value ? *value + 1UL : 0); }
  void operator()(const std::vector<std::string>& list) {
    out_.number(list.size());
    for (const auto& text : list) out_.text(text);
  }
  void operator()(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& list) {
    out_.number(list.size());
    for (const auto& [first, count] : list) out_.number(first).number(count);
  }
  void operator()(const std::vector<std::pair<std::uint64_t, Hash>>& list) {
    out_.number(list.size());
    for (const auto& [index, hash] : list) {
      out_.number(index);
      (*this)(hash);
    }
  }
  std::string take() { return out_.take(); }

 private:
  Packer out_;
};

class Reading {
 public:
  explicit Reading(std::string_view body) : in_(body) {}

  void operator()(std::uint64_t& value) { value = in_.number(); }
  void operator()(std::uint32_t& value) { value = static_cast<std::uint32_t>(in_.number()); }
  void operator()(std::int64_t& value) { value = in_.integer(); }
  void operator()(bool& value) { value = in_.flag(); }
  void operator()(Role& value) { value = in_.flag() ? Role::Target : Role::Source; }
  void operator()(std::string& value) { value = in_.text(); }
  void operator()(Seen& value) { value = unpack_seen(in_); }
  void operator()(Hash& value) {
    value.low = in_.number();
    value.high = in_.number();
  }
  void operator()(FileHead& head) {
    head.path = in_.text();
    head.mode = static_cast<std::uint32_t>(in_.number() & 01777U);
    head.mtime_ns = in_.integer();
    head.size = in_.number();
    head.expected = unpack_seen(in_);
    (*this)(head.expected_mode);
    head.origin = in_.number();
    head.aside = in_.text();
    head.attributes = unpack_attributes(in_);
  }
  void operator()(UserAttributes& value) { value = unpack_attributes(in_); }
  void operator()(ExpectedMode& value) {
    const std::uint64_t packed = in_.number();
    value.reset();
    if (packed != 0) value = static_cast<std::uint32_t>((packed - 1) & 01777U);
  }
  // A count is only believed as far as there are bytes.
  void operator()(std::vector<std::string>& list) {
    for (std::uint64_t left = in_.number(); left > 0 && in_.ok(); --left) {
      list.emplace_back(in_.text());
    }
  }
  void operator()(std::vector<std::pair<std::uint64_t, std::uint64_t>>& list) {
    for (std::uint64_t left = in_.number(); left > 0 && in_.ok(); --left) {
      auto& [first, count] = list.emplace_back();
      first = in_.number();
      count = in_.number();
    }
  }
  void operator()(std::vector<std::pair<std::uint64_t, Hash>>& list) {
    for (std::uint64_t left = in_.number(); left > 0 && in_.ok(); --left) {
      auto& [index, hash] = list.emplace_back();
      index = in_.number();
      (*this)(hash);
    }
  }
  bool done() const { return in_.done(); }

 private:
  Unpacker in_;
};

template <class A, class... Fields>
void all(A& a, Fields&... fields) {
  (a(fields), ...);
}

template <class A>
void fields(A& a, OpenTree& m) {
  all(a, m.path, m.base, m.file, m.role, m.keep_replaced, m.flush_to_disk, m.mode, m.precious,
      m.claim.sync, m.claim.attempt, m.near_link);
}
template <class A>
void fields(A& a, RootState& m) {
  all(a, m.path, m.exists, m.is_directory, m.file, m.home, m.holds, m.mode, m.mtime_ns,
      m.keeps_attributes, m.system);
}
template <class A>
void fields(A& a, ScanTree& m) {
  all(a, m.rules, m.use_gitignore, m.tell_gitignore, m.hash, m.twins, m.attributes, m.changed);
}
template <class A>
void fields(A& a, Directory& m) {
  all(a, m.number, m.path, m.expected);
}
template <class A>
void fields(A& a, SymbolicLink& m) {
  all(a, m.number, m.head, m.target);
}
template <class A>
void fields(A& a, Twin& m) {
  all(a, m.number, m.head, m.existing, m.ordered, m.after);
}
template <class A>
void fields(A& a, Removal& m) {
  all(a, m.number, m.path, m.expected);
}
template <class A>
void fields(A& a, DirectoryEnd& m) {
  all(a, m.number, m.path, m.mode, m.mtime_ns, m.attributes, m.keeps_mode, m.expected_mode);
}
template <class A>
void fields(A& a, Attributes& m) {
  all(a, m.number, m.path, m.mode, m.mtime_ns, m.expected, m.expected_mode, m.attributes);
}
template <class A>
void fields(A& a, FileStart& m) {
  all(a, m.number, m.head, m.segment);
}
template <class A>
void fields(A& a, FileEnd& m) {
  all(a, m.number, m.hash, m.problem, m.changed);
}
template <class A>
void fields(A& a, PartEnd& m) {
  all(a, m.number, m.head, m.segments, m.last, m.discard);
}
template <class A>
void fields(A& a, Wanted& m) {
  all(a, m.number, m.path, m.expected, m.segment, m.has_segment, m.hash);
}
template <class A>
void fields(A& a, PartHave& m) {
  all(a, m.number, m.segments, m.last);
}
template <class A>
void fields(A& a, DataRuns& m) {
  all(a, m.number, m.runs);
}
template <class A>
void fields(A& a, Failure& m) {
  all(a, m.number, m.code, m.message);
}
template <class A>
void fields(A& a, AllDone& m) {
  all(a, m.token, m.problem_code, m.problem, m.trash_batch, m.trashed, m.lost_modes,
      m.lost_attributes);
}

Error not_a_message() {
  return Error{Errc::Protocol, "the stream of files is broken: a message cannot be read", ""};
}

}  // namespace

template <class Message>
std::string pack_message(const Message& message) {
  Writing writing;
  fields(writing, const_cast<Message&>(message));  // one list of fields serves both directions
  return writing.take();
}

template <class Message>
Result<Message> unpack_message(std::string_view body) {
  Message message;
  Reading reading(body);
  fields(reading, message);
  if (!reading.done()) return not_a_message();
  return message;
}

#define YONDER_MESSAGE(Type)                              \
  template std::string pack_message(const Type& message); \
  template Result<Type> unpack_message(std::string_view body)
YONDER_MESSAGE(OpenTree);
YONDER_MESSAGE(RootState);
YONDER_MESSAGE(ScanTree);
YONDER_MESSAGE(Directory);
YONDER_MESSAGE(SymbolicLink);
YONDER_MESSAGE(Twin);
YONDER_MESSAGE(Removal);
YONDER_MESSAGE(DirectoryEnd);
YONDER_MESSAGE(Attributes);
YONDER_MESSAGE(FileStart);
YONDER_MESSAGE(FileEnd);
YONDER_MESSAGE(PartEnd);
YONDER_MESSAGE(Wanted);
YONDER_MESSAGE(PartHave);
YONDER_MESSAGE(DataRuns);
YONDER_MESSAGE(Failure);
YONDER_MESSAGE(AllDone);
#undef YONDER_MESSAGE

std::string pack_texts(const std::vector<std::string>& texts) {
  Packer out;
  for (const auto& text : texts) out.text(text);
  return out.take();
}

Result<std::vector<std::string>> unpack_texts(std::string_view body) {
  Unpacker in(body);
  std::vector<std::string> texts;
  while (!in.empty()) texts.emplace_back(in.text());
  if (!in.done()) return not_a_message();
  return texts;
}

std::string pack_skips(const std::vector<Skip>& skips) {
  Packer out;
  for (const Skip& skip : skips) {
    out.text(skip.path).number(static_cast<std::uint64_t>(skip.reason)).text(skip.detail);
    out.flag(skip.is_directory);
  }
  return out.take();
}

Result<std::vector<Skip>> unpack_skips(std::string_view body) {
  Unpacker in(body);
  std::vector<Skip> skips;
  while (!in.empty()) {
    Skip& skip = skips.emplace_back();
    skip.path = in.text();
    const std::uint64_t reason = in.number();
    if (reason > static_cast<std::uint64_t>(SkipReason::UnreadableContents)) return not_a_message();
    skip.reason = static_cast<SkipReason>(reason);
    skip.detail = in.text();
    skip.is_directory = in.flag();
    if (!check_relative(skip.path)) return not_a_message();
  }
  if (!in.done()) return not_a_message();
  return skips;
}

Error unexpected(std::uint8_t kind) {
  return Error{Errc::Protocol, concat("the stream of files is broken: message ", kind, " here"),
               ""};
}

}  // namespace yonder::tree
