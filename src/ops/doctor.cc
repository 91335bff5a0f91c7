#include "ops/doctor.h"

#include <algorithm>

#include "base/text.h"
#include "base/thread.h"
#include "config/config_store.h"
#include "ops/doctor_collect.h"
#include "ops/doctor_findings.h"
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

// The named one; else the active one and whatever somebody has configured. Somebody's ssh config
// may name a hundred machines that nobody wants to be called now.
Result<std::vector<SandboxSpec>> sandboxes_to_look_at(Engine& engine,
                                                      const config::Catalog& catalog,
                                                      const std::optional<std::string>& name) {
  if (name) {
    TRY_ASSIGN(SandboxSpec spec, engine.config.find(*name));
    return std::vector<SandboxSpec>{std::move(spec)};
  }
  std::vector<SandboxSpec> chosen;
  for (const auto& spec : catalog.sandboxes) {
    const bool is_alias = spec.origin.starts_with("~/.ssh/");
    if (!is_alias || spec.name == catalog.active) chosen.push_back(spec);
  }
  return chosen;
}

HereSeen look_here(Engine& engine, const Result<config::Catalog>& catalog) {
  HereSeen seen{.config_file = engine.config.file_path(), .ssh = look_for_ssh(engine.environment)};
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
  TRY_ASSIGN(const auto specs, sandboxes_to_look_at(engine, *catalog, sandbox));
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
      diagnosis.sandboxes[i].findings =
          findings_of(look_at_sandbox(engine, specs[i], options, context.cancel));
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
