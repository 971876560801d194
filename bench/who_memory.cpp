// The memory traffic that a step of AdamW is measured against: parameters, gradients and both
// moments are read, all but the gradients are written, and nothing is computed but a sum.
#include <algorithm>
#include <memory>

#include "harness.h"
#include "vitro/base/error.h"
#include "vitro/runtime/parallel.h"

namespace vitro::bench {
namespace {

constexpr int64_t piece = 1 << 14;  // elements of a task

struct Streams {
  explicit Streams(size_t count) : p(count, 1), g(count, 0), m(count, 1), v(count, 1) {}
  std::vector<float> p, g, m, v;
};

void move(Streams& s, int64_t begin, int64_t end) {
  float *p = s.p.data(), *m = s.m.data(), *v = s.v.data();
  const float* g = s.g.data();
#pragma GCC ivdep
  for (int64_t i = begin; i < end; ++i) {
    p[i] += g[i];
    m[i] += g[i];
    v[i] += g[i];
  }
}

Runner memory(Training training) {
  VITRO_CHECK(!training.loss, "memory: the step is not that of an optimizer alone");
  const int64_t count = training.model->parameter_count();
  auto streams = std::make_shared<Streams>(static_cast<size_t>(count));
  const auto once = [streams, count] {
    const int64_t pieces = (count + piece - 1) / piece;
    parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
      move(*streams, begin * piece, std::min(end * piece, count));
    });
  };
  return {once, nullptr};
}

const Add add({"memory", "what AdamW reads and writes, without its arithmetic", nullptr, &memory,
               false});

}  // namespace
}  // namespace vitro::bench
