// `vitro trace merge`: merges separately recorded traces into one: devices and their host, or the
// ranks of a run.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>

#include "trace.h"
#include "vitro/analyze/merge.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::cli {
namespace {

struct Setting {
  TraceSetting shown;
  analyze::MergeOptions options;
  analyze::MergeTracesOptions clocks;
  std::vector<std::string> places;
  std::string output;
  bool ranks = false;
};

template <class Merged>
int tell(const Result<Merged>& merged, const TraceSetting& shown,
         analyze::Answer (*answer)(const Merged&)) {
  if (merged) return print_answer(answer(*merged), shown);
  std::fprintf(stderr, "vitro: %s\n", merged.why().c_str());
  return unreadable;
}

int run(const Setting& setting) {
  const analyze::LoadOptions load{.keep = !setting.shown.no_cache};
  if (setting.ranks) {
    return tell<analyze::MergedRanks>(
        analyze::merge_ranks(analyze::trace_files(setting.places), setting.output, load),
        setting.shown, analyze::answer_merged);
  }
  if (setting.places.size() != 2) {
    std::fprintf(stderr,
                 "vitro: merge: got %s, needs the host's trace and one of devices or a file of "
                 "times; or --ranks and the traces of all ranks\n",
                 counted(setting.places.size(), "file").c_str());
    return bad_usage;
  }
  const auto host = open_trace(setting.places[0], setting.shown);
  if (!host) return unreadable;
  const std::string other = analyze::times_file(*host, setting.places[1]);
  // A trace has events, a file of times does not.
  const auto devices = analyze::Trace::open(other, load);
  if (devices && devices->size() > 0) {
    return tell<analyze::MergedTraces>(
        analyze::merge_traces(*host, *devices, setting.output, setting.clocks), setting.shown,
        analyze::answer_merged);
  }
  auto merged = analyze::merge(*host, other, setting.output, setting.options);
  if (!merged && !devices && std::filesystem::exists(other)) {
    merged =
        Failure{cat("merge: ", other, " is neither a trace of devices nor a file of kernel times: ",
                    devices.why(), "; ", merged.why())};
  }
  return tell<analyze::MergeResult>(merged, setting.shown, analyze::answer_merge);
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<Setting>();
  analyze::MergeOptions& options = setting->options;
  app.add_option(
         "traces", setting->places,
         "the host's trace, then a trace of devices, or kernel times "
         "(kernel_event_{rank}.json, or the folder with the file of the trace's rank); with "
         "--ranks the traces of all ranks, or their folder")
      ->required();
  app.add_option("-o,--output", setting->output, "the merged trace: .json, .gz, .zst")->required();
  app.add_flag("--ranks", setting->ranks,
               "merge the ranks of a run into one trace with a common clock");
  app.add_option(
      "--offset-us", setting->clocks.offset_us,
      "for a trace of devices: offset to add to its times, instead of aligning the clocks");
  app.add_option("--ignore", options.ignored,
                 "for kernel times: ops that run nothing on the device")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--threshold-us", options.threshold_us,
                 "for kernel times: shorter ones are not kernels")
      ->capture_default_str();
  app.add_option_function<double>(
         "--latency-us",
         [setting](double us) {
           setting->options.latency_us = us;
           setting->clocks.latency_us = us;
         },
         "from the launch of a kernel to its begin on an idle device")
      ->default_str("0");
  app.add_option(
         "--gap-us", options.gap_us,
         "for kernel times: from the end of a kernel to the begin of the next on its stream")
      ->capture_default_str();
  app.add_option("--device", options.device, "for kernel times: the pid of the device's rows")
      ->capture_default_str();
  app.add_option("--stream", options.stream, "for kernel times: the tid of its stream")
      ->capture_default_str();
  setting->shown.declare(app);
  return [setting] { return run(*setting); };
}

const AddTraceCommand merge(
    "merge", "Merge separately recorded traces: devices and their host, or the ranks of a run",
    declare);

}  // namespace
}  // namespace vitro::cli
