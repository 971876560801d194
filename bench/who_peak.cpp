// The peak that a program is measured against: the fused multiply-adds of its matrix products, in
// registers only, split equally among threads.  A lower bound for the time of the products; the
// other work of the program is not included.
#include "fma_peak.h"
#include "harness.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/flops.h"
#include "vitro/runtime/parallel.h"

namespace vitro::bench {
namespace {

// Waking threads is not part of the peak: its cost is spread over this many programs.
constexpr int times = 16;

// Runs ops eagerly, with composites expanded, and counts the FLOPs of products.
class CountProducts : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    if (call.op->kind == OpKind::composite)
      return call.op->composite->expand(call.operands, call.attrs, results);
    call_below(call, results);
    if (call.op->kind == OpKind::contraction) {
      flops += static_cast<double>(ops::flops_of(call, results[0].meta()));
    }
  }
  double flops = 0;
};

double flops_of_products(const std::function<void()>& run) {
  CountProducts count;
  const Using using_it(&count);
  run();
  return count.flops;
}

Runner multiply_adds(double flops) {
  VITRO_CHECK(flops > 0, "peak: the program has no products");
  const FmaPeak loop = fma_peak();
  const auto rounds = static_cast<int64_t>(times * flops / (2.0 * static_cast<double>(loop.each)));
  const auto once = [loop, rounds] {
    const int64_t threads = num_threads(), most = (rounds + threads - 1) / threads;
    parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) loop.run(most);
    });
  };
  return {once, nullptr, times};
}

const Add peak({"peak", "the multiply-adds of the products, in registers only",
                [](Program program) {
                  return multiply_adds(
                      flops_of_products([&] { (void)program.run(program.inputs); }));
                },
                [](Training training) {
                  return multiply_adds(flops_of_products(
                      [&] { (void)step(*training.optimizer, training.loss, training.batch); }));
                },
                true});

}  // namespace
}  // namespace vitro::bench
