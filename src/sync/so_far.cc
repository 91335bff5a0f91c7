#include "sync/so_far.h"

#include <array>
#include <cstdint>

#include "tree/pack.h"

namespace yonder::sync {
namespace {

constexpr std::uint64_t kVersion = 4;

std::array<std::uint64_t*, 10> counts_of(SyncReport& report) {
  return {&report.files_sent,     &report.directories_made,    &report.attributes_set,
          &report.files_removed,  &report.directories_removed, &report.bytes_sent,
          &report.bytes_on_wire,  &report.overruled,           &report.files_replaced,
          &report.attributes_lost};
}

void pack_texts(tree::Packer& out, const std::vector<std::string>& texts) {
  out.number(texts.size());
  for (const auto& text : texts) out.text(text);
}

// A count is only believed as far as there are bytes.
std::vector<std::string> unpack_texts(tree::Unpacker& in) {
  std::vector<std::string> texts;
  for (std::uint64_t left = in.number(); left > 0 && in.ok(); --left) texts.emplace_back(in.text());
  return texts;
}

}  // namespace

std::string pack(const SoFar& so_far) {
  SyncReport report = so_far.report;
  tree::Packer out;
  out.number(kVersion);
  for (const std::uint64_t* count : counts_of(report)) out.number(*count);
  out.integer(report.reconnects).integer(report.duration.count());
  pack_texts(out, report.trash_batches);
  pack_texts(out, report.warnings);
  std::vector<std::string> copies;
  for (const auto& copy : report.conflict_copies)
    copies.insert(copies.end(), {copy.path, copy.copy});
  pack_texts(out, copies);
  const Unchanged unchanged = so_far.unchanged.value_or(Unchanged());
  out.flag(so_far.unchanged.has_value()).number(unchanged.entries).number(unchanged.directories);
  for (const Action& action : so_far.cut) {
    out.number(static_cast<std::uint64_t>(action.act)).text(action.path);
    out.flag(action.type == tree::Type::Directory).flag(action.target.exists);
  }
  return out.take();
}

std::optional<SoFar> unpack_so_far(std::string_view bytes) {
  tree::Unpacker in(bytes);
  if (in.number() != kVersion) return std::nullopt;
  SoFar so_far;
  for (std::uint64_t* count : counts_of(so_far.report)) *count = in.number();
  so_far.report.reconnects = static_cast<int>(in.integer());
  so_far.report.duration = Duration(in.integer());
  so_far.report.trash_batches = unpack_texts(in);
  so_far.report.warnings = unpack_texts(in);
  const auto copies = unpack_texts(in);
  for (std::size_t i = 0; i + 1 < copies.size(); i += 2) {
    so_far.report.conflict_copies.push_back({copies[i], copies[i + 1]});
  }
  const bool planned = in.flag();
  const std::uint64_t unchanged = in.number();
  const std::uint64_t directories = in.number();
  if (planned) so_far.unchanged = {unchanged, directories};
  while (in.ok() && !in.empty()) {
    Action action;
    const std::uint64_t act = in.number();
    if (act > static_cast<std::uint64_t>(Act::Remove)) return std::nullopt;
    action.act = static_cast<Act>(act);
    action.path = in.text();
    action.type = in.flag() ? tree::Type::Directory : tree::Type::File;
    action.target.exists = in.flag();
    so_far.cut.push_back(std::move(action));
  }
  if (!in.ok()) return std::nullopt;
  return so_far;
}

}  // namespace yonder::sync
