#include <array>

#include "fuzz/again.h"
#include "tree/messages.h"

// What the two ends of a sync say to each other. The first byte says which.
namespace yonder::fuzz {
namespace {

template <class Message>
void as_message(std::string_view bytes) {
  same_again(
      bytes, [](std::string_view body) { return tree::unpack_message<Message>(body); },
      [](const Message& message) { return tree::pack_message(message); });
}

void as_texts(std::string_view bytes) {
  same_again(bytes, tree::unpack_texts, tree::pack_texts);
}

void as_skips(std::string_view bytes) {
  same_again(bytes, tree::unpack_skips, tree::pack_skips);
}

constexpr std::array kTreeReaders{as_message<tree::OpenTree>,
                                  as_message<tree::RootState>,
                                  as_message<tree::ScanTree>,
                                  as_message<tree::Directory>,
                                  as_message<tree::SymbolicLink>,
                                  as_message<tree::Twin>,
                                  as_message<tree::Removal>,
                                  as_message<tree::DirectoryEnd>,
                                  as_message<tree::Attributes>,
                                  as_message<tree::FileStart>,
                                  as_message<tree::FileEnd>,
                                  as_message<tree::PartEnd>,
                                  as_message<tree::Wanted>,
                                  as_message<tree::PartHave>,
                                  as_message<tree::DataRuns>,
                                  as_message<tree::Failure>,
                                  as_message<tree::AllDone>,
                                  as_texts,
                                  as_skips};

void tree_messages(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t which = pieces.byte() % kTreeReaders.size();
  kTreeReaders.at(which)(pieces.rest());
}

tree::FileHead sample_head() {
  return {.path = "a/b", .mode = 0644, .mtime_ns = -3, .size = 7};
}

std::vector<std::string> sample_tree_messages() {
  const tree::Hash hash{.low = 1, .high = ~0ULL};
  std::vector<std::string> samples{
      tree::pack_message(tree::OpenTree{.path = "~/x", .precious = {"/p"}, .claim = {1, 2}}),
      tree::pack_message(tree::RootState{.path = "/x", .exists = true, .home = "/h"}),
      tree::pack_message(tree::ScanTree{.rules = "YR1\n", .hash = true}),
      tree::pack_message(tree::Directory{.number = 1, .path = "d"}),
      tree::pack_message(tree::SymbolicLink{.number = 2, .head = sample_head(), .target = "t"}),
      tree::pack_message(tree::Twin{.number = 3, .head = sample_head(), .existing = "e"}),
      tree::pack_message(tree::Removal{.number = 4, .path = "r", .expected = {.exists = true}}),
      tree::pack_message(tree::DirectoryEnd{.number = 5, .path = "d", .mode = 0700}),
      tree::pack_message(tree::Attributes{.number = 6, .path = "d", .mtime_ns = 9}),
      tree::pack_message(tree::FileStart{.number = 7, .head = sample_head(), .segment = 3}),
      tree::pack_message(tree::FileEnd{.number = 8, .hash = hash, .problem = "p"}),
      tree::pack_message(
          tree::PartEnd{.number = 9, .head = sample_head(), .segments = {{1, hash}}}),
      tree::pack_message(tree::Wanted{.number = 10, .path = "w", .segment = 1, .hash = hash}),
      tree::pack_message(tree::PartHave{.number = 11, .segments = {{0, hash}, {9, hash}}}),
      tree::pack_message(tree::DataRuns{.number = 12, .runs = {{1, 2}, {3, 4}}}),
      tree::pack_message(tree::Failure{.number = 13, .code = "denied", .message = "m"}),
      tree::pack_message(tree::AllDone{.token = 14, .trash_batch = "b", .trashed = 2}),
      tree::pack_texts({"a", "", "c"}),
      tree::pack_skips({{.path = "s", .detail = "why", .is_directory = true}})};
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].insert(0, 1, static_cast<char>(i));
  return samples;
}

const Registered kTreeMessages("tree_messages", tree_messages, sample_tree_messages);

}  // namespace
}  // namespace yonder::fuzz
