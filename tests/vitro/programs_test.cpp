// Regression tests: programs that the fuzzer found and shrank, and similar ones.
#include "agree.h"

namespace vitro {
namespace {

TEST(Programs, an_input_is_overwritten_after_the_last_walk_that_reads_it) {
  expect_agreement(
      [](const Tensors& in) {
        mul_(in[0], in[0]);
        const Tensor middle = mean(in[0], {0}, true);
        return Tensors{cat({minimum(in[0], middle), middle}, 0)};
      },
      [] { return Tensors{numbers({17})}; });
}

TEST(Programs, two_inputs_change_places) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor kept = clone(in[0]);
        copy_(in[0], in[1]);
        copy_(in[1], kept);
        return Tensors{in[0] + 1};
      },
      [] { return Tensors{numbers({3, 5}), numbers({3, 5}) * 2}; });
}

TEST(Programs, a_row_that_is_written_is_read_by_later_walks) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor row = sum(in[1], {1}, true);
        add_(in[0], row);
        return Tensors{softmax(in[1] * in[0], 1)};
      },
      [] { return Tensors{numbers({4, 1}), numbers({4, 33})}; });
}

TEST(Programs, half_precision_is_reduced_and_broadcast) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    expect_agreement(
        [](const Tensors& in) {
          const Tensor least = amin(in[0], {0}, true);
          return Tensors{least, in[0] * 0.5 + least, in[1] * in[1] - 1};
        },
        [&] { return Tensors{numbers({6}, dtype), numbers({1}, dtype)}; });
  }
}

TEST(Programs, a_product_computes_its_right_operand_first) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor more = in[0] + 0.5;
        return Tensors{maximum(more, mm(in[0], more))};
      },
      [] { return Tensors{numbers({6, 6})}; });
}

TEST(Programs, a_part_of_a_value_is_written_no_further_than_its_end) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor product = in[0] * sin(in[0]);
        const Tensor flat = reshape(product, {product.numel()});
        return Tensors{sqrt(slice(flat, 0, 0, 867)), sum(sin(in[0]))};
      },
      [] { return Tensors{numbers({17, 17, 6})}; });
}

TEST(Programs, a_single_element_is_reduced) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor largest = amax(in[0], {0}, false);
        return Tensors{sum(largest) * largest, mean(largest)};
      },
      [] { return Tensors{numbers({17})}; });
}

TEST(Programs, a_segment_knows_its_symbols_only_by_quotients) {
  const auto program = [](const Tensors& in) {
    const Tensor half = slice(in[0], 0, 1, in[0].size(0), 2);
    const float total = sum(in[0]).item<float>();
    return Tensors{softmax(half, 0) * total};
  };
  auto fast = compile(program);
  for (const int64_t n : {6, 9, 17, 8}) {
    const Tensors in{numbers({n})};
    expect_same(fast(in)[0], program(in)[0], "result");
  }
  for (const SegmentReport& segment : fast.report().segments) EXPECT_EQ(segment.why_not, "");
}

TEST(Programs, softmax_of_a_transposed_tensor_is_seen_flat) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor soft = softmax(permute(in[0], {2, 1, 0}) * 2.0, 2);
        return Tensors{to(reshape(soft, {soft.numel()}), DType::f64)};
      },
      [] { return Tensors{numbers({6, 4, 5}, DType::bf16)}; });
}

TEST(Programs, products_in_batches_of_any_count) {
  const auto program = [](const Tensors& in) {
    return Tensors{bmm(in[0], transpose(in[0], 1, 2))};
  };
  auto fast = compile(program);
  for (const int64_t n : {6, 9, 17}) {
    const Tensors in{numbers({n, 6, 4})};
    expect_same(fast(in)[0], program(in)[0], "result");
  }
  for (const SegmentReport& segment : fast.report().segments) EXPECT_EQ(segment.why_not, "");
}

TEST(Programs, softmax_along_single_elements_has_the_strides_of_eager) {
  expect_agreement([](const Tensors& in) { return Tensors{softmax(permute(in[0], {2, 1, 0}), 0)}; },
                   [] { return Tensors{numbers({1, 1, 17}, DType::bf16)}; });
}

TEST(Programs, a_reduction_says_which_row_is_read) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor table = exp(in[0]), largest = reshape(argmax(in[1], 0, false), {1});
        return Tensors{minimum(index_select(table, 0, largest), in[1])};
      },
      [] { return Tensors{numbers({4}), numbers({4})}; });
}

TEST(Programs, what_nobody_reads_is_left_out) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor unread = exp(in[0]) + in[1];
        return Tensors{full_like(unread, 2.0), in[0] * 2};
      },
      [] { return Tensors{numbers({5}), numbers({3, 5})}; });
}

TEST(Programs, tensors_without_elements_go_through_every_kind_of_op) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor &none = in[0], &some = in[1];
        const Tensor index = zeros({0}, DType::i64);
        return Tensors{exp(none) * 2,
                       none + slice(some, 0, 0, 1),
                       sum(none),
                       sum(none, {0}),
                       sum(none, {1}, true),
                       isnan(mean(none, {0})),
                       prod(none, {0}) + some,
                       all(none > 0, {0}),
                       any(none > 0, {0}),
                       sum(to(none, DType::i32), {0}),
                       cat({some, none, some * 2}, 0),
                       cat({zeros({0}), some}, 1),
                       permute(none, {1, 0}),
                       embedding(some, index),
                       index_select(none, 1, to(abs(in[2]), DType::i64)),
                       slice_scatter(some, slice(some, 0, 1, 1), 0, 1, 1),
                       softmax(none, 1),
                       layer_norm(none, {4}),
                       where(none > 0, none, 1),
                       slice(none, 1, 2, 4)};
      },
      [] { return Tensors{numbers({0, 4}), numbers({3, 4}), numbers({5})}; });
}

TEST(Programs, products_over_no_elements_are_zeros) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor &left = in[0], &right = in[1], &bias = in[2];
        return Tensors{mm(left, right),
                       relu(addmm(bias, left, right)),
                       linear(left, t(right), bias) * 2,
                       mm(t(right), t(left)),
                       mm(t(left), zeros({3, 0})),
                       bmm(unsqueeze(left, 0), unsqueeze(right, 0)),
                       bmm(zeros({0, 2, 3}), zeros({0, 3, 5})),
                       matmul(left, select(right, 1, 0))};
      },
      [] { return Tensors{numbers({3, 0}), numbers({0, 4}), numbers({4})}; });
}

TEST(Programs, tensors_without_elements_are_written) {
  expect_agreement(
      [](const Tensors& in) {
        add_(in[0], 1);
        mul_(slice(in[1], 0, 1, 1), 2);
        add_(in[1], sum(in[0]));
        return Tensors{in[0], view(in[0], {-1}) * 2};
      },
      [] { return Tensors{numbers({0, 4}), numbers({3, 4})}; });
}

// No element is divided, so there is no error.
TEST(Programs, no_elements_are_divided_by_zero) {
  expect_agreement([](const Tensors& in) { return Tensors{remainder(in[0], 0)}; },
                   [] { return Tensors{numbers({0}, DType::i64)}; });
}

TEST(Programs, products_of_integers_wrap_as_eager) {
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8}) {
    const auto whole = [dtype](std::initializer_list<int64_t> sizes) {
      return to(numbers(sizes) * 40, dtype);
    };
    expect_agreement(
        [](const Tensors& in) {
          const Tensor &a = in[0], &b = in[1], &bias = in[2];
          return Tensors{mm(a, b) + 1,
                         bmm(unsqueeze(a, 0), unsqueeze(b, 0)),
                         addmm(bias, a, b),
                         linear(a, t(b), bias) * 2,
                         matmul(a, select(b, 1, 0)),
                         mm(t(b), t(a))};
        },
        [&] { return Tensors{whole({37, 70}), whole({70, 21}), whole({21})}; });
  }
}

// 32-bit lanes, truncated to the dtype after every op, give the bits of computing in i64.
TEST(Programs, integers_of_every_width_wrap_as_eager) {
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8}) {
    expect_agreement(
        [](const Tensors& in) {
          const Tensor &x = in[0], &y = in[1], &n = in[2];
          return Tensors{x + y,
                         x * y * y,
                         -x,
                         abs(x),
                         pow(x, n),
                         floor_divide(x, y),
                         div(x, y, "trunc"),
                         fmod(x, y),
                         remainder(x, y),
                         ~x ^ y,
                         clamp(x, -3, 100),
                         x < y,
                         maximum(x, y),
                         sign(x),
                         amax(x),
                         argmin(x * y),
                         sum(x),
                         prod(y, {0}, false, x.dtype()),
                         x * 2.5,
                         where(x > 7, x, y)};
        },
        [dtype] {
          const std::vector<int64_t> edges{
              0,     1,      -1,   2,     -2,    7,     127,        -128,          255, 128,
              32767, -32768, 1000, 65535, -1000, 40000, 2147483647, -2147483648LL, 5,   -5};
          const Tensor x = Tensor::from<int64_t>(edges, {20});
          const Tensor y = where((to(x, dtype) * 3 + 1) == 0, 1, to(x, dtype) * 3 + 1);
          const Tensor n = remainder(arange(20), 11) - 1;
          return Tensors{to(x, dtype), to(where(to(y, dtype) == 0, to(y, dtype) + 1, y), dtype),
                         to(n, dtype)};
        });
  }
}

TEST(Programs, several_results_of_one_op) {
  expect_agreement(
      [](const Tensors& in) {
        const auto [variance, mean] = var_mean(in[0], {1});
        Tensors out{variance + 1, mean};
        for (const Tensor& part : split(exp(in[0]), 2, 1)) out.push_back(part * 2);
        for (const Tensor& row : unbind(in[0])) out.push_back(row);
        for (const Tensor& part : chunk(in[0], 3, 1)) out.push_back(sum(part));
        return out;
      },
      [] { return Tensors{numbers({3, 7})}; });
}

TEST(Programs, writes_through_diagonals_and_overlapping_views) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor x = in[0] * 1;
        mul_(diagonal(x, 1), 3);
        add_(diagonal(in[0]), 1);
        fill_(diagonal(permute(x, {1, 0}), 2), 7);
        return Tensors{x, sum(in[0], {1})};
      },
      [] { return Tensors{numbers({5, 6})}; });
  expect_agreement(
      [](const Tensors& in) {
        add_(in[1], 1);
        mul_(in[2], in[3]);
        return Tensors{in[0] * 2, exp(in[3])};
      },
      [] {
        const Tensor x = numbers({8, 9});
        return Tensors{x, slice(x, 0, 2, 7, 2), permute(slice(x, 1, 0, 8), {1, 0}),
                       slice(x, 1, 1, 9)};
      });
}

// Ops have no side effects: if the result is not used they do not run, and errors in their data are
// not reported.
TEST(Programs, a_mistake_in_data_that_nobody_needs_is_none) {
  const auto program = [](const Tensors& in) {
    const Tensor unread = remainder(in[1], in[1] * 0) + embedding(in[0], in[1] + 1000);
    return Tensors{in[0] * 2};
  };
  const Tensors inputs{numbers({4, 4}), zeros({4}, DType::i64)};
  EXPECT_THROW(program(inputs), Error);
  const Tensors got = compile(program)(inputs);
  expect_same(got[0], inputs[0] * 2, "result");
  const auto reads = [&](const Tensors& in) {
    return Tensors{program(in)[0] + sum(remainder(in[1], in[1] * 0))};
  };
  EXPECT_THROW(compile(reads)(inputs), Error);
}

// Writing into a result changes the input, as in eager.
TEST(Programs, results_that_are_views_share_memory) {
  const auto program = [](const Tensors& in) {
    const Tensor y = exp(in[0]);
    return Tensors{t(in[0]), y, t(y), select(y, 0, 1), in[1], slice(in[1], 0, 1, 3)};
  };
  auto fast = compile(program);
  for (int call = 0; call < 3; ++call) {
    const auto inputs = [] { return Tensors{numbers({3, 4}), numbers({5})}; };
    const Tensors mine = inputs(), theirs = inputs();
    const Tensors want = program(mine), got = fast(theirs);
    for (const Tensors* results : {&want, &got}) {
      fill_(select((*results)[0], 0, 1), 100);
      add_((*results)[2], 1);
      mul_((*results)[5], -1);
    }
    for (size_t i = 0; i < want.size(); ++i) expect_same(got[i], want[i], "result");
    for (size_t i = 0; i < mine.size(); ++i) expect_same(theirs[i], mine[i], "input");
    EXPECT_TRUE(got[0].storage() == theirs[0].storage());
    EXPECT_TRUE(got[1].storage() == got[2].storage());
    EXPECT_TRUE(got[1].storage() == got[3].storage());
    EXPECT_TRUE(got[4].storage() == theirs[1].storage());
  }
}

TEST(Programs, convolutions_are_products_of_patches) {
  expect_agreement(
      [](const Tensors& in) {
        const Tensor y = relu(conv2d(in[0], in[1], in[2], {.padding = {1, 1}}));
        return Tensors{conv2d(y, in[3], {}, {.stride = {2, 1}, .dilation = {1, 2}, .groups = 2})};
      },
      [] {
        return Tensors{numbers({2, 3, 6, 7}), numbers({4, 3, 3, 3}), numbers({4}),
                       numbers({6, 2, 2, 3})};
      });
}

}  // namespace
}  // namespace vitro
