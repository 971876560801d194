// Writes to parts of an input: when they are done in place, and that earlier reads still see the
// old elements.
#include "backend/program/in_place.h"

#include <gtest/gtest.h>

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

// Compiles and runs a graph; checks inputs and outputs against interpretation, bit by bit. Returns
// the number of scatters that write in place.
size_t scatters_in_place(std::string_view text) {
  eager::init();
  const graph::Graph g = graph::parse(text).value();
  std::vector<Tensor> inputs, want_inputs;
  for (const graph::NodeId id : g.inputs()) {
    const auto seed = static_cast<uint32_t>(inputs.size() + 1);
    inputs.push_back(random_tensor(g.meta({id, 0}).sizes, seed));
    want_inputs.push_back(clone(inputs.back()));
  }
  const std::vector<Operand> operands(inputs.begin(), inputs.end());  // they point into `inputs`
  std::vector<Tensor> want;
  const std::vector<Tensor> values = graph::interpret(g, operands);
  for (size_t i = 0; i < values.size(); ++i) {
    const int writes = g.outputs()[i].writes;
    writes < 0 ? want.push_back(clone(values[i])) : void(want_inputs[writes] = clone(values[i]));
  }
  Compiled c = compile_graph(g);
  if (std::getenv("VITRO_SHOW")) show(c);
  const std::vector<Tensor> got = c.run(inputs);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  for (size_t i = 0; i < inputs.size(); ++i) expect_same_bits(inputs[i], want_inputs[i]);
  const Program program(g);
  size_t in_place = 0;
  for (uint32_t n = 0; n < g.size(); ++n) in_place += program.alias_target({n}).n != n;
  return in_place;
}

TEST(InPlace, a_slice_of_an_input_is_written_where_it_lies) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32], v: f32[1, 32]) {
    y: f32[64, 32] = slice_scatter(x, v, dim=0, start=3, end=4, step=1)
    return y -> x
  })"),
            1u);
}

TEST(InPlace, what_is_written_may_be_read_just_before_and_after) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32], v: f32[1, 32]) {
    row: f32[1, 32]{offset=96} = slice(x, dim=0, start=3, end=4, step=1)
    sum: f32[1, 32] = add(row, v)
    y: f32[64, 32] = slice_scatter(x, sum, dim=0, start=3, end=4, step=1)
    all: f32[64, 32] = mul(y, y)
    return y -> x, all
  })"),
            1u);
}

TEST(InPlace, who_reads_the_input_as_it_was_comes_first) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32], v: f32[1, 32]) {
    y: f32[64, 32] = slice_scatter(x, v, dim=0, start=3, end=4, step=1)
    old: f32[64, 32] = exp(x)
    return y -> x, old
  })"),
            1u);
}

// `rest` waits for the sweep that reduces `a`, and reads `b` then.
TEST(InPlace, who_reads_the_input_in_a_later_sweep_over_the_same_rows_comes_first) {
  EXPECT_EQ(scatters_in_place(R"(graph(a: f32[6, 6], b: f32[17, 6, 6]) {
    part: f32[6, 6]{offset=576} = select(b, dim=0, index=-1)
    next: f32[6, 6] = add(part, 1)
    most: f32[6, 1] = amax(a, dim=[-1], keepdim=True)
    less: f32[6, 6] = sub(a, most)
    b2: f32[17, 6, 6] = select_scatter(b, next, dim=0, index=-1)
    rest: f32[6, 6] = remainder(a, next)
    return less, b2 -> b, rest -> a
  })"),
            1u);
}

TEST(InPlace, scatters_may_lie_one_over_the_other) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32], v: f32[1, 32]) {
    y: f32[64, 32] = slice_scatter(x, v, dim=0, start=3, end=4, step=1)
    row: f32[1, 32]{offset=96} = slice(y, dim=0, start=3, end=4, step=1)
    twice: f32[1, 32] = mul(row, 2)
    z: f32[64, 32] = slice_scatter(y, twice, dim=0, start=4, end=5, step=1)
    return z -> x
  })"),
            2u);
}

TEST(InPlace, a_part_of_a_part_may_be_written_twice) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[33, 5]) {
    part: f32[33, 3]{strides=[5, 1]} = slice(x, dim=-1, start=0, end=3, step=1)
    row: f32[3]{offset=160} = select(part, dim=0, index=-1)
    add: f32[3] = add(row, 1)
    first: f32[33, 3] = select_scatter(part, add, dim=0, index=-1)
    y: f32[33, 5] = slice_scatter(x, first, dim=-1, start=0, end=3, step=1)
    relu: f32[3] = relu(add)
    second: f32[33, 3] = select_scatter(first, relu, dim=0, index=-1)
    z: f32[33, 5] = slice_scatter(y, second, dim=-1, start=0, end=3, step=1)
    return z -> x
  })"),
            2u);
}

TEST(InPlace, a_row_that_moves_over_its_neighbour_is_copied_first) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32]) {
    rows: f32[63, 32] = slice(x, dim=0, start=0, end=63, step=1)
    y: f32[64, 32] = slice_scatter(x, rows, dim=0, start=1, end=64, step=1)
    return y -> x
  })"),
            0u);
}

TEST(InPlace, an_input_that_is_read_as_it_was_after_the_write_is_copied) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32], v: f32[1, 32]) {
    y: f32[64, 32] = slice_scatter(x, v, dim=0, start=3, end=4, step=1)
    change: f32[64, 32] = sub(y, x)
    return y -> x, change
  })"),
            0u);
}

TEST(InPlace, a_view_taken_before_and_read_after_the_write_is_copied) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32], v: f32[1, 32]) {
    old: f32[1, 32]{offset=96} = slice(x, dim=0, start=3, end=4, step=1)
    y: f32[64, 32] = slice_scatter(x, v, dim=0, start=3, end=4, step=1)
    new: f32[1, 32]{offset=96} = slice(y, dim=0, start=3, end=4, step=1)
    change: f32[1, 32] = sub(new, old)
    return y -> x, change
  })"),
            0u);
}

TEST(InPlace, a_result_that_is_also_returned_as_a_tensor_is_copied) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[64, 32], v: f32[1, 32]) {
    y: f32[64, 32] = slice_scatter(x, v, dim=0, start=3, end=4, step=1)
    return y -> x, y
  })"),
            0u);
}

TEST(InPlace, writes_that_would_wait_for_each_other_are_copied) {
  scatters_in_place(R"(graph(x: f32[64, 32], z: f32[64, 32]) {
    from_z: f32[1, 32] = slice(z, dim=0, start=0, end=1, step=1)
    from_x: f32[1, 32] = slice(x, dim=0, start=0, end=1, step=1)
    y: f32[64, 32] = slice_scatter(x, from_z, dim=0, start=0, end=1, step=1)
    w: f32[64, 32] = slice_scatter(z, from_x, dim=0, start=0, end=1, step=1)
    return y -> x, w -> z
  })");
}

}  // namespace
}  // namespace vitro::backend
