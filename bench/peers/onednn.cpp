// oneDNN's matrix product on the shapes of vitro_bench's mm_* workloads, as a resident contender;
// bench/rounds.py describes the protocol.  Weights are packed once into oneDNN's preferred layout;
// the first call includes packing.
//
// usage: onednn_bench WORK
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point t) {
  return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
}

struct Shape {
  long m, k, n;
};
constexpr Shape shapes[] = {{128, 768, 2304}, {128, 768, 768}, {128, 768, 3072},
                            {128, 3072, 768}, {512, 512, 512}, {1024, 1024, 1024}};

double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

// Answers each number on standard input with the times of that many runs.
void serve(const std::function<void()>& once) {
  long count = 0;
  while (std::scanf("%ld", &count) == 1 && count > 0) {
    const double before = processor_ms();
    for (long i = 0; i < std::max(1L, count / 5); ++i) once();
    std::vector<double> times;
    for (long i = 0; i < count; ++i) {
      const auto t = Clock::now();
      once();
      times.push_back(ms_since(t));
    }
    std::sort(times.begin(), times.end());
    std::printf("{\"med_ms\": %.6f, \"min_ms\": %.6f, \"cpu_ms\": %.3f, \"rss_mb\": null}\n",
                times[times.size() / 2], times[0], processor_ms() - before);
    std::fflush(stdout);
  }
}

void measure(const Shape& s) {
  using namespace dnnl;
  engine cpu(engine::kind::cpu, 0);
  stream order(cpu);
  std::vector<float> a(static_cast<size_t>(s.m * s.k), 0.5F),
      b(static_cast<size_t>(s.k * s.n), 0.25F), c(static_cast<size_t>(s.m * s.n));
  const auto type = memory::data_type::f32;
  const memory::desc a_desc({s.m, s.k}, type, memory::format_tag::ab),
      plain({s.k, s.n}, type, memory::format_tag::ab),
      any({s.k, s.n}, type, memory::format_tag::any),
      c_desc({s.m, s.n}, type, memory::format_tag::ab);
  const auto start = Clock::now();
  const matmul::primitive_desc description(cpu, a_desc, any, c_desc);
  memory packed(description.weights_desc(), cpu), from(plain, cpu, b.data()),
      left(a_desc, cpu, a.data()), out(c_desc, cpu, c.data());
  reorder(from, packed).execute(order, from, packed);
  const matmul product(description);
  const auto once = [&] {
    product.execute(order, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, out}});
    order.wait();
  };
  once();
  std::printf("{\"first_ms\": %.4f, \"kernels\": 1}\n", ms_since(start));
  std::fflush(stdout);
  serve(once);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Shape& s : shapes) {
    const std::string name =
        "mm_" + std::to_string(s.m) + "x" + std::to_string(s.k) + "x" + std::to_string(s.n);
    if (argc == 2 && name == argv[1]) return measure(s), 0;
  }
  std::fprintf(stderr, "usage: %s WORK      WORK as vitro_bench names its products\n", argv[0]);
  return 2;
}
