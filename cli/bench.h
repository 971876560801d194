// What `vitro bench` measures: rows of contenders, each with a batch and a number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contender.h"

namespace vitro::cli {

struct BenchSetting {
  std::string file, model, svg, python = "python3";
  std::vector<std::string> inputs, peers;
  std::vector<int64_t> batches;
  std::vector<int> threads;
  double seconds = 1;  // of each row
  int rounds = 10;
  double limit = 600;  // seconds for an answer of a peer
  bool json = false, compare = false, asynchronous = false;
};

// The folder, in that of a comparison, for what contenders keep between two starts.
inline constexpr std::string_view caches_name = "caches";

// The modes of this library, and the peers that bench --compare knows (peers.py).
inline constexpr std::string_view eager_mode = "eager", compiled_mode = "compiled";
const std::vector<std::string>& peer_names();

// Times in ns.
struct BenchRow {
  std::string mode;
  int threads = 1;
  int64_t batch = 0;  // 0: the model has no size called so
  size_t calls = 0;
  double load = 0, first = 0, least = 0, p50 = 0, p90 = 0, p99 = 0, mean = 0;
  std::vector<double> round_least = {};
  double resident = 0;               // bytes, the most that there were
  std::optional<double> watts = {};  // of the machine's processors during its turns

  // Of a comparison.
  std::string failure = {};            // why there are no times
  std::optional<double> convert = {};  // into the file that it reads
  std::optional<double> again = {};    // load and first call, with what the first start has left
  std::optional<double> ratio = {};    // its least time of a round over ours, the median of them
  std::optional<std::string> differs = {};  // from ours; empty: agrees

  double first_result() const { return load + first; }
  double per_second() const { return static_cast<double>(batch > 0 ? batch : 1) * 1e9 / mean; }
};

// Fills in the numbers that are of all calls.
void set_statistics(BenchRow& row, std::vector<double> times);

// ---- the contenders of this library (bench_model.cpp) ----

// What --batch gives, checked; 0: the batch of the inputs.
std::vector<int64_t> batches_of(const BenchSetting& setting);

// A process that answers "ready LOAD FIRST BATCH", then each line, a number of seconds, with
// "times" and the times of the calls made in that time.  Unless `folder` is empty, it writes its
// inputs and results there, as peers.py reads and writes them, and keeps its kernels in it.
std::unique_ptr<Contender> start_model(const BenchSetting& setting, const BenchRow& row,
                                       const std::string& folder);

// How the results of `mode` in the folder differ from those of compiled; empty: they agree.
std::string difference_of_results(const BenchSetting& setting, const std::string& folder,
                                  const std::string& mode);

// ---- what is printed (bench_report.cpp) ----

void print_bench_table(const BenchSetting& setting, const std::vector<BenchRow>& rows);
void print_bench_json(const BenchSetting& setting, const std::vector<BenchRow>& rows);
// A bar as long as p50 for each row, and a line from it to p99.
void draw_bench(const BenchSetting& setting, const std::vector<BenchRow>& rows);

}  // namespace vitro::cli
