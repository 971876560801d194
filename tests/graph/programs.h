// Graphs used by several tests.
#pragma once

#include "vitro/graph/build.h"
#include "vitro/ops/all.h"
#include "vitro/ops/shapes.h"

namespace vitro::graph {

inline TensorMeta f32(Sizes sizes) {
  return ops::dense(DType::f32, cpu, std::move(sizes));
}

// relu(x @ weight^T) as basic ops; x has s0 rows.
inline Graph layer() {
  Builder b;
  const Tensor x = b.input("x", f32({Size(32, sym::Expr::symbol("s0")), 128}));
  const Tensor w = b.input("weight", f32({64, 128}), InputKind::parameter);
  const Using use(&b);
  b.set_location({"mlp.cpp", 12, 0});
  const Tensor y = mm(x, permute(w, {1, 0}));
  b.set_location({"mlp.cpp", 13, 0});
  b.output(where(gt(y, 0), y, 0.0));
  return b.take();
}

}  // namespace vitro::graph
