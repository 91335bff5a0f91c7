#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "cli/cells.h"
#include "cli/gpus_table.h"
#include "cli/hosts_table.h"
#include "cli/one_line.h"
#include "cli/run_words.h"
#include "cli/top_draw.h"

namespace yonder::cli {
namespace {

using resources::Count;
using resources::Gpu;
using resources::MachineFacts;

constexpr std::size_t kLongestName = 20;
constexpr std::size_t kLongestGpu = 24;

// What there is room for.
struct Room {
  std::size_t name = 0;
  std::size_t bar = 0;
  std::size_t memory_bar = 0;
  std::size_t cpu = 0;
  std::size_t memory = 0;
  std::size_t gpus = 0;
  std::size_t holder = 0;
  std::size_t gpu_name = 0;
  std::size_t spark = 0;
};

std::optional<double> share(const Count& part, const Count& whole) {
  if (!part || !whole || *whole == 0) return std::nullopt;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

std::optional<double> memory_share(const resources::Memory& memory) {
  const auto free = share(memory.available_bytes, memory.total_bytes);
  return free ? std::optional(1 - std::min(*free, 1.0)) : std::nullopt;
}

TopTone tone_of(std::optional<double> used) {
  constexpr double kMuch = 0.7;
  constexpr double kNearlyAll = 0.9;
  if (!used) return TopTone::Dim;
  return *used >= kNearlyAll ? TopTone::Bad : *used >= kMuch ? TopTone::Warning : TopTone::Good;
}

// Cells of resources_cells().
enum Cell { kIdle, kCpu, kMemory, kDisk, kGpus };

std::string gpu_memory(const Gpu& gpu) {
  const auto shown = [](const Count& bytes) { return bytes ? human_bytes(*bytes) : "?"; };
  return concat(shown(gpu.memory_used_bytes), " of ", shown(gpu.memory_total_bytes));
}

std::string holder_text(const resources::Gpus& gpus, const Gpu& gpu) {
  return one_line(gpu_holder(gpus, gpu) + (gpu.lease ? " " + gpu.lease->run_id : ""));
}

constexpr std::size_t kGpuLabel = 9;
constexpr std::size_t kGpuBusy = 5;
constexpr std::size_t kGpuMemory = 20;
constexpr std::size_t kGpuHeat = 7;
constexpr std::size_t kColumnGap = 2;

// Who has a GPU is what one looks for; its name goes before its history.
void share_out(Room& room, std::size_t width) {
  constexpr std::size_t kHolder = 24;
  constexpr std::size_t kUseful = 8;
  const std::size_t memory = room.memory_bar == 0 ? 0 : room.memory_bar + 1;
  const std::size_t fixed = kGpuLabel + room.bar + 1 + kGpuBusy + kColumnGap + memory + kGpuMemory +
                            kColumnGap + kGpuHeat;
  std::size_t left = width > fixed ? width - fixed : 0;
  const auto take = [&](std::size_t wanted) {
    const std::size_t taken = std::min(wanted, left);
    left -= std::min(left, taken + kColumnGap);
    return taken;
  };
  room.holder = take(std::min(room.holder, std::max(kHolder, left / 2)));
  room.gpu_name = take(room.gpu_name);
  room.spark = left < kUseful ? 0 : std::min(left, kTopSamples);
}

void measure_gpus(Room& room, const resources::Gpus& gpus) {
  if (!gpus.list) return;
  for (const auto& gpu : *gpus.list) {
    room.holder = std::max(room.holder, cells_of(holder_text(gpus, gpu)));
    room.gpu_name = std::max(room.gpu_name, std::min(cells_of(one_line(gpu.name)), kLongestGpu));
  }
}

Room room_for(const std::vector<const TopMachine*>& machines, std::size_t width) {
  constexpr std::size_t kWide = 100;
  const bool wide = width >= kWide;
  Room room{.name = cells_of("MACHINE"), .bar = wide ? 8U : 4U, .memory_bar = wide ? 8U : 0U};
  for (const auto* machine : machines) {
    room.name = std::max(room.name, std::min(cells_of(one_line(machine->name)),
                                             wide ? kLongestName : kLongestName / 2));
    if (!machine->facts) continue;
    const Row cells = resources_cells(*machine->facts);
    room.cpu = std::max(room.cpu, cells_of(cells[kCpu]));
    room.memory = std::max(room.memory, cells_of(cells[kMemory]));
    room.gpus = std::max({room.gpus, cells_of(cells[kGpus]), cells_of("GPUS")});
    measure_gpus(room, machine->facts->gpus);
  }
  share_out(room, width);
  return room;
}

// Why what is shown of it is not what is true now; empty: it is.
std::string status_text(const TopMachine& machine, Instant now) {
  const auto silence = top_silence(machine.unanswered, now);
  std::string text;
  if (machine.error) {
    const std::string& hint = machine.error->hint;
    text = concat("cannot be reached", silence ? concat(" for ", top_seconds(*silence)) : "", ": ",
                  machine.error->message, hint.empty() ? "" : "; " + hint);
  } else if (silence) {
    text = concat("no answer for ", top_seconds(*silence));
  } else if (!machine.facts) {
    text = "asking";
  }
  if (text.empty() || !machine.facts) return one_line(text);
  return one_line(concat("(", top_seconds(now - machine.measured), " old) ", text));
}

void add_bar(TopLine& line, std::optional<double> used, const std::string& text, std::size_t room,
             std::size_t bar) {
  if (bar > 0) line.spans.push_back({top_bar(used, bar) + " ", tone_of(used)});
  line.spans.push_back({concat(pad_cells(text, room), "  ")});
}

TopLine machine_line(const TopMachine& machine, const Room& room) {
  TopLine line;
  line.spans.push_back({pad_cells(one_line(machine.name), room.name) + "  ", TopTone::Strong});
  const MachineFacts& facts = *machine.facts;
  const Row cells = resources_cells(facts);
  line.spans.push_back({pad_cells(cells[kIdle], 5) + "  "});
  add_bar(line, share(facts.cpu.load_1m_milli, facts.cpu.allowed_milli), cells[kCpu], room.cpu,
          room.bar);
  add_bar(line, memory_share(facts.memory), cells[kMemory], room.memory, room.memory_bar);
  line.spans.push_back({pad_cells(cells[kGpus], room.gpus) + "  "});
  line.spans.push_back({cells[kDisk]});
  return line;
}

TopLine header_line(const Room& room) {
  const std::size_t cpu = room.bar + 1 + room.cpu;
  const std::size_t memory = (room.memory_bar == 0 ? 0 : room.memory_bar + 1) + room.memory;
  const std::string text =
      room.cpu == 0
          ? "MACHINE"
          : concat(pad_cells("MACHINE", room.name), "  IDLE   ", pad_cells("CPU", cpu), "  ",
                   pad_cells("MEM", memory), "  ", pad_cells("GPUS", room.gpus), "  DISK");
  return {.spans = {{text, TopTone::Dim}}};
}

TopLine gpu_line(const TopMachine& machine, const Gpu& gpu, const Room& room) {
  const Count& busy = gpu.utilization_pct;
  const auto share_busy = share(busy, Count::of(100));
  const auto found = machine.gpus.find(top_gpu_key(gpu));
  TopLine line;
  line.spans.push_back({pad_cells(concat("  GPU ", gpu.index), kGpuLabel - 1) + " "});
  add_bar(line, share_busy, busy ? concat(*busy, " %") : "?", kGpuBusy, room.bar);
  add_bar(line, share(gpu.memory_used_bytes, gpu.memory_total_bytes), gpu_memory(gpu), kGpuMemory,
          room.memory_bar);
  const std::string heat = gpu.temperature_c ? concat(*gpu.temperature_c, " C") : "?";
  line.spans.push_back({pad_cells(heat, kGpuHeat - kColumnGap) + "  "});
  const std::string holder = holder_text(machine.facts->gpus, gpu);
  line.spans.push_back({cells_of(holder) > room.holder ? holder : pad_cells(holder, room.holder)});
  if (room.gpu_name > 0) {
    line.spans.push_back({"  " + pad_cells(one_line(gpu.name), room.gpu_name), TopTone::Dim});
  }
  // What is newest stands last, and must not be cut off.
  const std::size_t over = std::max(cells_of(holder), room.holder) - room.holder;
  if (room.spark > over) {
    const TopHistory history = found == machine.gpus.end() ? TopHistory() : found->second;
    line.spans.push_back({"  " + top_spark(history, room.spark - over), TopTone::Good});
  }
  return line;
}

void dim(TopLine& line) {
  for (auto& span : line.spans) span.tone = TopTone::Dim;
}

std::vector<TopLine> lines_of(const TopMachine& machine, const Room& room, Instant now) {
  std::vector<TopLine> lines;
  const std::string status = status_text(machine, now);
  const TopTone tone = machine.error ? TopTone::Bad : TopTone::Warning;
  if (!machine.facts) {
    const std::string name = pad_cells(one_line(machine.name), room.name) + "  ";
    return {TopLine{
        .spans = {{name, TopTone::Strong}, {status, status == "asking" ? TopTone::Dim : tone}}}};
  }
  lines.push_back(machine_line(machine, room));
  const auto& gpus = machine.facts->gpus.list;
  if (!gpus) {
    lines.push_back({.spans = {{concat("  GPUs: ? (", one_line(gpus.why), ")"), TopTone::Dim}}});
  } else {
    for (const auto& gpu : *gpus) lines.push_back(gpu_line(machine, gpu, room));
    const std::string& unseen = machine.facts->gpus.unseen;
    if (!unseen.empty()) {
      lines.push_back(
          {.spans = {{concat("  More GPUs: ? (", one_line(unseen), ")"), TopTone::Dim}}});
    }
  }
  if (top_is_fresh(machine, now)) return lines;
  for (auto& line : lines) dim(line);
  lines.insert(lines.begin() + 1, TopLine{.spans = {{"  " + status, tone}}});
  return lines;
}

}  // namespace

std::string top_seconds(Duration time) {
  const double seconds = std::floor(to_seconds(time));
  constexpr double kMinute = 60;
  if (seconds >= kMinute) return lasted(seconds);
  return concat(static_cast<std::int64_t>(seconds), " s");
}

std::string top_bar(std::optional<double> share, std::size_t width) {
  if (!share) return pad_cells("?", width);
  const double whole = std::clamp(*share, 0.0, 1.0) * static_cast<double>(width);
  const auto full = static_cast<std::size_t>(std::lround(whole));
  std::string bar;
  for (std::size_t i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  return bar;
}

std::string top_spark(const TopHistory& history, std::size_t width) {
  constexpr std::array kSteps{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t shown = std::min(width, history.size());
  std::string spark(width - shown, ' ');
  for (std::size_t i = history.size() - shown; i < history.size(); ++i) {
    if (!history[i]) {
      spark += ' ';
      continue;
    }
    const std::uint64_t percent = std::min<std::uint64_t>(*history[i], 100);
    spark += kSteps.at(percent * (kSteps.size() - 1) / 100);
  }
  return spark;
}

TopMachineLines top_draw_machines(const std::vector<const TopMachine*>& machines, std::size_t width,
                                  const TopTime& now) {
  const Room room = room_for(machines, width);
  TopMachineLines all{.header = header_line(room), .lines = {}, .owner = {}};
  for (std::size_t i = 0; i < machines.size(); ++i) {
    for (auto& line : lines_of(*machines[i], room, now.steady)) {
      all.lines.push_back(std::move(line));
      all.owner.push_back(i);
    }
  }
  return all;
}

}  // namespace yonder::cli
