#include "cli/grammar.h"
#include "cli/parse.h"
#include "cli/parse_files.h"

namespace yonder::cli {
namespace {

Offer offer_for_words(const std::string& command, const std::string& positional) {
  if (command == "push" || command == "pull") return Offer::PlacesAndFiles;
  if (is_file_command(command) || command == "git-sync") return Offer::Places;
  if (positional == "RUN") return Offer::Runs;
  return positional == "NAME" ? Offer::Sandboxes : Offer::Nothing;
}

Offer offer_for_value(const std::string& option) {
  if (option == "--sandbox") return Offer::Sandboxes;
  if (option == "--attach") return Offer::Runs;
  const bool is_file = option == "--from" || option == "--exclude-from" || option == "--local";
  return is_file ? Offer::Files : Offer::Nothing;
}

}  // namespace

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<CommandShape> command_shapes() {
  RawOptions raw;
  CLI::App app;
  declare(app, raw);
  std::vector<CommandShape> shapes;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;  // hidden
    CommandShape shape{.name = command->get_name(),
                       .description = command->get_description(),
                       .help = command->help("yonder")};
    for (const CLI::Option* option : command->get_options({})) {
      if (!option->nonpositional() && shape.words == Offer::Nothing) {
        shape.words = offer_for_words(shape.name, option->get_name());
      }
      if (!option->nonpositional() || option->get_group().empty()) continue;
      shape.options.push_back({.names = names_of(*option),
                               .description = option->get_description(),
                               .takes_value = option->get_items_expected_max() > 0,
                               .value = offer_for_value(option->get_name())});
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace yonder::cli
