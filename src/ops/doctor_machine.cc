#include "ops/doctor_machine.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::ops {
namespace {

using Findings = std::vector<Finding>;

constexpr std::int64_t kClockNoteMs = 2000;
constexpr std::int64_t kClockProblemMs = 60000;
constexpr double kSlowRoundTripMs = 1000;
constexpr std::size_t kNoiseShown = 200;
// Less fills up within one chatty run.
constexpr std::int64_t kLittleSpace = 100LL * 1024 * 1024;

std::string number(const char* format, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

Finding clock_finding(std::int64_t ahead_ms) {
  const std::int64_t apart = std::abs(ahead_ms);
  Finding finding{.subject = "clock"};
  if (apart <= kClockNoteMs) {
    finding.seen = "agrees with ours";
    return finding;
  }
  finding.verdict = apart > kClockProblemMs ? Verdict::Problem : Verdict::Note;
  finding.seen = concat(number("%.1f s ", static_cast<double>(apart) / 1000),
                        ahead_ms > 0 ? "ahead of ours" : "behind ours");
  finding.fix = "set the wrong clock (NTP): file times and start times mislead until then";
  return finding;
}

Finding shell_finding(const Machine& machine) {
  const std::string login = machine.login_shell.empty() ? "unknown" : machine.login_shell;
  if (!machine.bash.empty()) {
    return {.subject = "shell",
            .seen = concat("lines are run by ", machine.bash, "; login shell ", login)};
  }
  return {.verdict = Verdict::Note,
          .subject = "shell",
          .seen = concat("there is no bash, lines are run by sh; login shell ", login),
          .fix = "install bash there, or write lines for a POSIX sh"};
}

Finding records_finding(const Reached& reached) {
  const Machine& machine = reached.machine;
  if (const auto& trouble = reached.no_runs) {
    return {.verdict = Verdict::Problem,
            .subject = "run records",
            .seen = trouble->message,
            .fix = trouble->hint};
  }
  if (machine.state_problem.empty()) return {.subject = "run records", .seen = machine.state_dir};
  return {.verdict = Verdict::Problem,
          .subject = "run records",
          .seen = machine.state_problem,
          .fix =
              "mount that directory there, or make the home directory or /var/tmp writable for "
              "you"};
}

void add_noise(const Reached& reached, Findings& findings) {
  const std::string_view noise = trim(reached.noise);
  if (noise.empty()) return;
  findings.push_back(
      {.verdict = Verdict::Note,
       .subject = "noise",
       .seen = concat("start-up files print: ", printable(noise.substr(0, kNoiseShown)),
                      noise.size() > kNoiseShown ? "..." : ""),
       .fix = "Yonder skips it, scp and rsync may not; print only in interactive shells"});
}

void add_round_trip(const Reached& reached, Findings& findings) {
  if (reached.round_trips_ms.empty()) {
    findings.push_back({.verdict = Verdict::Problem,
                        .subject = "round trip",
                        .seen = "the machine was reached, and then did not answer",
                        .fix = "try again; the connection may be breaking"});
    return;
  }
  const double middle = median(reached.round_trips_ms);
  Finding finding{.subject = "round trip", .seen = number("%.2f ms", middle)};
  if (middle > kSlowRoundTripMs) {
    finding.verdict = Verdict::Note;
    finding.fix = "the line or the machine is slow; everything takes at least this long";
  }
  findings.push_back(std::move(finding));
}

std::string why_full(const Place& place) {
  if (place.free_files == 0) return "no more files can be made: 0 inodes are free";
  if (!place.problem.empty()) return place.problem;  // a quota, which no number shows
  return concat(
      human_bytes(static_cast<unsigned long long>(std::max<std::int64_t>(place.free_bytes, 0))),
      " free");
}

// A record of a run or two would fill it.
bool is_almost_full(const Place& place) {
  constexpr std::int64_t kLittleRoom = 1024L * 1024;
  return place.full || (place.free_bytes >= 0 && place.free_bytes < kLittleRoom);
}

// Once for each disk, however many places are on it.
void add_full_disks(const ProbeReport& probe, Findings& findings) {
  std::map<std::string, std::vector<const Place*>> disks;
  for (const auto& place : probe.places) {
    if (!is_almost_full(place)) continue;
    disks[place.disk.empty() ? place.path : place.disk].push_back(&place);
  }
  for (const auto& [disk, places] : disks) {
    std::vector<std::string> paths;
    for (const Place* place : places) paths.push_back(place->path);
    findings.push_back({.verdict = Verdict::Problem,
                        .subject = "space",
                        .seen = concat("the disk at ", disk,
                                       places.front()->full ? " is full (" : " is almost full (",
                                       why_full(*places.front()), "); on it: ", join(paths, ", ")),
                        .fix = "remove files there, for example with yonder exec; until then "
                               "background runs are refused, and output may be lost"});
  }
}

bool is_usable(const Place& place) {
  return place.problem.empty() && place.writable && place.executable;
}

void add_places(const ProbeReport& probe, Findings& findings) {
  std::vector<std::string> usable;
  std::vector<std::string> unusable;
  for (const auto& place : probe.places) {
    const std::string space =
        place.free_bytes < 0
            ? ""
            : concat(" (", human_bytes(static_cast<unsigned long long>(place.free_bytes)),
                     " free)");
    if (!is_usable(place)) {
      unusable.push_back(concat(place.path, ": ", place.problem));
      continue;
    }
    usable.push_back(place.path + space);
    if (!is_almost_full(place) && place.free_bytes >= 0 && place.free_bytes < kLittleSpace) {
      findings.push_back({.verdict = Verdict::Note,
                          .subject = "space",
                          .seen = concat("little is left in ", place.path, space),
                          .fix = "make room there: run records and output need some"});
    }
  }
  Finding finding{.subject = "places", .seen = join(usable, ", ")};
  if (usable.empty()) {
    finding = {.verdict = Verdict::Problem,
               .subject = "places",
               .seen = concat("no directory takes programs: ", join(unusable, "; ")),
               .fix = "make one of them writable and not noexec"};
  }
  findings.push_back(std::move(finding));
}

// What a background run begins in, and where it can be watched.
void add_launchers(const ProbeReport& probe, Findings& findings) {
  Finding finding{.subject = "launchers"};
  if (probe.launcher == "scope") {
    finding.seen = concat("background runs begin in a scope of the user's systemd (",
                          probe.systemd_run, ", lingering on)");
  } else {
    const char* why = probe.systemd_run.empty() ? "there is no systemd-run"
                      : !probe.lingering        ? "lingering is off"
                                                : "the user's bus is not reachable";
    finding.seen = concat("background runs begin in a session of their own (", why, ")");
  }
  finding.seen += probe.tmux.empty() ? "; no tmux to show them" : concat("; shown in ", probe.tmux);
  if (probe.launcher != "scope" && !probe.systemd_run.empty()) {
    finding.verdict = Verdict::Note;
    finding.fix = probe.lingering
                      ? "log in there once, so that the user's systemd starts"
                      : "if that machine ends your processes at logout, run there: loginctl "
                        "enable-linger";
  }
  findings.push_back(std::move(finding));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Finding> findings_there(const Reached& reached) {
  const Machine& machine = reached.machine;
  Findings findings;
  findings.push_back({.subject = "connect",
                      .seen = concat(number("%.2f s", reached.seconds), ", ", machine.hostname,
                                     ", ", machine.system)});
  add_noise(reached, findings);
  findings.push_back(
      {.subject = "outpost",
       .seen = concat(machine.outpost_path, reached.deployed ? ", put there now" : ", was there")});
  findings.push_back(shell_finding(machine));
  findings.push_back(records_finding(reached));
  if (reached.probe) {
    add_full_disks(*reached.probe, findings);
    add_places(*reached.probe, findings);
    add_launchers(*reached.probe, findings);
  }
  if (reached.probe_error) {
    findings.push_back({.verdict = Verdict::Problem,
                        .subject = "places",
                        .seen = reached.probe_error->message,
                        .fix = "try again; the connection may be breaking"});
  }
  findings.push_back(clock_finding(reached.clock_ahead_ms));
  add_round_trip(reached, findings);
  return findings;
}

}  // namespace yonder::ops
