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
  const analyze::Classes classes(*trace);
  int64_t work = 0;
  for (analyze::EventId e = 0; e < trace->size(); ++e)
    if (classes.is_device_work(e)) work += trace->dur()[e];
  std::printf("%zu events, %lld ns of work on devices\n", trace->size(),
              static_cast<long long>(work));

  // An analysis is a function that returns a struct.
  for (const analyze::NameTimes& k : analyze::kernels(*trace, analyze::Timeline(*trace)))
    std::printf("%s: %llu calls, median %lld ns\n", k.name.c_str(),
                static_cast<unsigned long long>(k.calls), static_cast<long long>(k.median));
  for (const analyze::StreamGaps& device : analyze::gaps(*trace).devices)
    std::printf("a device was busy for %lld of %lld ns, and waited for the host for %lld ns\n",
                static_cast<long long>(device.busy), static_cast<long long>(device.span),
                static_cast<long long>(device.host));

  // The findings of all analyses, with their potential savings.
  const analyze::Answer findings = analyze::doctor(*trace);
  std::cout << analyze::to_text(findings);
  return argc > 1 || !findings.findings.empty() ? 0 : 1;
}
