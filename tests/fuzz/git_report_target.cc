#include "fuzz/target.h"
#include "ops/git_sync_report.h"

// What the programs of git_sync print on another machine.
namespace yonder::fuzz {
namespace {

void require_ids(const std::vector<std::string>& ids) {
  for (const auto& id : ids) require(ops::is_object_id(id), "an id is one");
}

void git_report(std::string_view bytes) {
  if (const auto found = ops::parse_far_repository(bytes)) {
    std::size_t size = found->known.size() + found->shallow.size();
    for (const auto* id : {&found->head, &found->tip}) {
      require(id->empty() || ops::is_object_id(*id), "an id is one, or none");
    }
    for (const auto& commit : found->history) {
      require(ops::is_object_id(commit.id), "a commit has an id");
      size += commit.subject.size();
    }
    require_ids(found->known);
    require_ids(found->shallow);
    for (const auto& path : found->dirty) size += path.size();
    require(size <= 2 * bytes.size(), "no more is kept than was said");
  }
  if (const auto outcome = ops::parse_far_outcome(bytes)) {
    for (const auto* id : {&outcome->head, &outcome->tip}) {
      require(id->empty() || ops::is_object_id(*id), "an id is one, or none");
    }
  }
}

const Registered kGitReport("git_report", git_report);

}  // namespace
}  // namespace yonder::fuzz
