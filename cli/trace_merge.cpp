// `vitro trace merge HOST TIMES -o OUT`: kernels that are known by their times, put into the trace.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "trace.h"
#include "vitro/analyze/merge.h"

namespace vitro::cli {
namespace {

struct Setting {
  TraceSetting shown;
  analyze::MergeOptions options;
  std::string host, times, output;
};

int run(const Setting& setting) {
  const auto host = open_trace(setting.host, setting.shown);
  if (!host) return unreadable;
  const auto merged = analyze::merge(*host, analyze::times_file(*host, setting.times),
                                     setting.output, setting.options);
  if (!merged) {
    std::fprintf(stderr, "vitro: %s\n", merged.why().c_str());
    return unreadable;
  }
  return print_answer(analyze::answer_merge(*merged), setting.shown);
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<Setting>();
  analyze::MergeOptions& options = setting->options;
  app.add_option("host", setting->host, trace_file_about)->required();
  app.add_option("times", setting->times,
                 "kernel_event_{rank}.json, or the folder that has it for the trace's rank")
      ->required();
  app.add_option("-o,--output", setting->output, "the trace with the kernels: .json, .gz, .zst")
      ->required();
  app.add_option("--ignore", options.ignored, "ops that run nothing on the device")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--threshold-us", options.threshold_us, "shorter times are no kernels")
      ->capture_default_str();
  app.add_option("--latency-us", options.latency_us,
                 "from the launch of a kernel to its begin on an idle device")
      ->capture_default_str();
  app.add_option("--device", options.device, "what the device is called: the pid of its rows")
      ->capture_default_str();
  app.add_option("--stream", options.stream, "what its stream is called: the tid of its row")
      ->capture_default_str();
  setting->shown.declare(app);
  return [setting] { return run(*setting); };
}

const AddTraceCommand merge(
    "merge", "Put kernels that are known only by their times into the trace of the host", declare);

}  // namespace
}  // namespace vitro::cli
