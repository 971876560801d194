// `vitro explain`: what a code means, or what a model of torch.export.save became when it was
// compiled.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "model_inputs.h"
#include "vitro/base/cat.h"
#include "vitro/base/code.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/debug/explain.h"

namespace vitro::cli {
namespace {

struct ExplainSetting {
  std::string what, model;
  std::vector<std::string> inputs;
  int calls = 2;
  bool summary = false, source = false;
  bool is_model() const { return names_model(what) || what.find('/') != what.npos; }
};

// ---- codes ----

void show(const Code& code) {
  std::printf("%s: %s\n\n%s\n", code.id.data(), code.title.data(), code.meaning.data());
  if (!code.example.empty()) std::printf("\nExample:\n%s\n", code.example.data());
  std::printf("\nWhat to do: %s\n", code.advice.data());
}

int list() {
  for (const Code* code : all_codes()) std::printf("%s  %s\n", code->id.data(), code->title.data());
  return 0;
}

// Codes are matched case-insensitively.
int explain_code(const std::string& wanted) {
  std::string id = wanted;
  std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::toupper(c); });
  std::vector<std::string> ids;
  for (const Code* code : all_codes()) {
    if (code->id == id) return show(*code), 0;
    ids.emplace_back(code->id);
  }
  const std::string_view meant = nearest(id, ids);
  std::fprintf(stderr, "vitro explain: there is no code %s; %s`vitro explain` lists them\n",
               wanted.c_str(), meant.empty() ? "" : cat("did you mean ", meant, "? ").c_str());
  return bad_usage;
}

// ---- models ----

int explain_model(const ExplainSetting& setting) {
  VITRO_CHECK(setting.calls >= 1, "--calls: needs at least 1, got ", setting.calls);
  const ExportedModel model = compiled(load(setting.what, setting.model));
  const std::vector<ArgValue> inputs = read_inputs(model, setting.inputs);
  const uint64_t mark = events::rare_mark();
  for (int i = 0; i < setting.calls; ++i) (void)model(std::span<const ArgValue>(inputs));
  const Explanation found{model.report(), compile_times(mark)};
  const std::string text = setting.summary ? found.summary() : found.text(setting.source);
  std::fputs(text.c_str(), stdout);
  return 0;
}

int run(const ExplainSetting& setting) {
  if (setting.what.empty()) return list();
  if (!setting.is_model()) return explain_code(setting.what);
  return or_report("explain", [&] { return explain_model(setting); });
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<ExplainSetting>();
  app.add_option("code", setting->what,
                 "a code from a message, a trace or a report; or a model, .pt2 or .vitro");
  app.add_option(
      "--input", setting->inputs,
      cat("of a model: ", input_words, "; inputs without one are the export's example, or random"));
  app.add_option("--model", setting->model, "one of the models in the file");
  app.add_option("--calls", setting->calls, "how often the model is called")->capture_default_str();
  app.add_flag("--summary", setting->summary, "of a model: only graphs, breaks and advice");
  app.add_flag("--source", setting->source, "of a model: also the generated kernels");
  app.footer(
      "Without a code: the list of all. A model is compiled and called; shown are its graphs with "
      "the lines and modules of its Python code, their guards, the kernels with the ops that each "
      "computes, which neighbours were not fused and why, breaks, and the time of the compiler.");
  return [setting] { return run(*setting); };
}

const AddCommand explain_command("explain",
                                 "Explain a code such as V0201, or what a model was compiled to",
                                 declare);

}  // namespace
}  // namespace vitro::cli
