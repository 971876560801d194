// Puts in place: they write what the function returns, only where it differs, and nothing if an
// index is out of range.
#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/runtime/memory.h"

namespace vitro {
namespace {

using InPlace = std::function<void(const Tensor& x, const Tensor& at, const Tensor& rows)>;
struct Form {
  std::string_view name;
  InPlace write;
  std::function<Tensor(const Tensor& x, const Tensor& at, const Tensor& rows)> made;
};
Tensor for_each_column(const Tensor& at, const Tensor& rows) {
  return expand(unsqueeze(at, 1), rows.sizes());
}
const std::vector<Form>& forms() {
  using T = const Tensor&;
  static const auto& all = *new std::vector<Form>{
      {"index_add_", [](T x, T at, T rows) { index_add_(x, 0, at, rows); },
       [](T x, T at, T rows) { return index_add(x, 0, at, rows); }},
      {"index_add_ with alpha", [](T x, T at, T rows) { index_add_(x, 0, at, rows, 3); },
       [](T x, T at, T rows) { return index_add(x, 0, at, rows, 3); }},
      {"index_copy_", [](T x, T at, T rows) { index_copy_(x, 0, at, rows); },
       [](T x, T at, T rows) { return index_copy(x, 0, at, rows); }},
      {"index_put_", [](T x, T at, T rows) { index_put_(x, std::vector<Tensor>{at}, rows); },
       [](T x, T at, T rows) { return index_put(x, {at}, rows); }},
      {"index_put_ accumulate",
       [](T x, T at, T rows) { index_put_(x, std::vector<Tensor>{at}, rows, true); },
       [](T x, T at, T rows) { return index_put(x, {at}, rows, true); }},
      {"scatter_", [](T x, T at, T rows) { scatter_(x, 0, for_each_column(at, rows), rows); },
       [](T x, T at, T rows) { return scatter(x, 0, for_each_column(at, rows), rows); }},
      {"scatter_ a number", [](T x, T at, T rows) { scatter_(x, 0, for_each_column(at, rows), 7); },
       [](T x, T at, T rows) { return scatter(x, 0, for_each_column(at, rows), 7); }},
      {"scatter_add_",
       [](T x, T at, T rows) { scatter_add_(x, 0, for_each_column(at, rows), rows); },
       [](T x, T at, T rows) { return scatter_add(x, 0, for_each_column(at, rows), rows); }}};
  return all;
}
const std::vector<int64_t>& places() {
  static const std::vector<int64_t> list{7, 0, 7, 39};
  return list;
}

TEST(PutInPlace, writes_what_the_function_returns) {
  init();
  const Tensor at = Tensor::from(places(), {4});
  for (const Form& form : forms()) {
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::c64}) {
      SCOPED_TRACE(cat(form.name, " of ", dtype));
      const auto numbers = [&](int64_t n) { return to(reshape(arange(n * 6), {n, 6}), dtype); };
      const Tensor rows = numbers(4);
      for (const bool transposed : {false, true}) {
        const Tensor x = transposed ? t(clone(t(numbers(40)))) : numbers(40);
        const Tensor want = form.made(x, at, rows);
        form.write(x, at, rows);
        EXPECT_TRUE(equal(x, want));
      }
    }
  }
}

TEST(PutInPlace, an_index_that_is_out_of_range_leaves_the_target_as_it_was) {
  init();
  const Tensor at = Tensor::from(std::vector<int64_t>{7, 0, 40}, {3}), rows = ones({3, 6});
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    const Tensor x = zeros({40, 6});
    EXPECT_THROW(form.write(x, at, rows), Error);
    EXPECT_TRUE(equal(x, zeros({40, 6})));
    auto fast = compile([&](const Tensor& to, const Tensor& places) {
      form.write(to, places, rows);
      return sum(to);
    });
    for (int i = 0; i < 3; ++i) {
      const Tensor y = zeros({40, 6});
      EXPECT_THROW((void)fast(y, at).const_data(), Error);
      EXPECT_TRUE(equal(y, zeros({40, 6})));
      const Tensor fitting = Tensor::from(std::vector<int64_t>{7, 0, 39}, {3});
      const Tensor want = form.made(y, fitting, rows);
      EXPECT_TRUE(equal(fast(y, fitting), sum(want)));
      EXPECT_TRUE(equal(y, want));
    }
  }
}

TEST(PutInPlace, may_read_rows_of_the_target) {
  init();
  const Tensor at = Tensor::from(places(), {4});
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    const Tensor x = reshape(arange(240, DType::f32), {40, 6});
    const Tensor want = form.made(x, at, clone(slice(x, 0, 5, 9)));
    form.write(x, at, slice(x, 0, 5, 9));
    EXPECT_TRUE(equal(x, want));
  }
}

// Of two million elements, 24 change; a copy would be a block of tensor memory.
TEST(PutInPlace, takes_no_memory_of_the_size_of_the_target) {
  init();
  const Tensor x = zeros({350'000, 6}), at = Tensor::from(places(), {4}), rows = ones({4, 6});
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    form.write(x, at, rows);  // compiles
    reset_memory_peak();
    const int64_t before = memory_stats().live_bytes;
    form.write(x, at, rows);
    EXPECT_LT(memory_stats().peak_bytes - before, 4 * 350'000);
  }
}

}  // namespace
}  // namespace vitro
