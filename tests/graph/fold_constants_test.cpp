#include <gtest/gtest.h>

#include "eager/eager.h"
#include "graph/programs.h"
#include "vitro/graph/pass.h"

namespace vitro::graph {
namespace {

std::string folded(std::string_view text) {
  eager::init();
  const Graph g = parse(text).value();
  EXPECT_EQ(verify(g), "");
  const Graph out = drop_dead(fold_constants(g));
  EXPECT_EQ(verify(out), "");
  return print(out);
}

TEST(FoldConstants, computes_what_has_no_inputs_and_hands_numbers_on) {
  EXPECT_EQ(folded(R"(graph(x: f32[2, 3]) {
  two: f32[] = full(size=[], fill_value=2, dtype=f32)
  three: f32[] = add(two, 1)
  root: f32[] = sqrt(three)
  y: f32[2, 3] = mul(x, three)
  z: f32[2, 3] = add(y, root)
  return z
})"),
            R"(graph(x: f32[2, 3]) {
  y: f32[2, 3] = mul(x, 3.0)
  z: f32[2, 3] = add(y, 1.7320507764816284)
  return z
}
)");  // the root of 3, rounded to f32
}

TEST(FoldConstants, knows_tensors_that_are_all_of_one_number) {
  EXPECT_EQ(folded(R"(graph[s0=4](x: f32[s0, 3]) {
  ones: f32[s0, 3] = full(size=[s0, 3], fill_value=1, dtype=f32)
  more: f32[s0, 3] = add(ones, 0.5)
  row: f32[3] = full(size=[3], fill_value=2, dtype=f32)
  wide: f32[s0, 3]{strides=[0, 1]} = expand(row, size=[s0, 3])
  y: f32[s0, 3] = mul(x, more)
  z: f32[s0, 3] = add(y, wide)
  return z, more
})"),
            R"(graph[s0=4](x: f32[s0, 3]) {
  full: f32[s0, 3] = full(size=[s0, 3], fill_value=1.5, dtype=f32)
  y: f32[s0, 3] = mul(x, 1.5)
  z: f32[s0, 3] = add(y, 2.0)
  return z, full
}
)");
}

TEST(FoldConstants, keeps_a_tensor_where_it_gives_the_dtype_or_the_shape) {
  for (const char* statements : {
           // A tensor of rank 0 promotes i32 to f64; a number would not.
           "k: f64[] = full(size=[], fill_value=0.5, dtype=f64)\n  y: f64[3] = mul(n, k)\n",
           // The comparison is done in f64; with a number it would be in f32.
           "k: f64[] = full(size=[], fill_value=0.1, dtype=f64)\n  y: bool[3] = gt(n, k)\n",
           "k: f32[2, 3] = full(size=[2, 3], fill_value=1.0, dtype=f32)\n  y: f32[2, 3] = mul(x, "
           "k)\n",
           "k: f64[3] = full(size=[3], fill_value=1.0, dtype=f64)\n  y: f64[3] = mul(x, k)\n",
       }) {
    const std::string text =
        cat("graph(x: f32[3], n: i32[3]) {\n  ", statements, "  return y\n}\n");
    EXPECT_EQ(folded(text), text);
  }
}

TEST(FoldConstants, leaves_counting_and_symbols_to_the_backend) {
  const std::string text = R"(graph[s0=4](x: f32[s0]) {
  i: i64[s0] = arange(0, s0)
  k: i64[] = full(size=[], fill_value=s0)
  y: i64[s0] = mul(i, k)
  return y
}
)";
  EXPECT_EQ(folded(text), text);
}

}  // namespace
}  // namespace vitro::graph
