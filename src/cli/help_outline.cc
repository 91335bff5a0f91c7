#include "cli/help_outline.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace yonder::cli {
namespace {

using HelpLines = std::vector<std::string>;

constexpr std::size_t kIndent = 2;         // of a list
constexpr std::size_t kLongestTitle = 64;  // longer lines that end in a colon are sentences
constexpr std::size_t kSecondColumn = 12;  // at least, where the first one has a line of its own
constexpr std::string_view kUsage = "Usage: ";
constexpr std::string_view kExitStatus = "Exit status: ";

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_title(const std::string& line) {
  return indent_of(line) == 0 && line.size() <= kLongestTitle && line.ends_with(':');
}

// Paragraphs: what blank lines separate.
std::vector<HelpLines> paragraphs_of(std::string_view text) {
  std::vector<HelpLines> paragraphs(1);
  for (auto& line : split(text, '\n')) {
    if (!line.empty()) {
      paragraphs.back().push_back(std::move(line));
    } else if (!paragraphs.back().empty()) {
      paragraphs.emplace_back();
    }
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

class ItemReader {
 public:
  void take(const std::string& line) {
    const std::size_t indent = indent_of(line);
    if (indent <= kIndent || items_.empty()) return begin(line.substr(indent), indent);
    HelpItem& last = items_.back();
    const bool below = last.text.empty() && last.verbatim.empty() && indent >= kSecondColumn;
    if (below) column_ = indent;
    if (indent != column_) {
      last.verbatim.push_back(line.substr(std::min(indent, std::max(column_, kIndent))));
    } else {
      last.text += concat(last.text.empty() ? "" : " ", line.substr(indent));
    }
  }

  std::vector<HelpItem> items() && { return std::move(items_); }

 private:
  void begin(const std::string& line, std::size_t indent) {
    const std::size_t gap = line.find("  ");
    const std::size_t second = gap == line.npos ? gap : line.find_first_not_of(' ', gap);
    column_ = second == line.npos ? 0 : indent + second;
    items_.push_back({.tag = line.substr(0, gap),
                      .text = second == line.npos ? std::string() : line.substr(second)});
  }

  std::vector<HelpItem> items_;
  std::size_t column_ = 0;  // where the second one of the last item begins; 0: it has none
};

void add_blocks(HelpSection& section, const HelpLines& lines, std::size_t from) {
  for (std::size_t i = from; i < lines.size();) {
    HelpBlock block;
    for (; i < lines.size() && indent_of(lines[i]) == 0; ++i) block.prose.push_back(lines[i]);
    if (!block.prose.empty()) section.blocks.push_back(std::exchange(block, {}));
    ItemReader reader;
    for (; i < lines.size() && indent_of(lines[i]) > 0; ++i) reader.take(lines[i]);
    block.items = std::move(reader).items();
    if (!block.items.empty()) section.blocks.push_back(std::move(block));
  }
}

// "Exit status" needs no line of its own.
HelpSection section_of(HelpLines paragraph) {
  HelpSection section;
  if (paragraph.front().starts_with(kExitStatus)) {
    section.title = "Exit status";
    paragraph.front().erase(0, kExitStatus.size());
  }
  const bool titled = section.title.empty() && paragraph.size() > 1 && is_title(paragraph.front());
  if (titled) section.title = paragraph.front().substr(0, paragraph.front().size() - 1);
  add_blocks(section, paragraph, titled ? 1 : 0);
  return section;
}

// Summary and usage may be one paragraph or two.
void take_usage(HelpOutline& outline, const HelpLines& lines) {
  for (const auto& line : lines) {
    if (line.starts_with(kUsage)) {
      outline.usage.push_back(line.substr(kUsage.size()));
    } else if (!outline.usage.empty()) {
      outline.usage.emplace_back(trim(line));
    } else {
      outline.summary = line;
    }
  }
}

}  // namespace

HelpOutline outline_of(std::string_view help) {
  HelpOutline outline;
  for (auto& paragraph : paragraphs_of(help)) {
    if (outline.usage.empty()) {
      take_usage(outline, paragraph);
    } else {
      outline.sections.push_back(section_of(std::move(paragraph)));
    }
  }
  return outline;
}

}  // namespace yonder::cli
