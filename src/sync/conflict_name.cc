#include "sync/conflict_name.h"

#include <string_view>

#include "base/text.h"
#include "base/utf8.h"
#include "tree/beneath.h"
#include "tree/hash.h"

namespace yonder::sync {
namespace {

constexpr std::size_t kLongestFileName = 255;  // bytes
constexpr std::size_t kMarkLetters = 8;

}  // namespace

std::string conflict_name(const std::string& path, const std::string& ending) {
  const std::string_view name = tree::split_path(path).name;
  if (name.size() + ending.size() <= kLongestFileName) return path + ending;
  const std::string mark =
      concat("~", tree::to_hex(tree::hash_of_bytes(name)).substr(0, kMarkLetters));
  std::string_view kept = name.substr(0, kLongestFileName - mark.size() - ending.size());
  kept.remove_suffix(unfinished_utf8(kept));
  return concat(path.substr(0, path.size() - name.size()), kept, mark, ending);
}

}  // namespace yonder::sync
