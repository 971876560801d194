// Reading a trace file, per megabyte (10^6 bytes) of its JSON: calls of ops, each with a launch, an
// arrow and a kernel, in Kineto's format.
#include <filesystem>
#include <string>
#include <vector>

#include "analyze/read/bytes.h"
#include "harness.h"
#include "report/inflate.h"
#include "vitro/analyze/trace.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/output.h"

namespace vitro::bench {
namespace {

constexpr int calls = 100'000, rounds = 3;

// The events of one call; @i is its number, @t its time, @o the name of its op.
constexpr std::string_view call = R"json(
  {"ph": "X", "cat": "cpu_op", "name": "aten::@o", "pid": 4515, "tid": 4515,
    "ts": @t, "dur": 18.250,
    "args": {"External id": @i,"Record function id": 0, "Ev Idx": @i,
      "Input Dims": [[64, 512, 7, 7], [64, 512, 7, 7], []], "Input type": ["float", "float", "Scalar"]}
  },
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4515, "tid": 4515,
    "ts": @t, "dur": 3.125,
    "args": {"External id": @i, "cbid": 211, "correlation": @i}
  },
  {"ph": "s", "id": @i, "pid": 4515, "tid": 4515, "ts": @t, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, @o_functor<float>, at::detail::Array<char*, 3> >(int, @o_functor<float>, at::detail::Array<char*, 3>)", "pid": 0, "tid": 7,
    "ts": @t, "dur": 1.500,
    "args": {"External id": @i, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": @i,
      "registers per thread": 48, "shared memory": 0, "blocks per SM": 0.009259259,
      "warps per SM": 0.037037037, "grid": [128, 1, 1], "block": [128, 1, 1],
      "est. achieved occupancy %": 3}
  },
  {"ph": "f", "id": @i, "pid": 0, "tid": 7, "ts": @t, "cat": "ac2g", "name": "ac2g", "bp": "e"})json";

std::string call_text(int number) {
  const std::string time = cat(1'000'000 + 25 * number, ".", 100 + number % 900);
  std::string text;
  for (size_t at = 0; at < call.size(); ++at) {
    if (call[at] != '@') {
      text += call[at];
      continue;
    }
    const char what = call[++at];
    text += what == 'i' ? cat(number) : what == 't' ? time : cat("op_", number % 60);
  }
  return text;
}

// A temporary trace file with this suffix, removed by the destructor.
class TraceFile {
 public:
  explicit TraceFile(std::string_view suffix)
      : path_((std::filesystem::temp_directory_path() / cat("vitro_bench_", getpid(), suffix))
                  .string()) {
    const auto out = report::create_file(path_);
    out->write("{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (int i = 0; i < calls; ++i) out->write(cat(call_text(i), i + 1 < calls ? ",\n" : "\n"));
    out->write("]}\n");
    megabytes_ = static_cast<double>(out->written()) / 1e6;
    out->finish();
  }
  ~TraceFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  double megabytes() const { return megabytes_; }

 private:
  std::string path_;
  double megabytes_ = 0;
};

double loading(std::string_view suffix, int threads) {
  const TraceFile file(suffix);
  const auto load = [&] {
    const auto trace =
        analyze::Trace::open(file.path(), {.keep = false, .threads = threads, .progress = false});
    VITRO_CHECK(trace && trace->size() == size_t{5} * calls, "the benchmark's trace is read wrong");
  };
  return median_ns(rounds, 1, load) / file.megabytes();
}

// Decompression only.
double unpacking(std::string_view suffix) {
  const TraceFile file(suffix);
  std::vector<char> room(size_t{1} << 20);
  const auto unpack = [&] {
    const auto bytes = analyze::open_bytes(file.path());
    while ((*bytes)->read(room.data(), room.size()) > 0) continue;
  };
  return median_ns(rounds, 1, unpack) / file.megabytes();
}

// Decompression by zlib, which is used if ISA-L is missing.
double by_zlib(double (*measure)()) {
  report::use_isal.set(false);
  const double ns = measure();
  report::use_isal.set(true);
  return ns;
}

const Add json_1(Step{"reader_json_1", "a trace of JSON read on one thread, per megabyte",
                      [] { return loading(".json", 1); }});
const Add json_2(Step{"reader_json_2", "the same on two threads",
                      [] { return loading(".json", 2); }});
const Add gz_2(Step{"reader_gz_2", "the same packed with gzip, on two threads",
                    [] { return loading(".json.gz", 2); }});
const Add gz_alone(Step{"reader_gz_alone", "the same, inflated only: ISA-L where it is, else zlib",
                        [] { return unpacking(".json.gz"); }});
const Add zlib_2(Step{"reader_zlib_2", "gzip by zlib, on two threads",
                      [] { return by_zlib([] { return loading(".json.gz", 2); }); }});
const Add zlib_alone(Step{"reader_zlib_alone", "the same, inflated only",
                          [] { return by_zlib([] { return unpacking(".json.gz"); }); }});
const Add zst_2(Step{"reader_zst_2", "the same packed with zstd, on two threads",
                     [] { return loading(".json.zst", 2); }});

}  // namespace
}  // namespace vitro::bench
