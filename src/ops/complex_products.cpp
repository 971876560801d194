// Products of complex elements by their magnitudes and angles: exact to the last digits of c64. At
// 0 an angle has no gradient, so the gradient is a formula, that of real products
// (reduce_gradient.cpp, scan_gradient.cpp) with conjugates.
#include "ops/complex_products.h"

#include "ops/gradient.h"
#include "ops/parts_by_formula.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"

namespace vitro::ops {
namespace {

Value is_zero(const Parts& z) {
  return (z.re == 0) & (z.im == 0);
}
Parts where(const Tensor& condition, const Parts& z, double number) {
  return {where(condition, z.re, number), where(condition, z.im, 0)};
}
Parts where(const Tensor& condition, const Parts& a, const Parts& b) {
  return {where(condition, a.re, b.re), where(condition, a.im, b.im)};
}
Parts sum(const Parts& z, const Dims& dims) {
  return {sum(z.re, dims, true), sum(z.im, dims, true)};
}

// ---- prod ----

struct ProdOfParts : OfParts {
  static constexpr int arity = 2;
  static constexpr std::string_view name = "prod",
                                    signatures = "(Tensor self, Tensor imag) -> (Tensor, Tensor)";
  using Attrs = ReduceAttrs;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    const ReducedDims dims = reduced_dims(call.attrs, static_cast<int>(x.rank()));
    shape_of_reduction(call, dims, x.dtype);
    shape_of_reduction(call, dims, x.dtype);
  }
  static Parts program(const Parts& z, const Attrs& a) {
    return polar(prod(modulus(z), a.dim, a.keepdim), vitro::sum(argument(z), a.dim, a.keepdim));
  }
  static void expand(std::span<const Operand> operands, AttrsView attrs,
                     std::span<Tensor> results) {
    set(results, program(operand(operands, 0), attrs.as<Attrs>()));
  }
  static void gradient(Formula& f) {
    const ReducedDims dims = reduced_dims(f.attrs(), static_cast<int>(f.tensor(0).rank()));
    const auto whole = [&](const Parts& p) { return Parts{kept(p.re, dims), kept(p.im, dims)}; };
    set(f, 0, of_element(operand(f, 0), whole(result(f)), whole(gradient_of(f)), dims.dims));
  }
  static Parts of_element(const Parts& z, const Parts& y, const Parts& g, const Dims& dims) {
    const Value none = is_zero(z), zeros = sum(none, dims, true);
    const Parts factors = where(~none, z, 1), other_zero = sum(where(none, z, 0), dims) - z;
    const Parts others = g * conjugate(product_of(factors, {dims, true, {}}));
    const Parts of_two = where(zeros == 2, others * conjugate(other_zero), 0);
    const Parts of_zero = where(zeros == 1, others, of_two);
    return where(none, of_zero, g * conjugate(y) / conjugate(factors));
  }
};

// ---- cumprod ----

struct CumprodOfParts : OfParts {
  static constexpr int arity = 2;
  static constexpr std::string_view name = "cumprod",
                                    signatures = "(Tensor self, Tensor imag) -> (Tensor, Tensor)";
  using Attrs = ScanAttrs;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    for (int k = 0; k < 2; ++k) call.results.push_back(dense(x.dtype, x.device, x.sizes));
  }
  static Parts program(const Parts& z, const Attrs& a) {
    return polar(cumprod(modulus(z), a.dim), cumsum(argument(z), a.dim));
  }
  static void expand(std::span<const Operand> operands, AttrsView attrs,
                     std::span<Tensor> results) {
    set(results, program(operand(operands, 0), attrs.as<Attrs>()));
  }
  static void gradient(Formula& f) {
    const int64_t dim = f.attrs<Attrs>().dim;
    set(f, 0, of_element(operand(f, 0), result(f), gradient_of(f), dim));
  }
  // See Cumprod::gradient.
  static Parts of_element(const Parts& z, const Parts& y, const Parts& g, int64_t dim) {
    const auto sums_from = [&](const Parts& p) {
      const auto of = [&](const Value& part) {
        return reversed(cumsum(reversed(part, dim), dim), dim);
      };
      return Parts{of(p.re), of(p.im)};
    };
    const Value none = is_zero(z), zeros = cumsum(none, dim);
    const Value first = none & (zeros == 1), second = none & (zeros == 2);
    const Parts without_first = where(~first, z, 1);
    const Parts one = cumulative_product_of(without_first, {dim, {}});
    const Parts two = cumulative_product_of(where(~second, without_first, 1), {dim, {}});
    const Parts of_first = sums_from(g * conjugate(one)), of_second = sums_from(g * conjugate(two));
    const Parts factors = conjugate(where(~none, z, 1));
    const Parts before = sums_from(g * conjugate(y)) / factors;
    const Parts others = where(zeros == 1, of_first / factors, where(second, of_second, 0));
    const Parts first_zero = conjugate(sum(where(first, z, 0), {dim}));
    return where(zeros == 0, before, where(first, of_first, first_zero * others));
  }
};

template <class F>
Parts product(const Parts& z, const typename F::Attrs& attrs) {
  if (!is_recorded(z)) return F::program(z, attrs);
  auto of_parts = attrs;
  of_parts.dtype = {};  // a complex one
  return call_of_parts<F>({z.re, z.imaginary()}, attrs_view<F>(of_parts));
}

}  // namespace

Parts product_of(const Parts& z, const ReduceAttrs& attrs) {
  return product<ProdOfParts>(z, attrs);
}
Parts cumulative_product_of(const Parts& z, const ScanAttrs& attrs) {
  return product<CumprodOfParts>(z, attrs);
}

}  // namespace vitro::ops
