// In-place writes and aliases in compiled functions: values, shared memory, strides and offsets.
#include "capture/testing.h"

namespace vitro {
namespace {

template <class F>
void same_as_eager(F program, const std::vector<Tensor>& inputs) {
  const auto copies = [&] {
    std::vector<Tensor> out;
    for (const Tensor& t : inputs) out.push_back(clone(t));
    return out;
  };
  auto f = compile(program, graphs());
  for (int call = 0; call < 3; ++call) {
    const std::vector<Tensor> a = copies(), b = copies();
    const std::vector<Tensor> want = program(a), got = f(b);
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(values(got[i]), values(want[i])) << "result " << i << " of call " << call;
      EXPECT_EQ(got[i].impl()->strides, want[i].impl()->strides) << "result " << i;
      EXPECT_EQ(got[i].impl()->offset, want[i].impl()->offset) << "result " << i;
      for (size_t k = 0; k < i; ++k)
        EXPECT_EQ(got[i].storage() == got[k].storage(), want[i].storage() == want[k].storage());
      for (size_t k = 0; k < a.size(); ++k)
        EXPECT_EQ(got[i].storage() == b[k].storage(), want[i].storage() == a[k].storage());
    }
    for (size_t k = 0; k < a.size(); ++k) EXPECT_EQ(values(b[k]), values(a[k])) << "input " << k;
  }
  expect_sound_graphs(f.report());
  for (const SegmentReport& s : f.report().segments) EXPECT_TRUE(s.compiled) << s.why_not;
}

using List = std::vector<Tensor>;

TEST(Mutation, of_an_input_is_written_back) {
  same_as_eager(
      [](const List& in) {
        add_(in[0], 1.0);
        mul_(in[0], in[1]);
        return List{add(in[0], in[1])};
      },
      {counted({2, 3}), counted({3})});
}

TEST(Mutation, of_a_view_of_an_input_reaches_the_input) {
  same_as_eager(
      [](const List& in) {
        mul_(slice(in[0], 1, 1, 3), 10.0);
        add_(select(in[0], 0, 0), in[1]);
        exp_(permute(slice(in[0], 0, 1, 2), {1, 0}));
        return List{sum(in[0], {0})};
      },
      {counted({3, 4}, 0.1F), counted({4}, 0.1F)});
}

TEST(Mutation, goes_through_chains_of_views) {
  same_as_eager(
      [](const List& in) {
        const Tensor y = add(in[0], 0.0);
        const Tensor v = select(permute(view(y, {2, 2, 3}), {2, 0, 1}), 0, 1);
        add_(v, 100.0);
        const Tensor w = unsqueeze(slice(y, 0, 1, 2), 0);
        mul_(w, 2.0);
        return List{y, v, squeeze(w)};
      },
      {counted({2, 6})});
}

TEST(Mutation, keeps_the_d_type_of_what_is_written) {
  same_as_eager(
      [](const List& in) {
        const Tensor wide = to(in[1], DType::f64);
        add_(in[0], wide);
        return List{in[0]};
      },
      {counted({3}), counted({3})});
}

TEST(Mutation, reads_before_and_after_differ) {
  same_as_eager(
      [](const List& in) {
        const Tensor view_of = slice(in[0], 0, 0, 2);
        const Tensor before = add(view_of, 0.0);
        add_(in[0], 5.0);
        const Tensor after = add(view_of, 0.0);
        return List{before, after, view_of};
      },
      {counted({4})});
}

TEST(Mutation, copy_and_fill) {
  same_as_eager(
      [](const List& in) {
        const Tensor y = zeros({4, 4});
        copy_(select(y, 1, 2), in[0]);
        fill_(select(y, 0, 3), 7.0);
        copy_(in[0], select(y, 0, 1));
        return List{y};
      },
      {counted({4})});
}

TEST(Mutation, returns_the_tensor_itself) {
  auto f = compile([](const Tensor& x) { return Tensor(add_(x, 1.0)); }, graphs());
  const Tensor x = vec({1});
  EXPECT_TRUE(f(x).same_as(x));
  EXPECT_TRUE(f(x).same_as(x));
  EXPECT_EQ(values(x), (std::vector<float>{3}));
}

TEST(Mutation, a_write_moves_the_version) {
  auto f = compile([](const Tensor& x) { add_(x, 1.0); }, graphs());
  const Tensor x = vec({1});
  f(x);
  const uint64_t version = x.storage().version();
  f(x);
  EXPECT_GT(x.storage().version(), version);
}

TEST(View, of_an_input_shares_its_memory) {
  same_as_eager([](const List& in) { return List{slice(in[0], 0, 1, 3), in[0]}; },
                {counted({4, 2})});
}

TEST(View, of_a_result_shares_the_results_memory) {
  same_as_eager(
      [](const List& in) {
        const Tensor y = exp(in[0]);
        return List{permute(y, {1, 0}), y, slice(y, 1, 1, 2)};
      },
      {counted({2, 3}, 0.1F)});
}

TEST(View, of_a_result_that_is_not_itself_returned) {
  same_as_eager([](const List& in) { return List{slice(exp(in[0]), 0, 1, 2)}; },
                {counted({4}, 0.1F)});
}

TEST(View, of_a_larger_tensor_as_input_keeps_its_offset) {
  auto f = compile([](const Tensor& x) { return slice(x, 0, 1, 3); }, graphs());
  const Tensor big = counted({10});
  for (const int64_t from : {0, 2, 4}) {
    const Tensor part = slice(big, 0, from, from + 5), want = slice(part, 0, 1, 3);
    const Tensor got = f(part);
    EXPECT_EQ(values(got), values(want));
    EXPECT_TRUE(got.storage() == big.storage());
  }
}

TEST(Aliases, inputs_that_overlap_where_one_is_written_are_windows_of_one_base) {
  const auto program = [](const Tensor& a, const Tensor& b) {
    add_(a, 1.0);
    return mul(b, 2.0);
  };
  auto f = compile(program, graphs());
  for (const int64_t from : {2, 1, 2, 3}) {
    const Tensor x = counted({7}), y = counted({7});
    EXPECT_EQ(values(f(slice(x, 0, 0, 4), slice(x, 0, from, from + 4))),
              values(program(slice(y, 0, 0, 4), slice(y, 0, from, from + 4))));
    EXPECT_EQ(values(x), values(y));
  }
  EXPECT_TRUE(f.report().fallbacks.empty());
  expect_sound_graphs(f.report());
  EXPECT_NE(graph::print(f.report().segments[0].graph).find("as_strided_scatter"),
            std::string::npos);
}

TEST(Aliases, overlapping_inputs_may_vary_in_size) {
  const auto program = [](const Tensor& whole, const Tensor& part) {
    mul_(part, 10.0);
    add_(whole, 1.0);
    return sum(part);
  };
  auto f = compile(program, graphs());
  for (const int64_t n : {4, 6, 9, 3}) {
    const Tensor x = counted({n, 5}), y = counted({n, 5});
    EXPECT_EQ(values(f(x, slice(x, 1, 1, 3))), values(program(y, slice(y, 1, 1, 3))));
    EXPECT_EQ(values(x), values(y));
  }
  EXPECT_TRUE(f.report().fallbacks.empty());
  EXPECT_LE(f.report().segments.size(), 2U);
}

TEST(Aliases, windows_that_are_turned_round_overlap_too) {
  const auto program = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    add_(a, b);
    mul_(select(b, 0, 1), 3.0);
    return sub(sum(c), a);
  };
  auto f = compile(program, graphs());
  for (int call = 0; call < 2; ++call) {
    const Tensor x = counted({4, 4}), y = counted({4, 4});
    const auto rows = [](const Tensor& t) { return slice(t, 0, 1, 3); };
    EXPECT_EQ(values(f(x, permute(x, {1, 0}), rows(x))),
              values(program(y, permute(y, {1, 0}), rows(y))));
    EXPECT_EQ(values(x), values(y));
  }
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, a_tensor_that_repeats_its_elements_is_written_through_a_view_that_does_not) {
  const auto program = [](const Tensor& x) {
    add_(select(x, 0, 1), 1.0);
    mul_(slice(select(x, 0, 2), 0, 1, 3), 10.0);
    return sum(x, {1});
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({4}), y = counted({4});
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(values(f(expand(x, {3, 4}))), values(program(expand(y, {3, 4}))));
    EXPECT_EQ(values(x), values(y));
  }
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, a_result_of_an_overlapping_input_keeps_its_place) {
  auto f = compile(
      [](const Tensor& a, const Tensor& b) {
        add_(a, 1.0);
        return slice(b, 0, 1, 3);
      },
      graphs());
  const Tensor x = counted({6});
  const Tensor got = f(slice(x, 0, 0, 4), slice(x, 0, 2, 6));
  EXPECT_TRUE(got.storage() == x.storage());
  EXPECT_EQ(values(got), (std::vector<float>{4, 4}));
}

TEST(Mutation, through_a_diagonal) {
  const auto program = [](const Tensor& x) {
    add_(diagonal(x, 1), 5.0);
    fill_(diagonal(x, -1), 9.0);
    return sum(x);
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({3, 4}), y = counted({3, 4});
  EXPECT_EQ(values(f(x)), values(program(y)));
  EXPECT_EQ(values(x), values(y));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, a_write_into_one_row_of_a_repeated_tensor_is_seen_in_all_rows) {
  const auto program = [](const Tensor& rows) {
    add_(select(rows, 0, -1), 1.0);
    return mul(rows, 2.0);
  };
  auto f = compile(program, graphs());
  EXPECT_EQ(values(f(expand(counted({4}), {3, 4}))), values(program(expand(counted({4}), {3, 4}))));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, inputs_apart_in_one_storage_are_two_tensors) {
  auto f = compile(
      [](const Tensor& a, const Tensor& b) {
        add_(a, b);
        return mul(b, 2.0);
      },
      graphs());
  const Tensor x = counted({6});
  EXPECT_EQ(values(f(slice(x, 0, 0, 3), slice(x, 0, 3, 6))), (std::vector<float>{6, 8, 10}));
  EXPECT_EQ(values(x), (std::vector<float>{3, 5, 7, 3, 4, 5}));
  EXPECT_TRUE(f.report().fallbacks.empty());
  // The same shapes, but overlapping: the distance is a guard.
  EXPECT_EQ(values(f(slice(x, 0, 0, 3), slice(x, 0, 1, 4))),
            (std::vector<float>{2 * 12.0F, 2 * 10.0F, 6}));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, two_handles_of_one_window_are_one_tensor) {
  const auto program = [](const Tensor& a, const Tensor& b) {
    add_(a, 1.0);
    mul_(b, 3.0);
    return add(a, b);
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({4}), y = counted({4});
  EXPECT_EQ(values(f(slice(x, 0, 0, 4), slice(x, 0, 0, 4))),
            values(program(slice(y, 0, 0, 4), slice(y, 0, 0, 4))));
  EXPECT_EQ(values(x), values(y));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, a_write_through_an_expanded_view_that_repeats_nothing_is_compiled) {
  const auto program = [](const Tensor& x, const Tensor& y) {
    add_(expand(x, {1, 4}), 1.0);
    add_(expand(slice(x, 0, 1, 3), {-1}), 2.0);
    add_(expand(y, {0, 4}), 3.0);
    return add(x, y);
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({4}), y = counted({4}), z = counted({1, 4});
  EXPECT_EQ(values(f(x, z)), values(program(y, z)));
  EXPECT_EQ(values(x), values(y));
  EXPECT_EQ(values(z), values(counted({1, 4})));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, a_write_into_one_of_the_rows_that_an_expanded_view_repeats_is_compiled) {
  const auto program = [](const Tensor& x, const Tensor& y) {
    const Tensor z = mul(y, 2.0);
    add_(select(expand(x, {3, 4}), 0, -1), 1.0);
    add_(slice(permute(expand(slice(z, 1, 1, 2), {3, 5}), {1, 0}), 0, 2, 3), 4.0);
    return add(z, select(x, 0, 3));
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({4}), y = counted({4});
  EXPECT_EQ(values(f(x, counted({3, 2}))), values(program(y, counted({3, 2}))));
  EXPECT_EQ(values(x), values(y));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, a_write_into_every_other_column_of_overlapping_windows_is_compiled) {
  const auto program = [](const Tensor& x) {
    add_(slice(as_strided(x, {2, 3}, {1, 1}), 1, 0, 4, 2), 10.0);
    return mul(x, 2.0);
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({4}), y = counted({4});
  EXPECT_EQ(values(f(x)), values(program(y)));
  EXPECT_EQ(values(x), values(y));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Aliases, a_write_through_a_view_that_repeats_is_the_same_error_as_eager) {
  auto f = compile([](const Tensor& x) { add_(expand(x, {3, 2}), 1.0); }, graphs());
  std::string eager_text, compiled_text;
  const Tensor x = counted({2});
  try {
    add_(expand(x, {3, 2}), 1.0);
  } catch (const Error& e) {
    eager_text = e.message();
  }
  try {
    f(x);
  } catch (const Error& e) {
    compiled_text = e.message();
  }
  EXPECT_FALSE(eager_text.empty());
  EXPECT_EQ(compiled_text, eager_text);
}

}  // namespace
}  // namespace vitro
