// Lesson 2: see what happened.
//
// A function with a branch on data is captured as two graphs with a break between them; `explain`
// says where and why, and a trace shows each op and each kernel.  More, without changing the
// program:
//   VITRO_LOGS=breaks,guards,phases   logs breaks, guards and compiler phases as they happen
//   VITRO_COMPILE_DEBUG=1             writes graphs, loops and kernels to a folder, and prints its
//                                     path
#include <vitro/vitro.h>

#include <cstdio>
#include <iostream>

namespace {

vitro::Tensor branchy(const vitro::Tensor& a, const vitro::Tensor& b) {
  const vitro::Tensor x = a / (vitro::abs(a) + 1);
  if (vitro::sum(b).item<float>() < 0) return x * b * -1;  // the host needs a value: a graph break
  return x * b;
}

}  // namespace

int main() try {
  vitro::manual_seed(1);
  const vitro::Tensor a = vitro::nn::normal({64, 64}, 0, 1), b = vitro::nn::uniform({64, 64}, 0, 1);

  // Shows graphs, breaks and kernels, each with its reason.
  std::cout << vitro::explain(&branchy)(a, b) << '\n';

  // A profile of three calls: the first compiles.
  auto fast = vitro::compile(&branchy, {.name = "branchy"});
  vitro::Profiler profiler;
  for (int i = 0; i < 3; ++i) {
    vitro::RecordFunction step("call");
    (void)fast(a, b);
  }
  profiler.stop();
  std::cout << profiler.averages().table() << '\n';
  profiler.write_trace("02_see_everything.json.gz");
  std::cout << "02_see_everything.json.gz opens in Perfetto\n";
  return 0;
} catch (const vitro::Error& error) {  // for example if VITRO_PROFILE is recording already
  return std::cerr << error.what() << '\n', 1;
}
