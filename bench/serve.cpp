// A resident contender for bench/compare; bench/rounds.py describes the protocol.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "harness.h"

namespace vitro::bench {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

double resident_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Times of `count` runs, after count / 5 warm-up runs.
std::vector<double> timed_runs(const Runner& runner, long count) {
  for (long i = 0; i < std::max(1L, count / 5); ++i) runner.once();
  std::vector<double> times;
  for (long i = 0; i < count; ++i) {
    const auto start = Clock::now();
    runner.once();
    times.push_back(ms_since(start) / runner.times);
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

int serve(const Workload& work, const Contender& who, Mode mode) {
  const Entry entry = enter(work, who, mode);
  const auto begun = Clock::now();
  const Started started = start(entry);
  const double first = ms_since(begun);
  const Runner& runner = started.runner;
  nlohmann::ordered_json line{{"first_ms", first},
                              {"kernels", runner.kernels ? runner.kernels() : -1}};
  if (mode == Mode::train) line["parameters"] = entry.parameters;
  if (runner.loss) line["losses"] = started.losses;
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
  long count = 0;
  while (std::scanf("%ld", &count) == 1 && count > 0) {
    const double before = processor_ms();
    const std::vector<double> times = timed_runs(runner, count);
    std::printf("{\"med_ms\": %.6f, \"min_ms\": %.6f, \"cpu_ms\": %.3f, \"rss_mb\": %.1f}\n",
                times[times.size() / 2], times[0], processor_ms() - before, resident_mb());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace vitro::bench
