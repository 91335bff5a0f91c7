#include "ops/doctor.h"

#include <algorithm>

#include "base/text.h"
#include "base/thread.h"
#include "config/config_store.h"
#include "ops/doctor_collect.h"
#include "ops/doctor_findings.h"
#include "ops/machines.h"
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

}  // namespace

bool Diagnosis::healthy() const {
  return !has_problem(general) &&
         std::none_of(sandboxes.begin(), sandboxes.end(), [](const SandboxDiagnosis& sandbox) {
           return has_problem(sandbox.findings);
         });
}

Result<Diagnosis> diagnose(Engine& engine, CallContext& context,
                           const std::optional<std::string>& sandbox) {
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
  std::vector<Thread> threads;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    threads.emplace_back("doctor " + specs[i].name, [&, i] {
      const LookOptions options{.is_active = specs[i].name == catalog->active,
                                .has_ssh = !here.ssh.path.empty()};
      auto& findings = diagnosis.sandboxes[i].findings;
      findings = findings_of(look_at_sandbox(engine, specs[i], options, context.cancel));
      if (!sandbox && is_alias(specs[i]) && !options.is_active) take_less_seriously(findings);
    });
  }
  threads.clear();  // joins them all
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
