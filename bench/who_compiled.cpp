#include <functional>
#include <memory>

#include "harness.h"
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

const Add add({"compiled", "vitro::compile", &compiled});

}  // namespace
}  // namespace vitro::bench
