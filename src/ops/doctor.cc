#include "ops/doctor.h"

#include <algorithm>

#include "base/text.h"
#include "base/thread.h"
#include "config/config_store.h"
#include "ops/ask_machines.h"
#include "ops/doctor_collect.h"
#include "ops/doctor_findings.h"
#include "ops/machines.h"
#include "resources/board.h"
#include "sandbox/kept_login.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

bool has_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.verdict == Verdict::Problem; });
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Ok: return "ok";
    case Verdict::Note: return "note";
    case Verdict::Problem: return "problem";
  }
  return "";
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const auto& finding : findings) {
    list.push_back({{"verdict", name_of(finding.verdict)},
                    {"subject", finding.subject},
                    {"seen", finding.seen},
                    {"fix", finding.fix.empty() ? Json() : Json(finding.fix)}});
  }
  return list;
}

// The named one; else all that are configured, and many of the aliases.
Result<ToAsk> sandboxes_to_look_at(Engine& engine, Session& session,
                                   const std::optional<std::string>& name) {
  if (!name) return machines_to_ask(engine, session, Aliases::Many);
  TRY_ASSIGN(SandboxSpec spec, engine.config.find(*name));
  return ToAsk{.specs = {std::move(spec)}};
}

// An alias that no setting names may well lead to no shell, or to a machine that is off.
void take_less_seriously(std::vector<Finding>& findings) {
  for (auto& finding : findings) {
    if (finding.verdict == Verdict::Problem) finding.verdict = Verdict::Note;
  }
}

HereSeen look_here(Engine& engine, const Result<config::Catalog>& catalog) {
  HereSeen seen{.config_file = engine.config.file_path(),
                .ssh = look_for_ssh(engine.environment),
                .agent = engine.logins.agent(),
                .home = engine.home,
                .account_home = account_home()};
  if (!catalog) {
    seen.config_error = catalog.error();
    return seen;
  }
  for (const auto& note : catalog->sources) seen.sources.push_back({note.source, note.found});
  seen.warnings = catalog->warnings;
  return seen;
}

Error no_answer_to_doctor() {
  Error error = no_answer_yet();
  error.hint = "look at it alone, by its name, or wait longer: --wait 20";
  return error;
}

// All at once. The looks begin right away, as the time that a connection takes is one of the things
// to see; those at machines that do not answer are given up.
std::vector<SandboxSeen> look_at_all(Engine& engine, const CancelToken& cancel,
                                     const std::vector<SandboxSpec>& specs,
                                     std::optional<Duration> wait, LookOptions options,
                                     const std::string& active) {
  std::vector<SandboxSeen> seen(specs.size());
  std::vector<CancelSource> give_up(specs.size());
  const auto on_cancel = cancel.on_cancel([&] {
    for (const auto& one : give_up) one.cancel();
  });
  std::vector<Thread> threads;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    options.is_active = specs[i].name == active;
    threads.emplace_back("doctor " + specs[i].name, [&, i, options] {
      seen[i] = look_at_sandbox(engine, specs[i], options, give_up[i].token());
    });
  }
  std::vector<std::optional<Error>> given_up(specs.size());
  if (specs.size() > 1 || wait) {
    const auto heard =
        engine.board.contacts().ask(specs, Deadline::after(wait.value_or(kListPatience)), cancel);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      given_up[i] = heard[i] ? heard[i]->error : no_answer_to_doctor();
      if (given_up[i]) give_up[i].cancel();
    }
  }
  threads.clear();  // joins them all
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (given_up[i] && seen[i].connect_error) seen[i].connect_error = given_up[i];
  }
  return seen;
}

}  // namespace

bool Diagnosis::healthy() const {
  return !has_problem(general) &&
         std::none_of(sandboxes.begin(), sandboxes.end(), [](const SandboxDiagnosis& sandbox) {
           return has_problem(sandbox.findings);
         });
}

Result<Diagnosis> diagnose(Engine& engine, CallContext& context,
                           const std::optional<std::string>& sandbox,
                           std::optional<Duration> wait) {
  const auto catalog = engine.config.catalog();
  HereSeen here = look_here(engine, catalog);
  if (!catalog) return Diagnosis{.general = findings_here(here)};
  TRY_ASSIGN(const ToAsk to_ask, sandboxes_to_look_at(engine, context.session, sandbox));
  const auto& specs = to_ask.specs;
  if (to_ask.left_out > 0) here.warnings.push_back(left_out_note(to_ask.left_out));
  here.ssh_wanted = std::any_of(specs.begin(), specs.end(), [](const SandboxSpec& spec) {
    return spec.backend == Backend::Ssh;
  });
  Diagnosis diagnosis{.general = findings_here(here)};
  for (const auto& spec : specs) diagnosis.sandboxes.push_back({.name = spec.name});
  context.progress(
      concat("looking at ", specs.size(), specs.size() == 1 ? " sandbox" : " sandboxes"));
  const auto seen =
      look_at_all(engine, context.cancel, specs, wait,
                  {.is_active = false, .has_ssh = !here.ssh.path.empty()}, catalog->active);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    auto& findings = diagnosis.sandboxes[i].findings;
    findings = findings_of(seen[i]);
    if (!sandbox && is_alias(specs[i]) && !seen[i].is_active) take_less_seriously(findings);
  }
  if (context.cancel.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
  return diagnosis;
}

Result<void> forget_state_place(Engine& engine, const std::string& sandbox) {
  TRY_ASSIGN(const SandboxSpec spec, engine.config.find(sandbox));
  return engine.store.forget_state_places(spec.name);
}

Json to_json(const Diagnosis& diagnosis) {
  Json sandboxes = Json::array();
  for (const auto& sandbox : diagnosis.sandboxes) {
    sandboxes.push_back({{"name", sandbox.name}, {"findings", findings_json(sandbox.findings)}});
  }
  return Json{{"healthy", diagnosis.healthy()},
              {"general", findings_json(diagnosis.general)},
              {"sandboxes", sandboxes}};
}

}  // namespace yonder::ops
