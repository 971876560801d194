// A program of somebody who has only what `cmake --install` put there.
#include <vitro/compile/compile.h>
#include <vitro/ops/all.h>
#include <vitro/profiler/profiler.h>
#include <vitro/version.h>

#include <cstdio>

using vitro::Tensor;

int main() {
  auto fast = vitro::compile([](const Tensor& x) { return vitro::add(vitro::sin(x), vitro::cos(x)); });
  vitro::Profiler profiler;
  const auto got = sum(fast(Tensor::from({0.0f, 0.0f, 0.0f}, {3}))).item<float>();
  profiler.stop();
  std::printf("vitro %s: %g\n%s", vitro::version().data(), got, profiler.averages().table().c_str());
  return got == 3 ? 0 : 1;
}
