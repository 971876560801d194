#include <memory>

#include "harness.h"

namespace vitro::bench {
namespace {

Runner eager(Program program) {
  auto p = std::make_shared<Program>(std::move(program));
  return {[p] { (void)p->run(p->inputs).const_data(); }, nullptr};
}

Runner train(Training training) {
  auto t = std::make_shared<Training>(std::move(training));
  return runner_of([t] { return step(*t->optimizer, t->loss, t->batch); });
}

const Add add({"eager", "op by op", &eager, &train});

}  // namespace
}  // namespace vitro::bench
