#include "chaos/liar_call.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "chaos/lies.h"
#include "chaos/world.h"

namespace yonder::chaos {

LiarCall a_call_for_the_liar(Dice& dice, const std::string& run_id, const std::string& loot) {
  switch (dice.below(8)) {
    case 0: return {"check_background_task", {{"run_id", run_id}, {"sandbox_name", kLiar}}};
    case 1: return {"list_background_tasks", {{"sandbox_name", kLiar}}};
    case 2: return {"list_remote_files", {{"remote_path", "/"}, {"sandbox_name", kLiar}}};
    case 3: return {"read_remote_file", {{"remote_path", "/x"}, {"sandbox_name", kLiar}}};
    case 4:
      return {"sync_remote_to_local",
              {{"remote_path", "/x"},
               {"local_path", concat(loot, "/", dice.below(1000))},
               {"sandbox_name", kLiar}}};
    case 5:
      return {"stop_background_task",
              {{"run_id", run_id}, {"sandbox_name", kLiar}, {"grace_s", 0.1}}};
    default: return {"exec_bash", {{"command", "true"}, {"sandbox_name", kLiar}, {"wait_s", 1}}};
  }
}

bool holds_control_characters(const Json& answer) {
  if (answer.is_string()) {
    std::string text = answer.get<std::string>();
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\t', ' ');
    return printable(text) != text;
  }
  return answer.is_structured() &&
         std::any_of(answer.begin(), answer.end(), holds_control_characters);
}

std::string trespasser_near(const std::string& loot) {
  for (const auto& directory : {loot, loot + "/..", std::string("/tmp"), std::string("")}) {
    const std::string path = concat(directory, "/", kTrespasser);
    if (path_exists(path)) return path;
  }
  return "";
}

}  // namespace yonder::chaos
