// `vitro trace diff BEFORE AFTER`: shows what became slower or faster.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>

#include "trace.h"
#include "vitro/analyze/compare.h"

namespace vitro::cli {
namespace {

struct Setting {
  TraceSetting shown;
  analyze::DiffOptions options;
  std::string before, after;
};

int run(const Setting& setting) {
  const auto before = open_trace(setting.before, setting.shown);
  if (!before) return unreadable;
  const auto after = open_trace(setting.after, setting.shown);
  if (!after) return unreadable;
  const auto diff = analyze::diff(*before, *after, setting.options);
  if (!diff) {
    std::fprintf(stderr, "vitro: %s\n", diff.why().c_str());
    return unreadable;
  }
  return print_answer(analyze::answer_diff(*after, *diff), setting.shown);
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<Setting>();
  add_file(app, "before", setting->before);
  add_file(app, "after", setting->after, "the trace to compare with it");
  app.add_flag("--shapes", setting->options.shapes, "separate ops by shape and kernels by grid");
  app.add_option("--false-discoveries", setting->options.false_discoveries,
                 "the share of significant changes that may be due to chance")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  setting->shown.declare(app);
  return [setting] { return run(*setting); };
}

const AddTraceCommand diff("diff", "Show what became slower or faster between two traces", declare);

}  // namespace
}  // namespace vitro::cli
