#include "cli/told_notes.h"

#include "base/file.h"
#include "base/json.h"

namespace yonder::cli {
namespace {

constexpr std::uint64_t kLargest = 1024UL * 1024;
constexpr std::size_t kMostThings = 500;

std::string file_in(const std::string& state_directory) {
  return state_directory + "/told-notes.json";
}

// {"about": ["note", ...], ...}
Json read_all(const std::string& state_directory) {
  const auto text = read_file(file_in(state_directory), kLargest);
  if (!text) return Json::object();
  Json all = Json::parse(*text, nullptr, false);
  return all.is_object() ? all : Json::object();
}

}  // namespace

std::vector<std::string> told_notes(const std::string& state_directory, const std::string& about) {
  const Json all = read_all(state_directory);
  std::vector<std::string> notes;
  const auto found = all.find(about);
  if (found == all.end() || !found->is_array()) return notes;
  for (const auto& note : *found) {
    if (note.is_string()) notes.push_back(note.get<std::string>());
  }
  return notes;
}

void remember_told(const std::string& state_directory, const std::string& about,
                   const std::vector<std::string>& notes) {
  if (told_notes(state_directory, about) == notes) return;
  Json all = read_all(state_directory);
  if (all.size() >= kMostThings) all = Json::object();
  all[about] = notes;
  [[maybe_unused]] const bool written =
      make_directories(state_directory).has_value() &&
      write_file_atomically(file_in(state_directory), dump_json(all), Durability::Process)
          .has_value();
}

}  // namespace yonder::cli
