#include "outpost/tool.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/clean_text.h"
#include "base/fd.h"
#include "base/text.h"
#include "outpost/command.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kMaxSaid = 1024UL * 1024;
constexpr std::size_t kMaxLine = 200;
constexpr int kCannotRun = 127;

bool can_run(const std::string& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(file.c_str(), X_OK) == 0;
}

std::vector<std::string> environment_in_english() {
  std::vector<std::string> kept;
  for (auto& entry : current_environment()) {
    if (!entry.starts_with("LC_ALL=")) kept.push_back(std::move(entry));
  }
  kept.emplace_back("LC_ALL=C");
  return kept;
}

}  // namespace

std::string shown(std::string_view text, std::size_t max_bytes) {
  text = trim(text);
  if (text.size() <= max_bytes) return printable(text);
  return printable(text.substr(0, max_bytes)) + "...";
}

std::string first_line(const Said& said, std::string_view otherwise) {
  for (const std::string* text : {&said.out, &said.err}) {
    const std::string_view rest = trim(*text);
    if (!rest.empty()) return shown(rest.substr(0, rest.find('\n')), kMaxLine);
  }
  return std::string(otherwise);
}

std::string find_tool(const std::string& name, std::string_view path,
                      const std::vector<std::string>& places) {
  std::vector<std::string> directories = split(path, ':');
  directories.insert(directories.end(), places.begin(), places.end());
  for (const auto& directory : directories) {
    std::string file = concat(directory, "/", name);
    if (directory.starts_with('/') && can_run(file)) return file;
  }
  return "";
}

std::vector<Said> ask_tool(const std::string& program,
                           const std::vector<std::vector<std::string>>& questions,
                           const Deadline& deadline) {
  const auto environment = environment_in_english();
  std::vector<LimitedChild> children;
  std::string problem;
  for (const auto& question : questions) {
    Execution plan{.program = program, .argv = {program}, .environment = environment};
    plan.argv.insert(plan.argv.end(), question.begin(), question.end());
    auto child = LimitedChild::start([&plan] {
      const std::string why = execute(plan).message;
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, why.data(), why.size());
      ::_exit(kCannotRun);
    });
    if (!child) {
      problem = child.error().message;
      break;
    }
    children.push_back(*std::move(child));
  }
  auto said = collect(std::move(children), kMaxSaid, deadline);
  said.resize(questions.size(), Said{.out = "", .err = problem, .status = kCannotRun});
  return said;
}

}  // namespace yonder::outpost
