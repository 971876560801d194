// Complex tensors, eager and in compiled functions: their values are those of std::complex.
#include <gtest/gtest.h>

#include <complex>
#include <numeric>

#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/core/print.h"
#include "vitro/ops/all.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/product.h"
#include "vitro/ops/random.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using C = std::complex<float>;
const std::vector<C> some = {{1, 2}, {-3, 0.5F}, {0.5F, -1}, {2, 2}, {0.25F, -4}, {-1, -1}};

Tensor numbers(std::initializer_list<int64_t> sizes, C times = 1) {
  std::vector<C> values = some;
  for (C& v : values) v *= times;
  return Tensor::from(values, sizes);
}
std::vector<C> mapped(const std::function<C(C)>& f) {
  std::vector<C> out;
  for (const C& v : some) out.push_back(f(v));
  return out;
}
void expect_near(const std::vector<C>& got, const std::vector<C>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - want[i]), 4e-6F * (1 + std::abs(want[i]))) << i;
}
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    const std::string text = e.what();
    return text.substr(0, text.find(" (complex_test"));
  }
  return "accepted";
}

TEST(Complex, tensors_are_made_and_taken_apart_without_copies) {
  const Tensor z = numbers({2, 3});
  EXPECT_EQ(z.dtype(), DType::c64);
  EXPECT_EQ(z.to_vector<C>(), some);
  EXPECT_EQ(text_of(slice(z, 0, 0, 1)),
            "tensor([[ 1.0000+2.0000j, -3.0000+0.5000j,  0.5000-1.0000j]])");
  EXPECT_EQ(view_as_real(z).data<float>(), static_cast<void*>(z.data<C>()));
  EXPECT_EQ(real(z).to_vector<float>(), (std::vector<float>{1, -3, 0.5F, 2, 0.25F, -1}));
  EXPECT_EQ(imag(z).to_vector<float>(), (std::vector<float>{2, 0.5F, -1, 2, -4, -1}));
  EXPECT_EQ(complex(real(z), imag(z)).to_vector<C>(), some);
  EXPECT_EQ(select(select(z, 0, 1), 0, -1).item().as_complex(), (std::complex<double>(-1, -1)));
  copy_(imag(z), 0);
  EXPECT_EQ(z.to_vector<C>()[0], C(1, 0));
}

TEST(Complex, arithmetic_is_that_of_numbers) {
  const Tensor z = numbers({6}), w = numbers({6}, {0.5F, 1});
  const C factor(0.5F, 1);
  expect_near((z + w).to_vector<C>(), mapped([&](C v) { return v + v * factor; }));
  expect_near((z - w).to_vector<C>(), mapped([&](C v) { return v - v * factor; }));
  expect_near((z * w).to_vector<C>(), mapped([&](C v) { return v * v * factor; }));
  expect_near((z / (w + 3)).to_vector<C>(), mapped([&](C v) { return v / (v * factor + 3.0F); }));
  expect_near((z * C(0, 1) + 1).to_vector<C>(), mapped([](C v) { return v * C(0, 1) + 1.0F; }));
  expect_near(conj(z).to_vector<C>(), mapped([](C v) { return std::conj(v); }));
  expect_near(sum(z).to_vector<C>(), {std::accumulate(some.begin(), some.end(), C())});
  EXPECT_EQ((real(z) * C(0, 1)).dtype(), DType::c64);
  EXPECT_EQ((z * to(real(z), DType::f64)).dtype(), DType::c128);
  EXPECT_EQ((z * 2.5).dtype(), DType::c64);
}

TEST(Complex, functions_are_those_of_the_standard_library) {
  const Tensor z = numbers({6});
  using F = std::function<C(C)>;
  const std::vector<std::pair<Tensor, F>> all = {
      {exp(z), [](C v) { return std::exp(v); }},
      {log(z), [](C v) { return std::log(v); }},
      {sqrt(z), [](C v) { return std::sqrt(v); }},
      {reciprocal(z), [](C v) { return 1.0F / v; }},
      {sin(z), [](C v) { return std::sin(v); }},
      {cos(z), [](C v) { return std::cos(v); }},
      {tan(z), [](C v) { return std::tan(v); }},
      {sinh(z), [](C v) { return std::sinh(v); }},
      {cosh(z), [](C v) { return std::cosh(v); }},
      {tanh(z), [](C v) { return std::tanh(v); }},
      {asin(z), [](C v) { return std::asin(v); }},
      {acos(z), [](C v) { return std::acos(v); }},
      {atan(z), [](C v) { return std::atan(v); }},
      {asinh(z), [](C v) { return std::asinh(v); }},
      {acosh(z), [](C v) { return std::acosh(v); }},
      {atanh(z), [](C v) { return std::atanh(v); }},
      {pow(z, 3), [](C v) { return v * v * v; }},
      {pow(z, C(0.5F, 2)), [](C v) { return std::pow(v, C(0.5F, 2)); }},
  };
  for (const auto& [got, want] : all) expect_near(got.to_vector<C>(), mapped(want));
}

TEST(Complex, compiled_functions_have_the_bits_of_eager_ones) {
  auto f = [](const Tensor& z, const Tensor& w) {
    const Tensor y = exp(z * 0.25) * w + conj(z);
    return std::pair(mm(y, transpose(y, 0, 1)), abs(y));
  };
  const auto fast = compile(f);
  for (const auto& sizes : {std::pair<int64_t, int64_t>{2, 3}, {3, 2}}) {
    const Tensor z = numbers({sizes.first, sizes.second}),
                 w = numbers({sizes.first, 1 * sizes.second}, 0.5F);
    const auto [a, b] = f(z, w);
    const auto [c, d] = fast(z, w);
    EXPECT_EQ(c.dtype(), DType::c64);
    EXPECT_EQ(a.to_vector<C>(), c.to_vector<C>());
    EXPECT_EQ(b.to_vector<float>(), d.to_vector<float>());
    EXPECT_EQ(text_of(a), text_of(c));
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(Complex, frozen_functions_return_complex_tensors) {
  auto f = [](const Tensor& z) { return std::vector<Tensor>{z * z, real(z)}; };
  const auto fast = compile(f, {.fullgraph = true, .frozen = true});
  for (const float times : {1.0F, 2.0F, 3.0F}) {
    const Tensor z = numbers({6}, times);
    const auto got = fast(z), want = f(z);
    ASSERT_TRUE(got[0].is_complex());
    EXPECT_EQ(got[0].to_vector<C>(), want[0].to_vector<C>());
    EXPECT_EQ(got[1].to_vector<float>(), want[1].to_vector<float>());
  }
}

TEST(Complex, calls_in_place_write_the_pairs) {
  const Tensor z = numbers({2, 3});
  const Tensor column = select(z, 1, 1);
  column *= C(0, 2);
  EXPECT_EQ(z.to_vector<C>()[1], C(-1, -6));
  fill_(column, C(7, 1));
  EXPECT_EQ(z.to_vector<C>()[4], C(7, 1));
  const Tensor x = Tensor::from({1.0F, 2.0F}, {2});
  EXPECT_EQ(message_of([&] { mul_(x, C(0, 1)); }),
            "mul_: a result of c64 cannot be stored in a tensor of f32; call mul instead, or cast "
            "the operand");
}

TEST(Complex, a_dimension_of_size_1_may_have_any_stride) {
  const Tensor x = narrow(Tensor::from({0.0F, 0.0F, 0.0F, 0.0F, 5.0F, 6.0F}, {2, 3}), 0, 1, 1);
  const Tensor z = view_as_complex(narrow(x, 1, 1, 2));
  EXPECT_EQ(z.to_vector<C>(), std::vector<C>{C(5, 6)});
  EXPECT_EQ((z * C(0, 1)).to_vector<C>(), std::vector<C>{C(-6, 5)});
}

TEST(Complex, detach_is_a_view_of_the_pairs) {
  const Tensor z = numbers({6});
  EXPECT_EQ(detach(z).to_vector<C>(), some);
  EXPECT_EQ(detach(z).data<C>(), z.data<C>());
}

TEST(Complex, ops_that_need_real_numbers_refuse_them) {
  const Tensor z = numbers({6});
  EXPECT_EQ(message_of([&] { (void)floor(z); }),
            "floor: does not take complex numbers, got c64; pass real(x), imag(x), abs(x) or "
            "view_as_real(x)");
  EXPECT_NE(message_of([&] { (void)sort(z); }).find("sort: does not take complex"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)(z < 1); }).find("lt: does not take complex"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)z.data<float>(); }).find("dtype c64, requested f32"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)z.item<float>(); }), "accepted");
  EXPECT_NE(message_of([&] { (void)view_as_complex(real(z)); }).find("last dimension of size 2"),
            std::string::npos);
}

// Whatever the op makes of them, an error names it: nothing reads pairs as other numbers, crashes,
// or calls itself for ever.
TEST(Complex, every_op_takes_them_or_refuses_them) {
  const Tensor z = reshape(cat({numbers({6}), numbers({6}), slice(numbers({6}), 0, 0, 4)}), {4, 4});
  size_t taken = 0;
  for (const OpDef* op : ops::all()) {
    const std::vector<Operand> operands(op->min_operands, z);
    const std::shared_ptr<void> attrs = op->attrs ? op->attrs->make() : nullptr;
    std::vector<Tensor> results(ops::overloads(*op)[0].schema.results.size());
    try {
      call(OpCall{op, operands, {attrs.get(), op->attrs}, false, {}}, results);
      EXPECT_TRUE(results[0].defined()) << op->name;
      ++taken;
    } catch (const Error& e) {
      const std::string said = e.what();
      EXPECT_TRUE(said.starts_with(op->name) && said.find("bug") == std::string::npos)
          << op->name << ": " << said;
    }
  }
  EXPECT_GT(taken, 60U);
}

TEST(Complex, random_numbers_have_random_parts) {
  const Tensor normal = randn({4000}, DType::c64), uniform = rand({1000}, DType::c128);
  EXPECT_NEAR(mean(square(abs(normal))).item<float>(), 1, 0.1);  // half of it from either part
  EXPECT_NEAR(mean(real(normal) * imag(normal)).item<float>(), 0, 0.05);
  EXPECT_EQ(uniform.dtype(), DType::c128);
  EXPECT_TRUE(all((imag(uniform) >= 0) & (imag(uniform) < 1)).item<bool>());
}

TEST(Complex, masks_select_whole_numbers) {
  auto f = [](const Tensor& z) { return masked_select(z, real(z) > 0); };
  const Tensor z = numbers({2, 3});
  const std::vector<C> want = {{1, 2}, {0.5F, -1}, {2, 2}, {0.25F, -4}};
  EXPECT_EQ(f(z).to_vector<C>(), want);
  EXPECT_EQ(compile(f)(z).to_vector<C>(), want);
}

}  // namespace
}  // namespace vitro
