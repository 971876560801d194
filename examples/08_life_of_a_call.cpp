// Lesson 8: the life of a call.
//
// One function is run eagerly, compiled, and called with other sizes.  docs/life_of_a_call.md
// follows it through the library, using this program's output.
#include <vitro/vitro.h>

#include <cstdio>
#include <iostream>
#include <span>

using vitro::Tensor;

static Tensor gate(const Tensor& x, const Tensor& w) {
  const Tensor h = vitro::silu(x) * w;
  return h / vitro::sum(h * 1.0, {1}, true);
}

class PrintCalls : public vitro::Interpreter {
 public:
  void call(const vitro::OpCall& call, std::span<Tensor> results) override {
    call_below(call, results);
    std::cout << call.op->name << " gave " << results[0].dtype() << results[0].sizes() << '\n';
  }
};

static Tensor rows(int64_t count) {
  return reshape(vitro::arange(count * 32, vitro::DType::f32), {count, 32}) / 64.0;
}

static bool have_equal_bits(const Tensor& a, const Tensor& b) {
  return a.to_vector<float>() == b.to_vector<float>();
}

int main() {
  const Tensor x = rows(2), w = vitro::ones({32});
  auto fast = vitro::compile(gate, {.name = "gate"});
  Tensor eager, compiled;
  {
    PrintCalls print;
    const vitro::Using printing(&print);  // every op call of this thread enters there
    std::cout << "# eager\n";
    eager = gate(x, w);
    std::cout << "# compiled\n";
    compiled = fast(x, w);
  }
  if (!have_equal_bits(eager, compiled)) return std::printf("eager and compiled differ\n"), 1;
  std::cout << "# explained\n" << explain(fast);

  for (const int64_t count : {6, 7}) {
    const Tensor more = rows(count);
    if (!have_equal_bits(gate(more, w), fast(more, w)))
      return std::printf("eager and compiled differ in %d rows\n", static_cast<int>(count)), 1;
  }
  std::cout << "# other sizes\n" << explain(fast).so_far().summary();
  return fast.report().fallbacks.empty() ? 0 : 1;
}
