// Lesson 7: read a trace and analyze it.
//
// It takes any trace by PyTorch's profiler, Vitro or another writer of Chrome's format, of any
// size:
//   build/release/examples/07_read_a_trace trace.json.gz
// Without a name it reads one that it writes itself: ten kernels that are launched too late.
// Nothing here needs tensors or the compiler.
#include <vitro/analyze.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

namespace analyze = vitro::analyze;

namespace {

// The given number of launches of 5 us with kernels of 10 us, 100 us apart.
std::string write_small_trace() {
  const std::string path = "late_launches.json";
  std::ofstream file(path);
  file << "{\"traceEvents\":[";
  for (int i = 0; i < 10; ++i) {
    file << (i == 0 ? "" : ",\n") << R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel",)"
         << R"("pid":1,"tid":1,"ts":)" << 100 * i << R"(,"dur":5,"args":{"correlation":)" << i
         << R"(}},{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" << 100 * i + 8
         << R"(,"dur":10,"args":{"correlation":)" << i << "}}";
  }
  file << "]}";
  return path;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : write_small_trace();
  // Columns are cached in the user's cache folder: the second time is instant.
  const vitro::Result<analyze::Trace> trace = analyze::Trace::open(path);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.why().c_str()), 1;

  // Columns hold one number per event.
  int64_t work = 0;
  for (analyze::EventId e = 0; e < trace->size(); ++e)
    if (trace->category(e) == "kernel") work += trace->dur()[e];
  std::printf("%zu events, %lld ns of work on devices\n", trace->size(),
              static_cast<long long>(work));

  // Questions have answers: tables of typed cells.  What they have in common is computed once, by
  // the index.
  const analyze::TraceIndex index(*trace);
  for (const analyze::Analysis& analysis : analyze::analyses()) {
    if (analysis.name == "kernels" || analysis.name == "gaps")
      std::cout << analyze::to_text(analysis.ask(index, analyze::Parameters(analysis)));
  }

  // The findings of all analyses, with their potential savings.
  const analyze::Answer findings = analyze::doctor(index);
  std::cout << analyze::to_text(findings);
  return argc > 1 || !findings.findings.empty() ? 0 : 1;
}
