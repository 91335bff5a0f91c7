#include "cli/man_page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "cli/help_outline.h"

namespace yonder::cli {
namespace {

// What has a section of its own in a page, in the order of its sections. Other titles become parts
// of the description.
struct Heading {
  std::string_view title;
  std::string_view heading;
};
constexpr std::array<Heading, 8> kHeadings{{{"Commands", "COMMANDS"},
                                            {"Positionals", "ARGUMENTS"},
                                            {"Options", "OPTIONS"},
                                            {"Exit status", "EXIT STATUS"},
                                            {"Environment", "ENVIRONMENT"},
                                            {"Files", "FILES"},
                                            {"Examples", "EXAMPLES"},
                                            {"Example", "EXAMPLES"}}};

bool has_heading(const HelpSection& section) {
  return std::any_of(kHeadings.begin(), kHeadings.end(),
                     [&](const Heading& known) { return known.title == section.title; });
}

// Text that troff shows as it is: as ASCII, so that what people copy works in a shell.
std::string roff_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\': escaped += "\\e"; break;
      case '-': escaped += "\\-"; break;
      case '\'': escaped += "\\(aq"; break;
      case '`': escaped += "\\(ga"; break;
      case '~': escaped += "\\(ti"; break;
      case '^': escaped += "\\(ha"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

// A line of its own: one that begins with a dot would be a request.
std::string roff_line(std::string_view text) {
  return concat(text.starts_with('.') ? "\\&" : "", roff_text(text), "\n");
}

std::string roff_bold(std::string_view text) {
  return concat("\\fB", roff_text(text), "\\fR");
}

std::string roff_example(const std::vector<std::string>& lines) {
  std::string page = ".EX\n";
  for (const auto& line : lines) page += roff_line(line);
  return page + ".EE\n";
}

// Lines with nothing to explain them: shown as they are.
std::string lines_as_they_are(const std::vector<HelpItem>& items) {
  std::vector<std::string> lines;
  for (const auto& item : items) {
    lines.push_back(item.tag);
    lines.insert(lines.end(), item.verbatim.begin(), item.verbatim.end());
  }
  return ".PP\n" + roff_example(lines);
}

std::string roff_list(const std::vector<HelpItem>& items) {
  const bool explained = std::any_of(items.begin(), items.end(),
                                     [](const HelpItem& item) { return !item.text.empty(); });
  if (!explained) return lines_as_they_are(items);
  std::string page;
  for (const auto& item : items) {
    page += concat(".TP\n", roff_bold(item.tag), "\n");
    if (!item.text.empty()) page += roff_line(item.text);
    if (!item.verbatim.empty()) page += roff_example(item.verbatim);
  }
  return page;
}

std::string section_body(const HelpSection& section) {
  std::string page;
  for (const auto& block : section.blocks) {
    if (block.prose.empty()) {
      page += roff_list(block.items);
      continue;
    }
    page += ".PP\n";
    for (const auto& line : block.prose) page += roff_line(line);
  }
  return page;
}

// What stands under no heading, then what has a title without being one.
std::string description_section(const HelpOutline& outline) {
  std::string prose;
  std::string parts;
  for (const auto& section : outline.sections) {
    if (section.title.empty()) prose += section_body(section);
    if (section.title.empty() || has_heading(section)) continue;
    parts += concat(".SS ", roff_text(section.title), "\n", section_body(section));
  }
  if (prose.empty() && parts.empty()) prose = concat(".PP\n", roff_line(outline.summary + "."));
  return concat(".SH DESCRIPTION\n", prose, parts);
}

std::string synopsis_section(const std::vector<std::string>& usage) {
  std::string page = ".SH SYNOPSIS\n.nf\n";
  for (const auto& line : usage) page += roff_line(line);
  return page + ".fi\n";
}

// "yonder - run work" says the name already; "Run work" begins like a sentence.
std::string summary_of(const std::string& first_line) {
  const std::string dash = " - ";
  const std::size_t at = first_line.find(dash);
  std::string summary = at == first_line.npos ? first_line : first_line.substr(at + dash.size());
  const bool is_word = summary.size() > 1 && summary[1] >= 'a' && summary[1] <= 'z';
  if (is_word) summary[0] = to_lower(summary.substr(0, 1))[0];
  return summary;
}

std::string see_also_section(const std::vector<std::string>& pages) {
  std::vector<std::string> names;
  for (const auto& page : pages) names.push_back(roff_bold(page) + "(1)");
  return concat(".SH SEE ALSO\n", join(names, ",\n"), "\n");
}

}  // namespace

std::string man_page(const ManTopic& topic, std::string_view version) {
  const HelpOutline outline = outline_of(topic.help);
  // Neither hyphens nor wide gaps in what may be a command.
  std::string page = concat(".TH ", topic.name, " 1 \"\" \"yonder ", version,
                            "\" \"Yonder manual\"\n.nr HY 0\n.nh\n.ad l\n.SH NAME\n",
                            roff_text(topic.name), " \\- ", roff_text(summary_of(outline.summary)),
                            "\n", synopsis_section(outline.usage), description_section(outline));
  for (const auto& [title, heading] : kHeadings) {
    for (const auto& section : outline.sections) {
      if (section.title == title) page += concat(".SH ", heading, "\n", section_body(section));
    }
  }
  return page + see_also_section(topic.see_also);
}

}  // namespace yonder::cli
