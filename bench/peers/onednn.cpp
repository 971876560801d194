// oneDNN's matrix product on the shapes of vitro_bench's mm_* workloads, one JSON line each with
// the same keys. Weights are packed once, as oneDNN likes them best; the first call counts packing
// in.
//
// usage: onednn_bench [--only WORK]... [--seconds S]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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
constexpr Shape shapes[] = {
    {128, 768, 2304}, {128, 768, 768}, {128, 768, 3072}, {128, 3072, 768}, {1024, 1024, 1024}};

void measure(const Shape& s, const std::string& name, double seconds) {
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
  const double first = ms_since(start);
  std::vector<double> times;
  const auto begin = Clock::now();
  while (times.size() < 20 || (ms_since(begin) < 1000 * seconds && times.size() < 2000)) {
    const auto t = Clock::now();
    once();
    times.push_back(ms_since(t));
  }
  std::sort(times.begin(), times.end());
  const char* threads = std::getenv("OMP_NUM_THREADS");
  std::printf(
      "{\"work\": \"%s\", \"mode\": \"fwd\", \"who\": \"onednn\", \"threads\": %s, \"cold_ms\": "
      "%.4f, \"warm_ms\": null, "
      "\"med_ms\": %.5f, \"min_ms\": %.5f, \"n\": %zu, \"kernels\": 1, \"rss_mb\": null}\n",
      name.c_str(), threads ? threads : "0", first, times[times.size() / 2], times[0],
      times.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> only;
  double seconds = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--only") only.emplace_back(argv[i + 1]);
    if (std::string(argv[i]) == "--seconds") seconds = std::atof(argv[i + 1]);
  }
  for (const Shape& s : shapes) {
    const std::string name =
        "mm_" + std::to_string(s.m) + "x" + std::to_string(s.k) + "x" + std::to_string(s.n);
    if (only.empty() || std::find(only.begin(), only.end(), name) != only.end())
      measure(s, name, seconds);
  }
  return 0;
}
