// Lesson 5: where does the compiler's time go?
//
// The first call of a compiled function is profiled.  A small function is compiled before it, so
// that one-time work of the compiler does not count.  The trace shows the nested phases;
// `compile_times` gives the same times as text, without a profiler.
#include <vitro/models/mlp.h>
#include <vitro/vitro.h>

#include <iostream>

namespace {

using vitro::Tensor;

void warmup_compile() {
  auto small = vitro::compile([](const Tensor& x) { return vitro::relu(vitro::sin(x)); });
  (void)small(vitro::nn::normal({2, 2}, 0, 1)).to_vector<float>();
}

}  // namespace

int main() try {
  const vitro::models::Mlp model({64, 256, 256, 10});
  auto fast = vitro::compile([&](const Tensor& x) { return model(x); }, {.name = "mlp"});
  const Tensor x = vitro::nn::normal({32, 64}, 0, 1);

  vitro::Profiler profiler;
  {
    vitro::RecordFunction range("warmup compile");
    warmup_compile();
  }
  {
    vitro::RecordFunction range("mlp compile");
    (void)fast(x).to_vector<float>();
  }
  profiler.stop();
  profiler.write_trace("trace_compile.json");

  // The table's last line says that the measured time includes compilations.
  std::cout << profiler.averages().table({.row_limit = 12}) << '\n';
  std::cout << vitro::compile_times().by_phase().table();
  std::cout << "trace_compile.json opens in Perfetto\n";
  return 0;
} catch (const vitro::Error& error) {  // for example if VITRO_PROFILE is recording already
  return std::cerr << error.what() << '\n', 1;
}
