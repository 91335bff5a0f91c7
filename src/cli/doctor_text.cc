#include "cli/doctor_text.h"

#include <algorithm>

#include "base/text.h"
#include "cli/one_line.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kMarkWidth = 9;  // "problem" and a gap

struct Mark {
  const char* word;
  const char* colour;
};

Mark mark_of(ops::Verdict verdict) {
  switch (verdict) {
    case ops::Verdict::Ok: return {"ok", "\x1b[32m"};
    case ops::Verdict::Note: return {"note", "\x1b[33m"};
    case ops::Verdict::Problem: return {"problem", "\x1b[31m"};
  }
  return {"", ""};
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

// A text may end in a list, whose lines begin with two spaces. Other line ends are foreign.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = text.find("\n  "); end != std::string_view::npos;
       end = text.find("\n  ")) {
    lines.push_back(one_line(text.substr(0, end)));
    text.remove_prefix(end + 3);
  }
  lines.push_back(one_line(text));
  return lines;
}

std::string line_of(const ops::Finding& finding, std::size_t subject_width, bool styled) {
  const Mark mark = mark_of(finding.verdict);
  const std::string word = padded(mark.word, kMarkWidth);
  std::string line = concat("  ", styled ? concat(mark.colour, word, "\x1b[0m") : word,
                            padded(one_line(finding.subject), subject_width), "  ");
  const std::string indent(2 + kMarkWidth + subject_width + 2, ' ');
  line += join(lines_of(finding.seen), "\n" + indent) + "\n";
  if (!finding.fix.empty()) {
    line += concat(indent, "fix: ", one_line(finding.fix), "\n");
  }
  return line;
}

std::string group(const std::string& title, const std::vector<ops::Finding>& findings,
                  bool styled) {
  std::size_t subject_width = 0;
  for (const auto& finding : findings) {
    subject_width = std::max(subject_width, finding.subject.size());
  }
  std::string text = styled ? concat("\x1b[1m", title, "\x1b[0m\n") : concat(title, "\n");
  for (const auto& finding : findings) text += line_of(finding, subject_width, styled);
  return text;
}

std::size_t problems_of(const ops::Diagnosis& diagnosis) {
  const auto count = [](const std::vector<ops::Finding>& findings) {
    return static_cast<std::size_t>(std::count_if(
        findings.begin(), findings.end(),
        [](const ops::Finding& finding) { return finding.verdict == ops::Verdict::Problem; }));
  };
  std::size_t all = count(diagnosis.general);
  for (const auto& sandbox : diagnosis.sandboxes) all += count(sandbox.findings);
  return all;
}

}  // namespace

std::string doctor_text(const ops::Diagnosis& diagnosis, bool styled) {
  std::string text = group("here", diagnosis.general, styled);
  for (const auto& sandbox : diagnosis.sandboxes) {
    text += concat("\n", group(one_line(sandbox.name), sandbox.findings, styled));
  }
  const std::size_t problems = problems_of(diagnosis);
  if (problems == 0) return text + "\nAll is well.\n";
  return text + concat("\n", problems, problems == 1 ? " problem.\n" : " problems.\n");
}

}  // namespace yonder::cli
