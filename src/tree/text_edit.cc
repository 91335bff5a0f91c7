#include "tree/text_edit.h"

#include <algorithm>

#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kShownPlaces = 5;
constexpr std::size_t kMaxText = 64UL * 1024 * 1024;

std::string without_carriage_returns(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out += c;
  }
  return out;
}

// Why a text that the caller believes to be there is not found.
std::string why_missing(const std::string& text, const std::string& wanted) {
  if (text.find('\r') != std::string::npos &&
      without_carriage_returns(text).find(without_carriage_returns(wanted)) != std::string::npos) {
    return "the lines of this file end with \\r\\n: write them so in old_text";
  }
  const std::string core = squeezed(wanted);
  if (!core.empty() && squeezed(text).find(core) != std::string::npos) {
    return "it is there with other spaces, tabs or line ends: copy it exactly from the file";
  }
  return "read the file again, and copy the text exactly";
}

std::string lines_of(const std::string& text, const std::vector<std::size_t>& places) {
  std::string list;
  std::size_t line = 1;
  std::size_t at = 0;
  for (std::size_t i = 0; i < places.size() && i < kShownPlaces; ++i) {
    line += static_cast<std::size_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                   text.begin() + static_cast<std::ptrdiff_t>(places[i]), '\n'));
    at = places[i];
    list += concat(list.empty() ? "" : ", ", line);
  }
  return places.size() > kShownPlaces ? list + ", ..." : list;
}

std::vector<std::size_t> find_all(const std::string& text, const std::string& wanted) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + wanted.size())) {
    places.push_back(at);
  }
  return places;
}

Result<std::string> apply(const std::string& text, const files::Edit& edit,
                          const std::vector<std::size_t>& places) {
  const std::size_t added = places.size() * edit.new_text.size();
  if (added > kMaxText) return Error{Errc::InvalidArgument, "would make the file too large", ""};
  std::string out;
  out.reserve(text.size() - places.size() * edit.old_text.size() + added);
  std::size_t from = 0;
  for (const std::size_t at : places) {
    out.append(text, from, at - from);
    out += edit.new_text;
    from = at + edit.old_text.size();
  }
  return out.append(text, from, std::string::npos);
}

Result<void> check(const std::string& text, const files::Edit& edit,
                   const std::vector<std::size_t>& places) {
  if (places.empty()) {
    return Error{Errc::InvalidArgument, "old_text is not in the file",
                 why_missing(text, edit.old_text)};
  }
  if (places.size() > 1 && !edit.replace_all) {
    return Error{
        Errc::InvalidArgument,
        concat("old_text is there ", places.size(), " times, in lines ", lines_of(text, places)),
        "give more of the text around it, or set replace_all"};
  }
  return {};
}

}  // namespace

Result<EditedText> apply_edits(const std::string& text, const std::vector<files::Edit>& edits) {
  if (edits.empty()) return Error{Errc::InvalidArgument, "there is nothing to replace", ""};
  EditedText edited{.text = text};
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const files::Edit& edit = edits[i];
    const auto named = [&](Error error) {
      return edits.size() == 1 ? error : std::move(error).context(concat("edit ", i + 1));
    };
    if (edit.old_text.empty()) {
      return named({Errc::InvalidArgument, "old_text is empty",
                    "to make a new file, or to append to one, write it"});
    }
    if (edit.old_text == edit.new_text) {
      return named({Errc::InvalidArgument, "old_text and new_text are the same", ""});
    }
    const auto places = find_all(edited.text, edit.old_text);
    if (auto fine = check(edited.text, edit, places); !fine) return named(fine.error());
    auto next = apply(edited.text, edit, places);
    if (!next) return named(next.error());
    edited.text = *std::move(next);
    edited.replacements += places.size();
  }
  return edited;
}

}  // namespace yonder::tree
