#include <functional>
#include <memory>

#include "harness.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"

namespace vitro::bench {
namespace {

Runner compiled(Program program) {
  auto p = std::make_shared<Program>(std::move(program));
  auto fast = std::make_shared<Compiled<std::function<Tensor(const std::vector<Tensor>&)>>>(
      compile(p->run));
  return {[p, fast] { (void)(*fast)(p->inputs).const_data(); },
          [fast] {
            int kernels = 0;
            for (const SegmentReport& segment : fast->report().segments) kernels += segment.kernels;
            return kernels;
          }};
}

// The whole step is one function.
Runner train(Training training) {
  auto t = std::make_shared<Training>(std::move(training));
  Loss whole = [t](const std::vector<Tensor>& batch) {
    return step(*t->optimizer, t->loss, batch);
  };
  auto fast = std::make_shared<Compiled<Loss>>(compile(whole, {.name = "step"}));
  return runner_of([t, fast] { return (*fast)(t->batch); }, [fast] { return fast->report(); });
}

// Only the loss is: its gradients are a compiled program of their own, the optimizer is eager.
Runner train_forward(Training training) {
  VITRO_CHECK(training.loss, "compiled_forward: the step has no loss, only an optimizer");
  auto t = std::make_shared<Training>(std::move(training));
  auto fast = std::make_shared<Compiled<Loss>>(compile(t->loss, {.name = "loss"}));
  const Loss loss = [fast](const std::vector<Tensor>& batch) { return (*fast)(batch); };
  return runner_of([t, loss] { return step(*t->optimizer, loss, t->batch); },
                   [fast] { return fast->report(); });
}

const Add add({"compiled", "vitro::compile", &compiled, &train});
const Add forward({"compiled_forward",
                   "a training step of which only the loss is a compiled function", nullptr,
                   &train_forward, true});

}  // namespace
}  // namespace vitro::bench
