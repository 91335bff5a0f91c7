#include "chaos/lies.h"

#include <limits>

#include "base/text.h"
#include "tree/entry.h"
#include "tree/messages.h"
#include "wire/file_messages.h"
#include "wire/messages.h"

namespace yonder::chaos {
namespace {

constexpr std::size_t kLongText = 50000;

std::string hostile_text(Dice& dice) {
  switch (dice.below(5)) {
    case 0: return "\x1b[2J\x1b]0;title\x07\x1b[31mred\r\n\x9b[\xc2\x9b[";
    case 1: return "'; touch /tmp/x; echo '$(id)`id`\n";
    case 2: return std::string(kLongText, 'A');
    case 3: return any_bytes(dice, dice.below(200));
    default: return "/home/x";
  }
}

std::uint64_t extreme_count(Dice& dice) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::uint64_t> all{0, 1, kMost, kMost / 2, kMost / 2 + 1, 1ULL << 32};
  return dice.of(all);
}

wire::RunFacts false_facts(Dice& dice) {
  const auto when = static_cast<std::int64_t>(extreme_count(dice));
  wire::RunFacts facts{.run_id = "r-" + hostile_text(dice),
                       .boot_id = hostile_text(dice),
                       .host = hostile_text(dice),
                       .existed = dice.one_in(2),
                       .record_found = dice.one_in(2),
                       .supervisor_lives = dice.one_in(2),
                       .command_lives = dice.one_in(2),
                       .out_bytes = extreme_count(dice),
                       .problem = hostile_text(dice)};
  if (dice.one_in(2)) facts.exit = wire::ExitRecord{.code = 300, .ended_ms = when, .reason = "r"};
  if (dice.one_in(2)) facts.alive = wire::AliveRecord{.boot_id = "b", .started_ms = when};
  facts.label = wire::RunLabel{.background = true, .command = hostile_text(dice), .key = "k"};
  return facts;
}

wire::LogReply false_log(Dice& dice) {
  return {.run = false_facts(dice),
          .path = hostile_text(dice),
          .exists = true,
          .size = extreme_count(dice),
          .start = extreme_count(dice),
          .next = extreme_count(dice),
          .head = hostile_text(dice),
          .tail = hostile_text(dice),
          .skipped = extreme_count(dice)};
}

resources::MachineFacts false_machine(Dice& dice) {
  using resources::Count;
  resources::Gpu gpu{.uuid = hostile_text(dice), .name = hostile_text(dice)};
  gpu.memory_total_bytes = Count::of(extreme_count(dice));
  gpu.memory_used_bytes = Count::of(extreme_count(dice));
  resources::MachineFacts facts{.kernel = hostile_text(dice)};
  facts.cpu.allowed_milli = Count::of(extreme_count(dice));
  facts.memory.total_bytes = Count::missing(hostile_text(dice));
  facts.gpus.list = {.value = {{gpu, gpu}}, .why = {}};
  return facts;
}

std::string an_answer(Dice& dice) {
  switch (dice.below(9)) {
    case 0:
      return wire::encode(wire::Hello{
          .build = "b", .hostname = hostile_text(dice), .home = "/", .state_dir = "/s"});
    case 1: return wire::encode(Error{Errc::Timeout, hostile_text(dice), hostile_text(dice)});
    case 2: return wire::encode(wire::StartedNote{.run_id = hostile_text(dice), .existed = true});
    case 3: return wire::encode(false_facts(dice));
    case 4: return wire::encode(false_log(dice));
    case 5: return wire::encode(wire::ListReply{.runs = {false_facts(dice), false_facts(dice)}});
    case 6: return wire::encode(false_machine(dice));
    case 7: return wire::encode(files::ReadReply{.path = hostile_text(dice)});
    default: return wire::encode(files::ListReply{.path = hostile_text(dice)});
  }
}

const std::vector<std::string>& paths_of_trespassers() {
  static const std::vector<std::string> all{concat("../", kTrespasser),
                                            concat("a/../../", kTrespasser),
                                            concat("/tmp/", kTrespasser),
                                            concat("link/", kTrespasser),
                                            concat("./", kTrespasser),
                                            "a\nb\x1b[2J",
                                            "plain"};
  return all;
}

}  // namespace

std::string any_bytes(Dice& dice, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(dice.below(256));
  return bytes;
}

std::string a_false_message(Dice& dice) {
  std::string message = dice.one_in(8) ? any_bytes(dice, dice.below(300)) : an_answer(dice);
  if (!message.empty() && dice.one_in(3)) {
    message[dice.below(message.size())] = static_cast<char>(dice.below(256));
  }
  if (dice.one_in(6)) message.resize(dice.below(message.size() + 1));
  return message;
}

std::string a_false_tree(Dice& dice) {
  using tree::Kind;
  std::string bytes;
  tree::BlockWriter out([&](std::string_view piece) {
    bytes += piece;
    return Result<void>();
  });
  const std::string path = dice.of(paths_of_trespassers());
  tree::EntryPacker entries;
  entries.add({.path = "link", .type = tree::Type::Link, .target = "/tmp"});
  entries.add({.path = path, .mode = 0644, .size = 4, .mtime_ns = 1});
  const tree::FileHead head{.path = path, .mode = 04755, .mtime_ns = 1, .size = 4};
  const bool sent =
      tree::send(out, Kind::Root,
                 tree::RootState{.path = "/", .exists = true, .is_directory = true, .home = "/"}) &&
      tree::send_raw(out, Kind::Entries, entries.take()) &&
      tree::send(out, Kind::Done, tree::AllDone{.problem = hostile_text(dice)}) &&
      tree::send(out, Kind::Done, tree::AllDone{}) &&
      tree::send(out, Kind::File, tree::FileStart{.number = dice.below(3), .head = head}) &&
      tree::send_raw(out, Kind::Bytes, "lies") &&
      tree::send(out, Kind::EndFile,
                 tree::FileEnd{.number = dice.below(3), .hash = tree::hash_of_bytes("lies")}) &&
      tree::send(out, Kind::Done, tree::AllDone{.trash_batch = hostile_text(dice)}) && out.flush();
  if (sent && dice.one_in(3)) bytes[dice.below(bytes.size())] = static_cast<char>(dice.below(256));
  return bytes;
}

}  // namespace yonder::chaos
