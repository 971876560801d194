#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/programs.h"
#include "vitro/base/module_path.h"

namespace vitro::graph {
namespace {

TEST(Print, reads_like_the_program) {
  EXPECT_EQ(print(layer()),
            R"(graph[s0=32](x: f32[s0, 128], weight: parameter f32[64, 128]) {
  permute: f32[128, 64]{strides=[1, 128]} = permute(weight, dims=[1, 0])  # mlp.cpp:12
  mm: f32[s0, 64] = mm(x, permute)                                        # mlp.cpp:12
  gt: bool[s0, 64] = gt(mm, 0)                                            # mlp.cpp:13
  where: f32[s0, 64] = where(gt, mm, 0.0)                                 # mlp.cpp:13
  return where
}
)");
}

TEST(Print, shows_module_paths_and_what_is_written) {
  Builder b;
  const Tensor x = b.input("x", f32({2}));
  const Using use(&b);
  const ModuleName encoder("encoder"), first("layer 0");
  const ModuleScope outer(encoder), inner(first);
  b.set_location({"my model.cpp", 3, current_module});
  b.output(exp(x), 0);
  EXPECT_EQ(print(b.take()), R"(graph(x: f32[2]) {
  exp: f32[2] = exp(x)  # "my model.cpp":3 "encoder.layer 0"
  return exp -> x
}
)");
}

TEST(Print, keeps_every_number_apart) {
  Builder b;
  const Tensor x = b.input("x", f32({2}));
  const Using use(&b);
  b.set_location({});
  const double inf = std::numeric_limits<double>::infinity();
  b.output(x * 1 * 1.0 * true * -0.0 * inf * -inf * std::nan("") * INT64_MIN * 1e300);
  EXPECT_EQ(print(b.take()), R"(graph(x: f32[2]) {
  mul: f32[2] = mul(x, 1)
  mul_1: f32[2] = mul(mul, 1.0)
  mul_2: f32[2] = mul(mul_1, True)
  mul_3: f32[2] = mul(mul_2, -0.0)
  mul_4: f32[2] = mul(mul_3, inf)
  mul_5: f32[2] = mul(mul_4, -inf)
  mul_6: f32[2] = mul(mul_5, nan)
  mul_7: f32[2] = mul(mul_6, -9223372036854775808)
  mul_8: f32[2] = mul(mul_7, 1e+300)
  return mul_8
}
)");
}

}  // namespace
}  // namespace vitro::graph
