#include <numeric>

#include "fuzz/target.h"
#include "tree/beneath.h"
#include "tree/entry.h"

// Lists of files. What is in them lies below a root, and is no more than was promised.
namespace yonder::fuzz {
namespace {

std::string packed(const std::vector<tree::Entry>& entries) {
  tree::EntryPacker packer;
  for (const auto& entry : entries) packer.add(entry);
  return packer.take();
}

void entries(std::string_view bytes) {
  const auto list = tree::unpack_entries(bytes);
  if (!list) return;
  std::size_t spread = 0;
  for (const auto& entry : *list) {
    require(tree::check_relative(entry.path).has_value(), "every path is below the root");
    require(entry.mtime_ns == tree::countable(entry.mtime_ns), "every time can be counted with");
    require(entry.mode <= 01777, "modes are permissions, without set-id bits");
    spread += entry.path.size();
  }
  require(spread <= tree::kMostSpread, "all paths together are bounded");
  require(tree::unpack_entries(packed(*list)) == list, "a list is unpacked as what it was");
}

std::vector<std::string> sample_entries() {
  using tree::Type;
  return {packed({{.path = "a", .type = Type::Directory, .mode = 0755, .mtime_ns = -5},
                  {.path = "a/b", .mode = 0644, .size = 7, .mtime_ns = 1700000000000000000},
                  {.path = "a/c", .size = 9, .twins = 2, .hash = tree::Hash{.low = 1, .high = 2}},
                  {.path = "d", .type = Type::Link, .target = "a/b"},
                  {.path = "\xff\xfe", .type = Type::Special}})};
}

const Registered kEntries("entries", entries, sample_entries);

}  // namespace
}  // namespace yonder::fuzz
