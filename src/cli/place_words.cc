#include "cli/place_words.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/parse_values.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kSshScheme = "ssh://";

// As in scp: a leading colon belongs to a file's name, and within brackets colons end nothing.
std::size_t end_of_machine(std::string_view word) {
  if (word.starts_with(':')) return std::string_view::npos;
  bool bracketed = word.starts_with('[');
  for (std::size_t i = 0; i < word.size() && word[i] != '/'; ++i) {
    const char next = i + 1 < word.size() ? word[i + 1] : '\0';
    if (word[i] == '@' && next == '[') bracketed = true;
    if (bracketed && word[i] == ']' && next == ':') return i + 1;
    if (!bracketed && word[i] == ':') return i;
  }
  return std::string_view::npos;
}

// "[gpu1]" and "[me@host:22]" mean what is in the brackets; those of an address stay.
std::string without_brackets(std::string_view machine) {
  const bool whole = machine.starts_with('[') && machine.ends_with(']');
  if (!whole) return std::string(machine);
  const std::string_view inner = machine.substr(1, machine.size() - 2);
  const bool is_address =
      inner.find(':') != std::string_view::npos && inner.find('@') == std::string_view::npos;
  return std::string(is_address ? machine : inner);
}

PlaceWord split_address(std::string_view word) {
  const std::size_t slash = word.find('/', kSshScheme.size());
  if (slash == std::string_view::npos) return {.machine = std::string(word)};
  return {.machine = std::string(word.substr(0, slash)),
          .path = std::string(word.substr(slash + 1))};
}

std::string or_directory(std::string path) {
  return path.empty() ? "." : std::move(path);
}

std::string in_quotes(const std::string& word) {
  return concat("'", printable(word), "'");
}

Error two_machines(const std::string& one, const std::string& other, const std::string& word) {
  return usage_error(
      concat("two machines are named: ", printable(one), " and ", printable(other)),
      word.empty() ? std::string("name one of them")
                   : concat("name one of them; a path with a colon in it is ./", printable(word)));
}

Error empty_name() {
  return usage_error("the sandbox's name is empty",
                     "is the variable set? Leave the name out for the active sandbox");
}

// What an entry is called in the directory that it is copied into; empty: it has no name.
std::string own_name(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  std::string name = path.substr(path.find_last_of('/') + 1);
  return name == "." || name == ".." || name == "~" ? "" : name;
}

Result<std::vector<Copy>> into_target(const std::vector<std::string>& sandboxes,
                                      const Words& sources, const std::string& target) {
  if (sources.size() == 1) {
    return std::vector<Copy>{
        {.sandbox = sandboxes[0], .source = sources[0], .target = or_directory(target)}};
  }
  std::vector<Copy> copies;
  std::set<std::string> names;
  const std::string place = target.empty() || target.ends_with('/') ? target : target + "/";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string name = own_name(sources[i]);
    if (name.empty()) {
      return usage_error(
          concat(in_quotes(sources[i]), " has no name to be copied under"),
          "of several sources each goes into the target under its own name; copy this one alone");
    }
    if (!names.insert(name).second) {
      return usage_error(concat("two of the sources are called ", in_quotes(name)),
                         "each goes into the target under its own name; copy them one by one");
    }
    copies.push_back({.sandbox = sandboxes[i], .source = sources[i], .target = place + name});
  }
  return copies;
}

// Takes the NAME off that stands before the paths, where there may be one: two words are paths.
Result<std::string> take_first_name(const std::string& named, Words& words) {
  if (!named.empty() || words.size() < 3) return named;
  const std::string name = words.front();
  if (name.empty()) return empty_name();
  if (!may_be_name(name)) {
    return usage_error(concat(in_quotes(name), " is not the name of a sandbox"),
                       "name the machine with the path, as NAME:PATH, or with --sandbox NAME");
  }
  words.erase(words.begin());
  return name;
}

bool names_machine(const std::string& word) {
  return !split_place(word).machine.empty();
}

Error not_here(const std::string& word, const char* command, const char* other) {
  const PlaceWord place = split_place(word);
  return usage_error(concat(in_quotes(word), " names the machine ", printable(place.machine),
                            ", and `yonder ", command, "` takes a path of this one there"),
                     concat("a path of this machine is ./", printable(word),
                            "; the other way is `yonder ", other, "`"));
}

}  // namespace

PlaceWord split_place(const std::string& word) {
  if (word.starts_with(kSshScheme)) return split_address(word);
  const std::size_t colon = end_of_machine(word);
  if (colon == std::string::npos) return {.path = word};
  return {.machine = without_brackets(std::string_view(word).substr(0, colon)),
          .path = word.substr(colon + 1)};
}

bool may_be_name(const std::string& word) {
  if (word.starts_with(kSshScheme)) return true;
  if (word.empty() || std::string_view("-.~:").find(word.front()) != std::string_view::npos) {
    return false;
  }
  return word.find('/') == std::string::npos && !word.ends_with(':');
}

Result<FarWords> far_words(const std::string& named, const Words& words) {
  FarWords far{.sandbox = named};
  const std::string* without = nullptr;
  for (const std::string& word : words) {
    PlaceWord place = split_place(word);
    if (place.machine.empty()) {
      without = &word;
      far.words.push_back(word);
      continue;
    }
    if (far.sandbox.empty()) far.sandbox = place.machine;
    if (far.sandbox != place.machine) return two_machines(far.sandbox, place.machine, word);
    far.words.push_back(or_directory(std::move(place.path)));
  }
  if (without == nullptr || far.sandbox == named) return far;
  return usage_error(concat(in_quotes(*without), " names no machine, and another word does"),
                     concat("give it as ", printable(far.sandbox), ":", printable(*without)));
}

Result<FarWords> far_words_after_name(const std::string& named, const Words& words,
                                      std::size_t most) {
  if (!named.empty() || words.size() != most + 1) return far_words(named, words);
  if (words.front().empty()) return empty_name();
  if (!may_be_name(words.front())) return far_words(named, words);
  return far_words(words.front(), Words(words.begin() + 1, words.end()));
}

Result<std::vector<Copy>> push_words(const std::string& named, const Words& words) {
  Words sources = words;
  const PlaceWord target = split_place(sources.back());
  std::string sandbox = named;
  if (target.machine.empty()) {
    TRY_ASSIGN(sandbox, take_first_name(named, sources));
  } else if (named.empty() || named == target.machine) {
    sandbox = target.machine;
  } else {
    return two_machines(named, target.machine, sources.back());
  }
  sources.pop_back();
  const auto far = std::find_if(sources.begin(), sources.end(), names_machine);
  if (far != sources.end()) return not_here(*far, "push", "pull");
  return into_target(Words(sources.size(), sandbox), sources, target.path);
}

Result<std::vector<Copy>> pull_words(const std::string& named, const Words& words) {
  Words sources = words;
  const std::string target = sources.back();
  if (names_machine(target)) return not_here(target, "pull", "push");
  std::string sandbox = named;
  if (std::none_of(words.begin(), words.end(), names_machine)) {
    TRY_ASSIGN(sandbox, take_first_name(named, sources));
  }
  sources.pop_back();
  const bool any = std::any_of(sources.begin(), sources.end(), names_machine);
  Words sandboxes;
  for (std::string& source : sources) {
    PlaceWord place = split_place(source);
    if (place.machine.empty() && any && named.empty()) {
      return usage_error(concat(in_quotes(source), " names no machine, and another word does"),
                         "give each as NAME:PATH");
    }
    if (!place.machine.empty() && !named.empty() && place.machine != named) {
      return two_machines(named, place.machine, source);
    }
    sandboxes.push_back(place.machine.empty() ? sandbox : place.machine);
    if (!place.machine.empty()) source = or_directory(std::move(place.path));
  }
  return into_target(sandboxes, sources, target);
}

}  // namespace yonder::cli
