// Storage offsets of tensors inside compiled functions.
#include "capture/testing.h"

namespace vitro {
namespace {

Tensor twice_from_the_start(const Tensor& x) {
  return x.meta().offset == 0 ? mul(x, 2.0) : mul(x, 3.0);
}

// Adds the offsets of x, of a view of it, of a view of that, of a computed tensor and of its view.
Tensor offsets_inside(const Tensor& x) {
  const Tensor window = slice(x, 0, 1), again = slice(window, 0, 1, 4, 2), made = exp(window),
               part = slice(made, 0, 1);
  Tensor out = again;
  for (const Tensor& t : {x, window, again, made, part})
    out = add(out, static_cast<double>(t.meta().offset.value()));
  return out;
}

TEST(Offset, of_an_argument_is_what_eager_sees) {
  auto f = compile(twice_from_the_start, graphs());
  const Tensor base = counted({8});
  for (const int64_t first : {1, 0, 2, 0, 1}) {
    const Tensor x = slice(base, 0, first, first + 5);
    EXPECT_EQ(values(f(x)), values(twice_from_the_start(x))) << first;
  }
  EXPECT_EQ(f.report().segments.size(), 2U);
}

TEST(Offset, of_views_counts_from_the_storage) {
  auto f = compile(offsets_inside, graphs());
  const Tensor base = counted({40});
  for (const int64_t first : {0, 3, 5, 0}) {
    const Tensor x = slice(base, 0, first, 30 + first);
    EXPECT_EQ(values(f(x)), values(offsets_inside(x))) << first;
  }
}

TEST(Offset, of_views_with_symbols_counts_from_the_storage) {
  const auto program = [](const Tensor& x) {
    const Tensor row = select(x, 0, 2);
    return add(row, static_cast<double>(row.meta().offset.value()));
  };
  auto f = compile(program, graphs());
  const Tensor base = counted({100});
  for (const int64_t n : {3, 4, 5, 6}) {
    const Tensor x = view(slice(base, 0, n, n + 4 * n), {4, n});
    EXPECT_EQ(values(f(x)), values(program(x))) << n;
  }
}

TEST(Offset, behind_a_break_is_what_eager_sees) {
  const auto program = [](const Tensor& x) {
    const Tensor window = slice(x, 0, 1);
    const double first = window.const_data<float>()[0];
    return mul(window, first + static_cast<double>(window.meta().offset.value()));
  };
  auto f = compile(program, graphs());
  const Tensor base = counted({40});
  for (const int64_t first : {0, 3, 5}) {
    for (const int64_t n : {4, 6, 9}) {
      const Tensor x = slice(base, 0, first, first + n);
      EXPECT_EQ(values(f(x)), values(program(x))) << first << ", " << n;
    }
  }
}

TEST(Offset, given_to_an_op_is_a_number_like_any_other) {
  const auto program = [](const Tensor& x, const Tensor& of) {
    return slice(x, 0, of.meta().offset, of.meta().offset + 2);
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({40}), base = counted({40});
  for (const int64_t first : {1, 2, 3, 4, 5}) {
    const Tensor of = slice(base, 0, first, first + 3);
    EXPECT_EQ(values(f(x, of)), values(program(x, of))) << first;
  }
  EXPECT_LE(f.report().segments.size(), 2U);
}

TEST(Offset, that_nobody_asks_for_is_no_guard) {
  const auto program = [](const Tensor& x) {
    const auto step = static_cast<double>(x.meta().strides[0].value());
    return add(slice(x, 0, 1), step);
  };
  auto f = compile(program, graphs()), cold = compile(program, frozen());
  const Tensor base = counted({40});
  for (int64_t first = 0; first < 20; ++first) {
    const Tensor x = slice(base, 0, first, first + 5);
    EXPECT_EQ(values(f(x)), values(program(x)));
    EXPECT_EQ(values(cold(x)), values(program(x)));
  }
  EXPECT_EQ(f.report().segments.size(), 1U);
  EXPECT_EQ(cold.report().segments.size(), 1U);
}

TEST(Offset, that_a_frozen_function_asks_for_is_a_guard) {
  int runs = 0;
  auto f = compile([&](const Tensor& x) { return ++runs, twice_from_the_start(x); }, frozen());
  const Tensor base = counted({16});
  for (const int64_t first : {0, 1, 5, 0, 3, 7}) {
    const Tensor x = slice(base, 0, first, first + 5);
    EXPECT_EQ(values(f(x)), values(twice_from_the_start(x))) << first;
  }
  EXPECT_EQ(runs, 2);
}

TEST(Offset, of_a_view_in_a_frozen_function_is_a_guard) {
  int runs = 0;
  auto f = compile([&](const Tensor& x) { return ++runs, offsets_inside(x); }, frozen());
  const Tensor base = counted({40});
  for (const int64_t first : {0, 3, 5, 0, 3, 5}) {
    const Tensor x = slice(base, 0, first, 30 + first);
    EXPECT_EQ(values(f(x)), values(offsets_inside(x))) << first;
  }
  EXPECT_EQ(runs, 3);
}

TEST(Offset, given_to_an_op_of_a_frozen_function_is_of_the_call) {
  int runs = 0;
  const auto program = [&](const Tensor& x, const Tensor& of) {
    ++runs;
    return slice(x, 0, of.meta().offset, of.meta().offset + 2);
  };
  auto f = compile(program, frozen());
  const Tensor x = counted({40}), base = counted({40});
  for (const int64_t first : {1, 2, 30, 4, 38}) {
    const Tensor of = slice(base, 0, first, first + 2);
    EXPECT_EQ(values(f(x, of)), values(slice(x, 0, first, first + 2))) << first;
  }
  EXPECT_LE(runs, 2);
}

}  // namespace
}  // namespace vitro
