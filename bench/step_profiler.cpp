#include <filesystem>
#include <memory>
#include <string>

#include "harness.h"
#include "vitro/base/cat.h"
#include "vitro/profiler/profiler.h"
#include "vitro/vitro.h"

// What a profile costs on its way from the recorder to the file: a loop of `add` on four elements,
// as bench/peers/profiler.py runs it with torch.  All but profiler_json_mb are per op.

namespace vitro::bench {
namespace {

constexpr int ops = 200'000, rounds = 5;

void add_loop() {
  const Tensor a = ones({4}), b = ones({4});
  for (int i = 0; i < ops; ++i) static_cast<void>(add(a, b));
}

const Profiler& recorded() {
  static const Profiler& profiler = *[] {
    auto* made = new Profiler;
    add_loop();
    made->stop();
    return made;
  }();
  return profiler;
}

double ns_per_op(const std::function<void()>& body) {
  return median_ns(rounds, 1, body) / ops;
}

double recording() {
  const double off = ns_per_op(add_loop);
  Profiler profiler;
  const double on = ns_per_op(add_loop);
  return on - off;
}

double stopping() {
  double ns = 0;
  for (int i = 0; i < rounds; ++i) {
    Profiler profiler;
    add_loop();
    ns += median_ns(1, 1, [&] { profiler.stop(); });
  }
  return ns / rounds / ops;
}

double averaging() {
  return ns_per_op([] { static_cast<void>(recorded().averages().entries().size()); });
}

double exporting(const std::string& path) {
  return ns_per_op([&] { recorded().write_trace(path); });
}

// What `measure` says of a file of that name, which goes afterwards.
double with_file(std::string_view suffix, double (*measure)(const std::string& path)) {
  const auto path = std::filesystem::temp_directory_path() / cat("vitro_bench_", getpid(), suffix);
  const double found = measure(path);
  std::filesystem::remove(path);
  return found;
}

double bytes_per_op(const std::string& path) {
  recorded().write_trace(path);
  return static_cast<double>(std::filesystem::file_size(path)) / ops;
}

const Add record_step(Step{"profiler_record", "what recording adds to an op", recording});
const Add stop_step(Step{"profiler_stop", "stop(): events to slices", stopping});
const Add averages_step(Step{"profiler_averages", "averages()", averaging});
const Add json_step(Step{"profiler_json", "write_trace() as JSON, the bytes thrown away",
                         [] { return exporting("/dev/null"); }});
const Add json_mb_step(Step{"profiler_json_mb", "the same per megabyte of JSON", [] {
                              return exporting("/dev/null") / with_file(".json", bytes_per_op) *
                                     1e6;
                            }});

const Add gz_step(Step{"profiler_json_gz", "write_trace() of .json.gz",
                       [] { return with_file(".json.gz", exporting); }});
const Add zst_step(Step{"profiler_json_zst", "write_trace() of .json.zst",
                        [] { return with_file(".json.zst", exporting); }});

}  // namespace
}  // namespace vitro::bench
