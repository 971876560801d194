// `vitro trace report`: writes everything about a trace to one page.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "trace.h"
#include "vitro/analyze/report.h"
#include "vitro/report/output.h"

namespace vitro::cli {
namespace {

int run(const std::string& file, const std::string& output, bool no_cache) {
  TraceSetting setting;
  setting.no_cache = no_cache;
  const auto trace = open_trace(file, setting);
  if (!trace) return unreadable;
  const auto out = report::create_file(output);
  const std::string name =
      file == "-" ? "standard input" : std::filesystem::path(file).filename().string();
  analyze::write_report(analyze::TraceIndex(*trace), name, *out);
  out->finish();
  std::fprintf(stderr, "vitro: the report is in %s\n", output.c_str());
  return 0;
}

const AddTraceCommand report_command(
    "report", "Everything on one HTML page: findings, timeline, plots and tables of all questions",
    [](CLI::App& app) -> std::function<int()> {
      struct Words {
        std::string file, output = "report.html";
        bool no_cache = false;
      };
      auto words = std::make_shared<Words>();
      add_file(app, "file", words->file);
      app.add_option("-o,--output", words->output, "the page; compressed with .gz or .zst")
          ->capture_default_str();
      app.add_flag("--no-cache", words->no_cache, "do not cache the file for the next question");
      return [words] { return run(words->file, words->output, words->no_cache); };
    });

}  // namespace
}  // namespace vitro::cli
