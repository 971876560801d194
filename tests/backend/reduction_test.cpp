// Generated reductions compared with eager, bit by bit: rows and columns, one block and many, whole
// and partial strips, symbolic sizes.
#include <gtest/gtest.h>

#include <functional>

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

using Case = std::vector<int64_t>;
using Program = std::function<std::vector<Tensor>(const Tensor&)>;

Sizes sizes_of_case(const Case& sizes) {
  Sizes out;
  for (const int64_t size : sizes) out.push_back(size);
  return out;
}

void check(const Case& sizes, const Program& f, DType dtype = DType::f32) {
  eager::init();
  const Sizes shape = sizes_of_case(sizes);
  const graph::Graph g =
      graph_of({shape}, [&](std::vector<Tensor> in) { return f(in[0]); }, true, dtype);
  Compiled c = compile_graph(g);
  const Tensor x = to(random_tensor(shape) * (is_floating(dtype) ? 1 : 50), dtype);
  const std::vector<Tensor> want = f(x), got = c.run({x});
  for (size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE(cat("result ", i, " of ", dtype));
    expect_same_bits(got[i], want[i]);
  }
}

TEST(Reduction, rows_of_any_length) {
  for (const int64_t n : {1, 15, 16, 255, 256, 257, 512, 1000, 1024, 4097, 70001}) {
    SCOPED_TRACE(n);
    check({3, n}, [](const Tensor& x) {
      return std::vector<Tensor>{sum(x, {1}),  mean(x * 2, {1}, true),
                                 prod(x, {1}), amax(x, {1}),
                                 argmin(x, 1), exp(x) / sum(exp(x), {1}, true)};
    });
    check({2, 3, n}, [](const Tensor& x) {
      return std::vector<Tensor>{sum(x, {0, 2}), amin(x, {0, 2}), mean(x, {0, 2})};
    });
    check({n}, [](const Tensor& x) { return std::vector<Tensor>{sum(x), sqrt(sum(x * x))}; });
  }
}

TEST(Reduction, columns_of_any_length) {
  for (const int64_t n : {1, 15, 16, 17, 100, 1000}) {
    for (const int64_t columns : {1, 7, 64, 513, 1100}) {
      SCOPED_TRACE(cat(n, " x ", columns));
      check({n, columns}, [](const Tensor& x) {
        return std::vector<Tensor>{
            sum(x, {0}),  mean(exp(x), {0}, true), prod(x, {0}),      amax(x, {0}),
            argmax(x, 0), amin(x, {0}, true),      tanh(sum(x, {0})), x - mean(x, {0}, true)};
      });
    }
  }
}

TEST(Reduction, columns_that_are_swept_again) {
  for (const Case& sizes : {Case{100, 70}, Case{1000, 600}, Case{5000, 40}}) {
    check(sizes, [](const Tensor& x) { return std::vector<Tensor>{softmax(x, 0), var(x, {0})}; });
    check(sizes, [](const Tensor& x) {
      return std::vector<Tensor>{exp(x * 0.25) - sum(exp(x * 0.25), {0})};
    });
  }
}

TEST(Reduction, middle_and_outer_dimensions) {
  for (const Case& sizes : {Case{3, 40, 70}, Case{2, 17, 1030}, Case{20, 5, 3}, Case{4, 1, 100}}) {
    SCOPED_TRACE(cat(sizes[0], " ", sizes[1], " ", sizes[2]));
    check(sizes, [](const Tensor& x) {
      return std::vector<Tensor>{sum(x, {1}),     sum(x, {0}),        sum(x, {0, 1}),
                                 amax(x, {1}),    argmax(x, 1, true), softmax(x, 1),
                                 mean(x, {1, 2}), sum(x, {0, 2})};
    });
  }
  check({3, 4, 20, 33}, [](const Tensor& x) {
    return std::vector<Tensor>{sum(x, {0, 2}), amin(x, {0, 2}), sum(x, {0, 2}, true) + x};
  });
  check({30, 4, 2, 33}, [](const Tensor& x) {
    return std::vector<Tensor>{sum(x, {0, 2}), mean(x, {0, 2, 3}), prod(x, {1, 2})};
  });
}

TEST(Reduction, of_channels_that_lie_side_by_side_reads_them_together) {
  const Program f = [](const Tensor& x) {
    const Tensor image = permute(x, {0, 3, 1, 2});
    return std::vector<Tensor>{sum(image, {0, 2, 3}), mean(image * image, {0, 2, 3})};
  };
  for (const Case& sizes : {Case{3, 10, 10, 40}, Case{5, 7, 7, 64}, Case{2, 40, 41, 24},
                            Case{4, 17, 19, 130}, Case{1, 30, 30, 300}, Case{2, 16, 16, 5}}) {
    SCOPED_TRACE(cat(sizes[0], " ", sizes[1], " ", sizes[2], " ", sizes[3]));
    check(sizes, f);
  }
  const auto source = [&](const Program& of) {
    const graph::Graph g =
        graph_of({{3, 10, 10, 64}}, [&](std::vector<Tensor> in) { return of(in[0]); });
    std::string all;
    for (const auto& kernel : compile_graph(g).report.kernels) all += kernel.source;
    return all;
  };
  EXPECT_EQ(source(f).find("load_strided("), std::string::npos) << source(f);
}

TEST(Reduction, every_dtype) {
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16, DType::i8, DType::i32, DType::i64,
                            DType::u8, DType::boolean}) {
    for (const Case& sizes : {Case{40, 100}, Case{700, 530}, Case{3, 50, 20}}) {
      check(
          sizes,
          [&](const Tensor& x) {
            std::vector<Tensor> out{sum(x, {0}),   sum(x, {-1}), sum(x),      amax(x, {0}),
                                    amin(x, {-1}), any(x, {0}),  all(x, {-1})};
            if (!is_bool(dtype)) out.push_back(argmax(x, 0));
            if (is_floating(dtype)) out.push_back(softmax(x, 0));
            return out;
          },
          dtype);
    }
  }
}

TEST(Reduction, transposed_operands) {
  for (const Case& sizes :
       {Case{70, 300}, Case{300, 70}, Case{1000, 513}, Case{9, 8}, Case{17, 5}}) {
    SCOPED_TRACE(cat(sizes[0], " x ", sizes[1]));
    check(sizes, [](const Tensor& x) {
      return std::vector<Tensor>{sum(t(x), {0}), sum(t(x), {1}), amax(t(x), {0}), softmax(t(x), 0)};
    });
    for (const Program& f : std::vector<Program>{
             [](const Tensor& x) { return std::vector<Tensor>{sum(t(x), {1})}; },
             [](const Tensor& x) { return std::vector<Tensor>{tanh(mean(exp(t(x)), {1}, true))}; },
             [](const Tensor& x) { return std::vector<Tensor>{amax(t(x), {1})}; },
             [](const Tensor& x) { return std::vector<Tensor>{argmin(t(x), 1)}; },
             [](const Tensor& x) { return std::vector<Tensor>{prod(t(x), {1})}; }}) {
      check(sizes, f);
      check(sizes, f, DType::f16);
    }
  }
  check({3, 300, 40}, [](const Tensor& x) {
    return std::vector<Tensor>{sum(transpose(x, 1, 2), {2}), argmax(transpose(x, 1, 2), 2)};
  });
}

TEST(Reduction, sizes_that_are_symbols) {
  eager::init();
  const Size rows(12, sym::Expr::symbol("s0")), columns(40, sym::Expr::symbol("s1"));
  const graph::Graph g = graph_of({{rows, columns}}, [](std::vector<Tensor> in) {
    const Tensor& x = in[0];
    return std::vector<Tensor>{sum(x, {0}),      sum(x, {1}),   sum(x),
                               argmax(x, 0),     softmax(x, 0), softmax(x, 1),
                               mean(x * x, {0}), amax(x, {0}),  x - mean(x, {0})};
  });
  const graph::Graph of_turned = graph_of({{rows, columns}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sum(t(in[0]), {1})};
  });
  Compiled c = compile_graph(g), turned = compile_graph(of_turned);
  for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{
           {2, 3}, {16, 16}, {17, 100}, {300, 5}, {5, 300}, {1000, 700}, {100, 5000}}) {
    SCOPED_TRACE(cat(n, " x ", m));
    const Tensor x = random_tensor({n, m});
    const std::vector<int64_t> symbols{n, m};
    const std::vector<Tensor> want = graph::interpret(g, std::vector<Operand>{x}, symbols);
    const std::vector<Tensor> got = c.run({x}, symbols);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
    expect_same_bits(turned.run({x}, symbols)[0], sum(t(x), {1}));
  }
}

TEST(Reduction, a_strip_of_columns_is_reduced_in_one_kernel) {
  eager::init();
  const Compiled c = compile_graph(graph_of({{1000, 1000}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{softmax(in[0] * 0.5, 0)};
  }));
  EXPECT_EQ(c.report.kernels.size(), 1U);
}

// The number of launches of a program of one tensor, and the number of tasks of the first one.
struct Launches {
  size_t count;
  int64_t first_tasks;
};
Launches launches_of(const Case& sizes, const Program& f) {
  eager::init();
  const Compiled c = compile_graph(
      graph_of({sizes_of_case(sizes)}, [&](std::vector<Tensor> in) { return f(in[0]); }));
  if (std::getenv("VITRO_SHOW")) show(c);
  const std::vector<Launch>& launches = c.executable->launches();
  return {launches.size(), *launches[0].tasks.constant()};
}

TEST(Reduction, long_reductions_are_cut_into_pieces) {
  const auto one = [](auto f) {
    return [f](const Tensor& x) { return std::vector<Tensor>{f(x)}; };
  };
  const Program all = one([](const Tensor& x) { return sum(x); });
  const Program rows = one([](const Tensor& x) { return sqrt(sum(x * x, {1})); });
  const Program columns = one([](const Tensor& x) { return amax(x, {0}); });
  const auto expect_pieces = [](const Case& sizes, const Program& f, int64_t tasks) {
    SCOPED_TRACE(cat(sizes[0], " ", sizes.back()));
    const Launches made = launches_of(sizes, f);
    EXPECT_EQ(made.count, 2U);
    EXPECT_EQ(made.first_tasks, tasks);
  };
  expect_pieces({1 << 20}, all, 16);               // of 256 KiB
  expect_pieces({1024, 1024}, all, 16);            // two reduced dimensions are merged
  expect_pieces({3, (1 << 17) + 1}, rows, 3 * 3);  // the last one is shorter
  expect_pieces({512, 512}, columns, 4);           // one strip of 512 columns
  expect_pieces({2048, 2048}, columns, 4 * 16);    // strips and pieces
  expect_pieces({1 << 18, 8}, one([](const Tensor& x) { return sum(t(x), {1}); }), 32);  // 8 MiB
}

TEST(Reduction, reductions_that_are_short_or_many_are_not_cut) {
  const Program all = [](const Tensor& x) { return std::vector<Tensor>{sum(x)}; };
  const Program rows = [](const Tensor& x) { return std::vector<Tensor>{sum(x, {1})}; };
  const Program columns = [](const Tensor& x) { return std::vector<Tensor>{sum(x, {0})}; };
  const Program outer = [](const Tensor& x) { return std::vector<Tensor>{sum(x, {0, 2})}; };
  const Program turned = [](const Tensor& x) { return std::vector<Tensor>{sum(t(x), {1})}; };
  for (const auto& [sizes, f] : std::vector<std::pair<Case, Program>>{
           {{100'000}, all},       // less than two pieces
           {{64, 1 << 17}, rows},  // as many reductions as the threads need
           {{100, 1 << 15}, columns},
           {{200, 3, 5000}, outer},  // two loops of blocks
           {{4096, 1000},
            turned},  // enough strips of rows; their pieces store the states of all lanes
       }) {
    SCOPED_TRACE(cat(sizes[0], " ", sizes.back()));
    EXPECT_EQ(launches_of(sizes, f).count, 1U);
  }
}

TEST(Reduction, pieces_give_the_bits_of_one_kernel) {
  for (const Case& sizes : {Case{600'077}, Case{3, 400'001}, Case{5000, 70}, Case{300'001, 3},
                            Case{600'001, 1}, Case{2, 3000, 600}}) {
    SCOPED_TRACE(cat(sizes[0], " ", sizes.back()));
    for (const int dim : {0, static_cast<int>(sizes.size()) / 2}) {
      check(sizes, [&](const Tensor& x) {
        return std::vector<Tensor>{sum(x, {dim}), amax(x, {dim}, true), argmin(x, dim),
                                   any(x > 1, {dim})};
      });
      check(sizes, [&](const Tensor& x) {
        const Tensor y = exp(x * 0.5);  // stored, and also reduced
        return std::vector<Tensor>{y, tanh(mean(y, {dim})), prod(x, {dim}, true)};
      });
    }
  }
  const Program turned = [](const Tensor& x) {
    return std::vector<Tensor>{sum(t(x), {1}), amax(t(x), {1}), argmax(t(x), 1)};
  };
  for (const DType dtype : {DType::f16, DType::f32, DType::i32}) check({70'001, 9}, turned, dtype);
}

TEST(Reduction, pieces_of_a_size_that_is_a_symbol) {
  eager::init();
  const Size n(12, sym::Expr::symbol("n"));
  const graph::Graph g = graph_of({{n}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sum(in[0]), argmax(in[0], 0)};
  });
  Compiled c = compile_graph(g);
  for (const int64_t size : {2, 300, 65'536, 65'537, 1'000'000}) {
    SCOPED_TRACE(size);
    const Tensor x = random_tensor({size});
    const std::vector<Tensor> got = c.run({x}, {size});
    expect_same_bits(got[0], sum(x));
    expect_same_bits(got[1], argmax(x, 0));
  }
}

// Clang takes most of its time for what is inlined, such as the total of a tree.
TEST(Reduction, the_lanes_of_turned_rows_share_the_code_of_their_totals) {
  eager::init();
  const Compiled c = compile_graph(graph_of({{4096, 1000}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sum(t(in[0]), {1})};
  }));
  ASSERT_EQ(c.report.kernels.size(), 1U);
  const std::string& source = c.report.kernels[0].source;
  const size_t first = source.find("tree_total(");
  ASSERT_NE(first, std::string::npos) << source;
  EXPECT_EQ(source.find("tree_total(", first + 1), std::string::npos) << source;
}

TEST(Reduction, sweeps_of_few_long_reductions_are_kernels) {
  const Program softmax_of_columns = [](const Tensor& x) {
    return std::vector<Tensor>{softmax(x, 0)};
  };
  const Program centred = [](const Tensor& x) {
    return std::vector<Tensor>{x - mean(x, {0}, true)};
  };
  // The maximum and the sum, each in pieces; the quotient.
  EXPECT_EQ(launches_of({512, 512}, softmax_of_columns).count, 5U);
  EXPECT_EQ(launches_of({2048, 2048}, centred).count, 3U);
  EXPECT_EQ(launches_of({1 << 20}, centred).count, 3U);
  // Reductions that are still in the cache for the next sweep, or that are many.
  EXPECT_EQ(launches_of({1000, 1000}, centred).count, 1U);
  EXPECT_EQ(
      launches_of({8, 1 << 20}, [](const Tensor& x) { return std::vector<Tensor>{softmax(x, 1)}; })
          .count,
      1U);
}

TEST(Reduction, sweeps_that_are_kernels_give_the_bits_of_one) {
  for (const Case& sizes : {Case{512, 512}, Case{3000, 300}, Case{2, 300'001}, Case{1 << 20, 2}}) {
    SCOPED_TRACE(cat(sizes[0], " ", sizes[1]));
    for (const int dim : {0, 1}) {
      check(sizes, [&](const Tensor& x) {
        return std::vector<Tensor>{softmax(x, dim), sqrt(var(x, {dim}) + 1)};
      });
      check(sizes, [&](const Tensor& x) {
        const Tensor y = tanh(x), centre = mean(y, {dim}, true), off = y - centre;
        const Tensor scale = rsqrt(mean(off * off, {dim}, true) + 1e-5);
        return std::vector<Tensor>{off * scale, centre, exp(scale) * x, sum(off, {dim})};
      });
    }
  }
}

TEST(Reduction, a_costly_value_is_kept_for_the_next_sweep_where_it_is_small) {
  eager::init();
  const auto temporaries = [](int64_t n) {
    const Compiled c = compile_graph(graph_of(
        {{n, n}}, [](std::vector<Tensor> in) { return std::vector<Tensor>{softmax(in[0], 0)}; }));
    return c.report.temporaries_bytes;
  };
  EXPECT_GE(temporaries(512), 512 * 512 * 4);
  EXPECT_LT(temporaries(2048), 2048 * 2048 * 4 / 2);
}

// A call would pass vectors through memory if they do not fit into one register.
TEST(Reduction, the_merge_of_a_tree_is_inlined) {
  eager::init();
  const Compiled c = compile_graph(graph_of(
      {{100, 1000}}, [](std::vector<Tensor> in) { return std::vector<Tensor>{sum(in[0], {1})}; }));
  EXPECT_NE(c.report.kernels[0].source.find("__attribute__((always_inline))"), std::string::npos);
}

// The number of scratch rows along the reduced dimension in a program's only kernel.
size_t kept_rows(const graph::Graph& g) {
  eager::init();
  Compiled c = compile_graph(g);
  EXPECT_EQ(c.report.kernels.size(), 1U);
  const std::string& text = c.report.kernels[0].source;
  size_t rows = 0;
  const std::string_view row = "_row[";  // in its declaration
  for (size_t at = text.find(row); at != std::string::npos; at = text.find(row, at + 1)) ++rows;
  return rows;
}

TEST(Reduction, the_memory_of_a_result_keeps_what_the_last_sweep_reads) {
  const auto of = [](const Function& f) { return graph_of({{50, 1000}}, f); };
  EXPECT_EQ(
      kept_rows(of([](std::vector<Tensor> in) { return std::vector<Tensor>{softmax(in[0], 1)}; })),
      0U);
  // A result of another dtype, and one that is an input which the sweep still reads.
  EXPECT_EQ(kept_rows(of([](std::vector<Tensor> in) {
              return std::vector<Tensor>{to(softmax(in[0], 1), DType::f16)};
            })),
            1U);
  const graph::Graph in_place = graph::parse(R"(graph(x: f32[50, 1000]) {
    most: f32[50, 1] = amax(x, dim=[1], keepdim=true)
    off: f32[50, 1000] = sub(x, most)
    made: f32[50, 1000] = exp(off)
    all: f32[50, 1] = sum(made, dim=[1], keepdim=true)
    y: f32[50, 1000] = div(made, all)
    return y -> x
  })")
                                    .value();
  EXPECT_EQ(kept_rows(in_place), 1U);
  for (const int64_t n : {300, 1000, 70'001}) {
    check({20, n}, [](const Tensor& x) {
      const Tensor y = log_softmax(x, 1), z = softmax(x * 2, 1);
      return std::vector<Tensor>{y, z, y * z, to(z, DType::f16)};
    });
    check({20, n}, [](const Tensor& x) { return std::vector<Tensor>{log_softmax(x, 1)}; });
  }
}

TEST(Reduction, quick_reductions_with_a_rest_are_unrolled) {
  eager::init();
  const auto is_unrolled = [](int64_t n, const Program& f) {
    const Compiled c =
        compile_graph(graph_of({{100, n}}, [&](std::vector<Tensor> in) { return f(in[0]); }));
    return c.report.kernels[0].source.find("unroll_count") != std::string::npos;
  };
  EXPECT_TRUE(is_unrolled(1000, [](const Tensor& x) { return std::vector<Tensor>{sum(x, {1})}; }));
  // No rest: the compiler knows the number of iterations. A function: loop overhead is negligible.
  EXPECT_FALSE(is_unrolled(1024, [](const Tensor& x) { return std::vector<Tensor>{sum(x, {1})}; }));
  EXPECT_FALSE(
      is_unrolled(1000, [](const Tensor& x) { return std::vector<Tensor>{sum(exp(x), {1})}; }));
}

}  // namespace
}  // namespace vitro::backend
