// Writes to inputs: when a kernel writes in place, in which order readers run, and when the input
// is copied instead.
#include "backend/program/in_place.h"

#include <gtest/gtest.h>

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

// Compiles and runs a graph; inputs and outputs must be what interpreting gives, bit by bit.
// Returns how many scatters lie in their input.
size_t scatters_in_place(std::string_view text) {
  eager::init();
  const graph::Graph g = graph::parse(text).value();
  std::vector<Tensor> inputs, want_inputs;
  for (const graph::NodeId id : g.inputs()) {
    const auto seed = static_cast<uint32_t>(inputs.size() + 1);
    inputs.push_back(random_tensor(g.meta({id, 0}).sizes, seed));
    want_inputs.push_back(clone(inputs.back()));
  }
  const std::vector<Operand> operands(inputs.begin(), inputs.end());  // they refer to `inputs`
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

TEST(InPlace, a_tensor_without_dimensions_may_be_written_with_what_is_computed_of_it) {
  EXPECT_EQ(scatters_in_place(R"(graph(x: f32[]) {
    y: f32[] = exp(x)
    return y -> x
  })"),
            0u);
  EXPECT_EQ(scatters_in_place("graph(x: f32[]) { return x -> x }"), 0u);
}

TEST(InPlace, a_view_that_shows_the_input_is_there_already) {
  eager::init();
  Compiled c = compile_graph(graph::parse(R"(graph[s0=16](x: f32[3, s0 - 1]) {
    flat: f32[3*s0 - 3] = view(x, size=[3*s0 - 3])
    y: f32[3, s0 - 1] = view(flat, size=[3, s0 - 1])
    return y -> x
  })")
                                 .value());
  EXPECT_TRUE(c.executable->launches().empty());
  const Tensor x = random_tensor({3, 15}), before = clone(x);
  (void)c.run({x}, {16});
  expect_same_bits(x, before);
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

// ---- puts, whose indices are data ----

Tensor indices(const std::vector<int64_t>& list) {
  return Tensor::from(list, {static_cast<int64_t>(list.size())});
}

// Of inputs x [70, 6], rows [5, 6], i [5] (i64); writes the first result to x.
graph::Graph graph_of_puts(const Function& f) {
  graph::Builder b;
  const std::vector<Tensor> in{b.input("x", f32({70, 6})), b.input("rows", f32({5, 6})),
                               b.input("i", ops::dense(DType::i64, cpu, {5}))};
  const Using use(&b);
  b.set_expand(true);
  const std::vector<Tensor> results = f(in);
  for (size_t i = 0; i < results.size(); ++i) b.output(results[i], i == 0 ? 0 : -1);
  return graph::run_passes(b.take(), graph::standard_passes());
}

// What is computed must be what eager computes; returns how many results lie in x.
size_t puts_in_place(const Function& f) {
  eager::init();
  const graph::Graph g = graph_of_puts(f);
  Compiled c = compile_graph(g);
  if (std::getenv("VITRO_SHOW")) show(c);
  for (const std::vector<int64_t>& list :
       {std::vector<int64_t>{4, 0, 69, 4, 4}, std::vector<int64_t>{1, 2, 3, 4, 5}}) {
    const std::vector<Tensor> inputs{random_tensor({70, 6}), random_tensor({5, 6}, 2),
                                     indices(list)};
    const std::vector<Tensor> want = f({clone(inputs[0]), inputs[1], inputs[2]});
    const std::vector<Tensor> got = c.run(inputs);
    expect_same_bits(inputs[0], want[0]);
    for (size_t i = 1; i < want.size(); ++i) expect_same_bits(got[i - 1], want[i]);
  }
  const Program program(g);
  size_t in_place = 0;
  for (uint32_t n = 0; n < g.size(); ++n) in_place += program.alias_target({n}).n != n;
  return in_place;
}

TEST(InPlace, rows_are_put_where_they_lie) {
  using T = const std::vector<Tensor>&;
  for (const Function& f :
       {Function([](T in) { return std::vector{index_add(in[0], 0, in[2], in[1])}; }),
        Function([](T in) { return std::vector{index_copy(in[0], 0, in[2], in[1])}; }),
        Function([](T in) { return std::vector{index_put(in[0], {in[2]}, in[1])}; }),
        Function([](T in) { return std::vector{index_add(in[0], 0, in[2], exp(in[1]) * 2)}; }),
        Function([](T in) {  // what is computed of the target is complete before
          return std::vector{index_copy(in[0], 0, in[2], slice(in[0], 0, 1, 6) * 2)};
        }),
        Function([](T in) {
          return std::vector{index_add(in[0], 0, in[2], index_select(in[0], 0, in[2]))};
        }),
        Function([](T in) {  // a view of the indices
          const Tensor at = expand(reshape(in[2], {5, 1}), {5, 6});
          return std::vector{scatter_add(in[0], 0, at, in[1])};
        }),
        Function([](T in) {  // twice
          const Tensor once = index_add(in[0], 0, in[2], in[1]);
          return std::vector{index_copy(once, 0, in[2], in[1]), sum(in[1])};
        }),
        Function([](T in) {  // read before and after
          const Tensor put = index_copy(in[0], 0, in[2], in[1]);
          return std::vector{put, sum(put, {1}), exp(in[0])};
        })})
    EXPECT_GE(puts_in_place(f), 1U) << graph::print(graph_of_puts(f));
}

// The bytes that a launch moves do not depend on the rows that stay as they are.
TEST(InPlace, a_put_moves_only_what_changes) {
  eager::init();
  graph::Builder b;
  const Tensor x = b.input("x", f32({1'000'000, 6})), rows = b.input("rows", f32({5, 6}));
  const Tensor i = b.input("i", ops::dense(DType::i64, cpu, {5}));
  const Using use(&b);
  b.output(index_copy(x, 0, i, rows), 0);
  const Compiled c = compile_graph(b.take());
  ASSERT_EQ(c.executable->launches().size(), 1U);
  EXPECT_LE(c.executable->launches()[0].bytes.constant().value(), 1000);
}

TEST(InPlace, what_a_put_may_overwrite_too_early_is_copied) {
  using T = const std::vector<Tensor>&;
  for (const Function& f :
       {Function([](T in) {  // the rows that are put are rows of the target
          return std::vector{index_copy(in[0], 0, in[2], slice(in[0], 0, 1, 6))};
        }),
        Function([](T in) {  // the indices are computed, so a call that fails may have written
          return std::vector{index_copy(in[0], 0, remainder(in[2] + 1, 70), in[1])};
        }),
        Function([](T in) {  // also returned
          const Tensor put = index_copy(in[0], 0, in[2], in[1]);
          return std::vector{put, put};
        }),
        Function([](T in) {  // read as it was, by what needs it as it is
          const Tensor put = index_copy(in[0], 0, in[2], in[1]);
          return std::vector{put, in[0] * sum(put)};
        })})
    EXPECT_EQ(puts_in_place(f), 0U) << graph::print(graph_of_puts(f));
}

}  // namespace
}  // namespace vitro::backend
