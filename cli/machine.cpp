// `vitro machine`: shows the peak rates of this machine, measured once and kept.  Rooflines and
// profiles use the same figures (vitro/profiler/peaks.h).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "command.h"
#include "vitro/base/cat.h"
#include "vitro/profiler/peaks.h"
#include "vitro/report/json.h"
#include "vitro/report/progress.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

struct Setting {
  bool again = false, json = false;
};

std::string rounded(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", v);
  return text;
}

void print_tables(const Peaks& peaks) {
  const bool colours = report::wants_colours(STDOUT_FILENO);
  report::Table levels({{"Reading from", report::Align::left}, {"Size"}, {"One thread"}, {"All"}});
  for (const Peaks::Level& level : peaks.levels) {
    levels.row({level.name, report::bytes_text(static_cast<double>(level.bytes)),
                rounded(level.one) + " GB/s", rounded(level.all) + " GB/s"});
  }
  report::Table rates({{"Computing in", report::Align::left},
                       {"With", report::Align::left},
                       {"One thread"},
                       {"All"}});
  for (const Peaks::Rate& rate : peaks.rates) {
    rates.row(
        {rate.dtype, rate.feature, rounded(rate.one) + " GFLOP/s", rounded(rate.all) + " GFLOP/s"});
  }
  std::printf("%s, %d threads\n\n%s\n%s", peaks.processor.c_str(), peaks.threads,
              levels.text(colours).c_str(), rates.text(colours).c_str());
}

void print_json(const Peaks& peaks) {
  report::TextOutput out;
  report::Json json(out, 2);
  json.begin_object().member("processor", peaks.processor).member("threads", peaks.threads);
  json.key("levels").begin_array();
  for (const Peaks::Level& level : peaks.levels) {
    json.begin_object().member("name", level.name).member("bytes", level.bytes);
    json.member("one_gbytes_per_s", level.one).member("all_gbytes_per_s", level.all).end();
  }
  json.end().key("rates").begin_array();
  for (const Peaks::Rate& rate : peaks.rates) {
    json.begin_object().member("dtype", rate.dtype).member("feature", rate.feature);
    json.member("one_gflops", rate.one).member("all_gflops", rate.all).end();
  }
  json.end().end();
  out.finish();
  std::printf("%s\n", out.text().c_str());
}

// Figures measured while other programs compute are too low, and are kept until measured again.
void warn_if_busy() {
  double load = 0;
  if (getloadavg(&load, 1) != 1 || load < 0.5) return;
  std::fprintf(
      stderr,
      "vitro machine: other programs are using this machine (load %.1f), so the figures may be "
      "too low; when it is idle: vitro machine --again\n",
      load);
}

int run_machine(const Setting& setting) {
  std::optional<Peaks> peaks;
  if (!setting.again) peaks = known_peaks();
  if (!peaks) {
    const report::Progress progress("measuring this machine");
    warn_if_busy();
    peaks = measure_peaks();
  }
  if (setting.json) {
    print_json(*peaks);
  } else {
    print_tables(*peaks);
  }
  return 0;
}

const AddCommand machine(
    "machine",
    "Show the peak rates of this machine: bandwidth of each memory, FLOP/s of each dtype",
    [](CLI::App& app) -> std::function<int()> {
      auto setting = std::make_shared<Setting>();
      app.add_flag("--again", setting->again, "measure again, even if known");
      app.add_flag("--json", setting->json, "print JSON");
      return [setting] { return run_machine(*setting); };
    });

}  // namespace
}  // namespace vitro::cli
