// The overhead of a compiled function besides its kernels: replaying ops, and an empty call.
#include <memory>

#include "harness.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

// A backend without kernels, to measure only capture.
class Nothing final : public capture::CompiledSegment {
 public:
  void run(std::span<const Operand>, std::span<const int64_t>, std::span<Tensor> outputs) override {
    for (Tensor& t : outputs) t = result_;
  }
  int kernel_count() const override { return 0; }

 private:
  Tensor result_ = Tensor::empty({64});
};
class NothingRunner final : public capture::SegmentCompiler {
 public:
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph&, const std::string&,
                                                    std::string*) override {
    return std::make_shared<Nothing>();
  }
};

CompileOptions without_kernels() {
  capture::register_compiler("nothing", std::make_shared<NothingRunner>());
  return {.name = "replay", .backend = "nothing", .dynamic = {}};
}

double replayed_op() {
  constexpr int ops = 1000;
  const Tensor x = Tensor::empty({64});
  auto f = compile(
      [](const Tensor& a) {
        Tensor b = a;
        for (int i = 0; i < ops / 2; ++i) {
          b = add(b, a);
          b = mul(b, 0.5);
        }
        return b;
      },
      without_kernels());
  f(x);
  return median_ns(51, 20, [&] { (void)f(x); }) / ops;
}

double empty_call() {
  const Tensor x = Tensor::empty({64});
  auto f = compile([](const Tensor& a) { return a; }, without_kernels());
  f(x);
  return median_ns(51, 1000, [&] { (void)f(x); });
}

double call_of_one_op() {
  const Tensor x = Tensor::empty({64});
  auto f = compile([](const Tensor& a) { return add(a, a); }, without_kernels());
  f(x);
  return median_ns(51, 1000, [&] { (void)f(x); });
}

const Add replay(Step{"replay", "a replayed op, in a compiled chain of 1000", replayed_op});
const Add empty(Step{"call_empty", "a call of a compiled function without ops", empty_call});
const Add one(Step{"call_one_op", "a call of a compiled function of one op, without its kernel",
                   call_of_one_op});

}  // namespace
}  // namespace vitro::bench
