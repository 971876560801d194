// The cost of a profile from the recorder to the file, for a loop of `add` on four elements, which
// bench/peers/profiler.py runs with torch.  Costs are per op unless per megabyte.  `full`: with
// shapes, stacks, modules, FLOPs, memory and tensors.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "harness.h"
#include "vitro/base/cat.h"
#include "vitro/profiler/profiler.h"
#include "vitro/vitro.h"

namespace vitro::bench {
namespace {

constexpr int ops = 200'000, rounds = 5;

void add_loop() {
  const Tensor a = ones({4}), b = ones({4});
  for (int i = 0; i < ops; ++i) static_cast<void>(add(a, b));
}

ProfilerOptions everything() {
  return {.record_shapes = true,
          .with_stack = true,
          .with_modules = true,
          .with_flops = true,
          .with_tensors = true,
          .profile_memory = true};
}

const Profiler& recorded_with(const ProfilerOptions& options) {
  auto* made = new Profiler(options);
  add_loop();
  made->stop();
  return *made;
}

const Profiler& recorded() {
  static const Profiler& profiler = recorded_with({});
  return profiler;
}

const Profiler& recorded_full() {
  static const Profiler& profiler = recorded_with(everything());
  return profiler;
}

double ns_per_op(const std::function<void()>& body) {
  return median_ns(rounds, 1, body) / ops;
}

double recording(const ProfilerOptions& options) {
  const double off = ns_per_op(add_loop);
  Profiler profiler(options);
  const double on = ns_per_op(add_loop);
  return on - off;
}

double stopping(const ProfilerOptions& options) {
  double ns = 0;
  for (int i = 0; i < rounds; ++i) {
    Profiler profiler(options);
    add_loop();
    ns += median_ns(1, 1, [&] { profiler.stop(); });
  }
  return ns / rounds / ops;
}

double averaging(const Profiler& profiler, const GroupBy& group) {
  return ns_per_op([&] { static_cast<void>(profiler.key_averages(group).entries().size()); });
}

double exporting(const Profiler& profiler, const std::string& path) {
  return ns_per_op([&] { profiler.write_trace(path); });
}

// The result of `measure` on the path of a temporary file, which is removed afterwards.
double with_file(std::string_view suffix,
                 const std::function<double(const std::string&)>& measure) {
  const auto path = std::filesystem::temp_directory_path() / cat("vitro_bench_", getpid(), suffix);
  const double found = measure(path);
  std::filesystem::remove(path);
  return found;
}

double exporting_megabyte(const Profiler& profiler) {
  const double bytes_per_op = with_file(".json", [&](const std::string& path) {
    profiler.write_trace(path);
    return static_cast<double>(std::filesystem::file_size(path)) / ops;
  });
  return exporting(profiler, "/dev/null") / bytes_per_op * 1e6;
}

double exporting_to(std::string_view suffix) {
  return with_file(suffix, [](const std::string& path) { return exporting(recorded(), path); });
}

const Add record_step(Step{"profiler_record", "the cost of recording, per op",
                           [] { return recording({}); }});
const Add record_full(Step{"profiler_record_full", "the same, full",
                           [] { return recording(everything()); }});
const Add stop_step(Step{"profiler_stop", "stop(): events to slices", [] { return stopping({}); }});
const Add stop_full(Step{"profiler_stop_full", "the same, full",
                         [] { return stopping(everything()); }});
const Add averages_step(Step{"profiler_averages", "averages()",
                             [] { return averaging(recorded(), {}); }});
const Add averages_shapes(Step{
    "profiler_averages_shapes", "full, grouped by shapes and stacks", [] {
      return averaging(recorded_full(), {.group_by_input_shape = true, .group_by_stack_n = 5});
    }});
const Add json_step(Step{"profiler_json", "write_trace() as JSON, the bytes thrown away",
                         [] { return exporting(recorded(), "/dev/null"); }});
const Add json_mb_step(Step{"profiler_json_mb", "the same per megabyte of JSON",
                            [] { return exporting_megabyte(recorded()); }});
const Add json_mb_full(Step{"profiler_json_mb_full", "the same, full",
                            [] { return exporting_megabyte(recorded_full()); }});
const Add gz_step(Step{"profiler_json_gz", "write_trace() of .json.gz",
                       [] { return exporting_to(".json.gz"); }});
const Add zst_step(Step{"profiler_json_zst", "write_trace() of .json.zst",
                        [] { return exporting_to(".json.zst"); }});

}  // namespace
}  // namespace vitro::bench
