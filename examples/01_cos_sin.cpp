// Lesson 1: compile a function.
//
// Two ops over ten thousand numbers become one kernel that reads and writes each number once.
#include <vitro/vitro.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static size_t count(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

int main() {
  const vitro::Tensor x = vitro::nn::normal({10'000}, 0, 1);

  auto cos_sin = [](const vitro::Tensor& t) { return vitro::sin(vitro::cos(t)); };
  auto fast = vitro::compile(cos_sin);

  const vitro::Tensor eager = cos_sin(x),
                      compiled = fast(x);  // the first call compiles, later ones reuse the result

  // Eager and compiled elementwise results are identical.
  const std::vector<float> a = eager.to_vector<float>(), b = compiled.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return std::printf("element %zu differs: %g and %g\n", i, a[i], b[i]), 1;
  }
  std::printf("sin(cos(%g)) = %g, %zu elements equal eager and compiled\n", x.to_vector<float>()[0],
              b[0], b.size());

  // The report shows the outcome: one kernel, which reads once and writes once.
  const vitro::CompiledReport report = fast.report();
  if (report.segments.empty() || !report.segments[0].build) {
    return std::printf("it ran op by op; `vitro::explain` and the warning say why\n"), 1;
  }
  const std::string kernel = report.segments[0].build->source();
  std::printf("%s\n", kernel.c_str());
  if (count(kernel, "load(arg") != 1 || count(kernel, "store(sin_out") != 1) {
    return std::printf("expected one read and one write\n"), 1;
  }
  return 0;
}
