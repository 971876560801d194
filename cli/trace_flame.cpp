// `vitro trace flame`: prints stacks with their times, or draws them as a flame graph.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "trace.h"
#include "vitro/analyze/report.h"
#include "vitro/base/cat.h"
#include "vitro/report/output.h"

namespace vitro::cli {
namespace {

struct Words {
  std::string file, svg, collapsed;
  bool device = false, no_cache = false;
};

void write_file(const std::string& path, auto write) {
  const auto out = report::create_file(path);
  write(*out);
  out->finish();
  std::fprintf(stderr, "vitro: written to %s\n", path.c_str());
}

int run(const Words& words) {
  TraceSetting setting;
  setting.no_cache = words.no_cache;
  const auto trace = open_trace(words.file, setting);
  if (!trace) return unreadable;
  const auto what = words.device ? analyze::FlamesOf::device : analyze::FlamesOf::host;
  const analyze::Flames flames = analyze::flames_of(analyze::TraceIndex(*trace), what);
  if (flames.nodes.size() == 1) {
    std::fprintf(stderr, "vitro: %s: contains no time of %s\n", words.file.c_str(),
                 words.device ? "a device" : "the host; try --device");
  }
  if (!words.svg.empty()) {
    const std::string name = std::filesystem::path(words.file).filename().string();
    const std::string title = cat(name, words.device ? ": device" : ": host");
    write_file(words.svg, [&](report::Output& out) { write_flame_graph(flames, title, out); });
  }
  const auto stacks = [&](report::Output& out) { report::write_stacks(flames.nodes, out); };
  if (!words.collapsed.empty()) {
    write_file(words.collapsed, stacks);
  } else if (words.svg.empty()) {
    report::TextOutput out;
    stacks(out);
    out.finish();
    std::fputs(out.text().c_str(), stdout);
  }
  return 0;
}

const AddTraceCommand flame(
    "flame", "Where time went by call stack: a flame graph, or stacks for other tools",
    [](CLI::App& app) -> std::function<int()> {
      auto words = std::make_shared<Words>();
      add_file(app, "file", words->file);
      app.add_option("--svg", words->svg, "write a picture; click in it to zoom");
      app.add_option("--collapsed", words->collapsed,
                     "write stacks, one per line; printed if neither is given");
      app.add_flag("--device", words->device,
                   "kernel time, inside the launching calls, instead of host time");
      app.add_flag("--no-cache", words->no_cache, "do not cache the file for the next question");
      return [words] { return run(*words); };
    });

}  // namespace
}  // namespace vitro::cli
