// Norms and distances.
#include "vitro/ops/distance.h"

#include <algorithm>
#include <cmath>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/by_formula.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using namespace ops;

struct NegativeNormAttrs {
  double p = -1;
  Dims dims;
  static constexpr void each(auto&& f) {
    f("p", &NegativeNormAttrs::p);
    f("dims", &NegativeNormAttrs::dims);
  }
};
// A norm of negative order, over dimensions that are kept. One of its powers may be infinite: then
// the norm is 0, and has the gradient 0.
struct NegativeNorm : ByFormula {
  static constexpr std::string_view name = "norm", signatures = "(Tensor self) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = NegativeNormAttrs;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    shape_of_reduction(call, {call.attrs.as<Attrs>().dims, true}, x.dtype);
  }
  static void expand(std::span<const Operand> operands, AttrsView attrs,
                     std::span<Tensor> results) {
    const auto& a = attrs.as<Attrs>();
    results[0] = pow(sum(pow(abs(operands[0].tensor()), a.p), a.dims, true), 1 / a.p);
  }
  static void gradient(Formula& f) {
    const double p = f.attrs<Attrs>().p;
    const Value x = f.tensor(0), none = x == 0, size = abs(ops::where(none, 1, x));
    const Value of_sum = f.gradient() * pow(f.result(), 1 - p);
    f.set(0, of_sum * ops::where(none, 0, Value(sign(x)) * pow(size, p - 1)));
  }
};

// The norm of x, in its compute type, over `dims`, which are kept. Where a root is 0 its operand is
// replaced, because the gradient there is 0, not infinite.
Value norm_over(const Tensor& x, double p, const Dims& dims) {
  if (std::isinf(p)) return p > 0 ? amax(abs(x), dims, true) : amin(abs(x), dims, true);
  if (p == 0) return to(sum(x != 0, dims, true), x.dtype());
  if (p == 1) return sum(abs(x), dims, true);
  if (p == 2) {
    const Value squares = sum(x * x, dims, true), none = squares == 0;
    return ops::where(none, 0, sqrt(ops::where(none, 1, squares)));
  }
  Tensor powers;
  if (p > 0 && p < 1) {
    const Value zero = x == 0;
    powers = ops::where(zero, 0, pow(abs(ops::where(zero, 1, x)), p));
  } else if (p < 0) {
    return by_formula<NegativeNorm>({}, {x}, {p, dims});
  } else {
    powers = pow(abs(x), p);
  }
  const Value total = sum(powers, dims, true);
  const Value none = total == 0;
  return ops::where(none, 0, pow(ops::where(none, 1, total), 1 / p));
}

Tensor norm_of(std::string_view op, const ops::At& at, double p, const Dims& dim, bool keepdim,
               std::optional<DType> dtype) {
  if (at.operand.tensor().is_complex()) {  // the norm of the absolute values
    const Tensor& z = at.operand.tensor();
    VITRO_CHECK(!dtype || is_complex(*dtype), op, ": complex numbers need a complex dtype, got ",
                *dtype);
    const Tensor sizes = abs(dtype ? to(z, *dtype) : z);
    return norm_of(op, {sizes, at.where}, p, dim, keepdim, {});
  }
  ops::check_floating(op, at.operand.tensor());
  const Value x = dtype ? to(at, *dtype) : at.operand.tensor();
  const Dims dims = ops::wrap_dims(op, dim, x.rank());
  for (const int64_t d : dims)
    VITRO_CHECK((p >= 0 && !std::isinf(p)) || !equal(x.size(d), 0), op, ": dimension ", d,
                " has no elements, for which the norm of order ", p, " is not defined, got sizes ",
                numbers_of(x.sizes()));
  return region(op, {&x}, [&] {
    const Tensor out = norm_over(ops::widened(op, {x, at.where}), p, dims);
    return to(keepdim || dims.empty() ? out : squeeze(out, dims), x.dtype());
  });
}

// The last two dimensions are reduced one after the other: the sums of columns or of rows, then
// the largest or smallest of them.
Value sums_of_lines(const Tensor& x, const Dims& dims, double p) {
  const int64_t summed = std::abs(p) == 1 ? dims[0] : dims[1], chosen = dims[0] + dims[1] - summed;
  const Value sums = sum(abs(x), {summed}, true);
  if (p > 0 && known_equal(x.size(chosen), 0)) return sum(sums, {chosen}, true);  // the largest: 0
  return p > 0 ? amax(sums, {chosen}, true) : amin(sums, {chosen}, true);
}

Dims matrix_dims(const Tensor& x, const Dims& dim) {
  VITRO_CHECK(dim.size() == 2 && x.rank() >= 2,
              "linalg_matrix_norm: needs two dimensions, got dim ", dim, " for sizes ",
              numbers_of(x.sizes()));
  Dims out;
  for (const int64_t d : dim) out.push_back(ops::wrap_dim("linalg_matrix_norm", d, x.rank()));
  VITRO_CHECK(out[0] != out[1], "linalg_matrix_norm: needs two dimensions, got ", dim);
  return out;
}

// Of the matrices over the dimensions `dims`, which come last.
Value singular_values(const ops::At& x, const Dims& dims) {
  const Tensor& t = x.operand.tensor();
  Dims order;
  for (int64_t d = 0; d < t.rank(); ++d)
    if (d != dims[0] && d != dims[1]) order.push_back(d);
  order.push_back(dims[0]);
  order.push_back(dims[1]);
  return linalg_svdvals({permute(t, order), x.where});
}

// Puts reduced dimensions back, with size 1, if they are kept.
Tensor with_dims(const Tensor& x, const Dims& dims, bool keepdim) {
  if (!keepdim) return x;
  return unsqueeze(unsqueeze(x, std::min(dims[0], dims[1])), std::max(dims[0], dims[1]));
}

}  // namespace

Tensor linalg_vector_norm(ops::At x, const Scalar& ord, DimsArg dim, bool keepdim,
                          std::optional<DType> dtype) {
  const CalledAs name("linalg_vector_norm", x.where);
  return norm_of("linalg_vector_norm", x, ord.as_double(), dim, keepdim, dtype);
}

Tensor norm(ops::At x, const Scalar& p, DimsArg dim, bool keepdim, std::optional<DType> dtype) {
  const CalledAs name("norm", x.where);
  return norm_of("norm", x, p.as_double(), dim, keepdim, dtype);
}

Tensor linalg_matrix_norm(ops::At x, const Scalar& ord, DimsArg dim, bool keepdim,
                          std::optional<DType> dtype) {
  const CalledAs name("linalg_matrix_norm", x.where);
  const double p = ord.as_double();
  VITRO_CHECK(std::isinf(p) || std::abs(p) == 1 || std::abs(p) == 2,
              "linalg_matrix_norm: ord must be 1, -1, 2, -2, inf, -inf, \"fro\" or \"nuc\", got ",
              ord.hint());
  const Value cast = dtype ? to(x, *dtype) : x.operand.tensor();
  const Dims dims = matrix_dims(cast, dim);
  if (std::abs(p) == 2) {
    const Value s = singular_values({cast, x.where}, dims);
    if (p > 0 && known_equal(s.size(-1), 0))  // the largest: 0
      return with_dims(sum(s, Dims{-1}), dims, keepdim);
    return with_dims(p > 0 ? amax(s, {-1}, false) : amin(s, {-1}, false), dims, keepdim);
  }
  const Tensor wide =
      cast.is_complex() ? Tensor(cast) : ops::widened("linalg_matrix_norm", {cast, x.where});
  const Tensor out = sums_of_lines(wide, dims, p);
  return to(keepdim ? out : squeeze(out, dims), real_of(cast.dtype()));
}

Tensor linalg_matrix_norm(ops::At x, std::string_view ord, DimsArg dim, bool keepdim,
                          std::optional<DType> dtype) {
  const CalledAs name("linalg_matrix_norm", x.where);
  VITRO_CHECK(ord == "fro" || ord == "nuc",
              "linalg_matrix_norm: ord must be \"fro\", \"nuc\" or a number, got \"", ord, "\"");
  const Dims dims = matrix_dims(x.operand.tensor(), dim);
  if (ord == "fro") return norm_of("linalg_matrix_norm", x, 2, dims, keepdim, dtype);
  const Value cast = dtype ? to(x, *dtype) : x.operand.tensor();
  return with_dims(sum(singular_values({cast, x.where}, dims), Dims{-1}), dims, keepdim);
}

Tensor linalg_norm(ops::At x, const std::optional<Scalar>& ord, DimsArg dim, bool keepdim,
                   std::optional<DType> dtype) {
  const CalledAs name("linalg_norm", x.where);
  const int64_t rank = x.operand.tensor().rank();
  VITRO_CHECK(dim.size() <= 2, "linalg_norm: needs one or two dimensions, got ", Dims(dim));
  VITRO_CHECK(!ord || !dim.empty() || rank == 1 || rank == 2,
              "linalg_norm: with ord and without dim needs a vector or a matrix, got sizes ",
              numbers_of(x.operand.tensor().sizes()));
  const bool of_matrix = ord && (dim.size() == 2 || (dim.empty() && rank == 2));
  if (!of_matrix) return linalg_vector_norm(x, ord.value_or(2), dim, keepdim, dtype);
  return linalg_matrix_norm(x, *ord, dim.empty() ? DimsArg{0, 1} : dim, keepdim, dtype);
}

Tensor linalg_norm(ops::At x, std::string_view ord, DimsArg dim, bool keepdim,
                   std::optional<DType> dtype) {
  const CalledAs name("linalg_norm", x.where);
  VITRO_CHECK(dim.size() == 2 || (dim.empty() && x.operand.tensor().rank() == 2),
              "linalg_norm: ord=\"", ord, "\" needs two dimensions, got dim ", Dims(dim),
              " for sizes ", numbers_of(x.operand.tensor().sizes()));
  return linalg_matrix_norm(x, ord, dim.empty() ? DimsArg{0, 1} : dim, keepdim, dtype);
}

Tensor normalize(ops::At x, double p, int64_t dim, double eps) {
  const CalledAs name("normalize", x.where);
  const Value wide = ops::widened("normalize", x);
  const Dims dims = ops::wrap_dims("normalize", {dim}, wide.rank());
  return region("normalize", {&wide}, [&] {
    return to(wide / clamp(norm_over(wide, p, dims), eps), x.operand.tensor().dtype());
  });
}

Tensor cosine_similarity(ops::At x1, const Tensor& x2, int64_t dim, double eps) {
  const CalledAs name("cosine_similarity", x1.where);
  const Tensor &a = x1.operand.tensor(), &b = x2;
  const DType dtype = promote(a.dtype(), b.dtype());
  VITRO_CHECK(is_floating(dtype), "cosine_similarity: takes floating-point numbers, got ",
              a.dtype(), " and ", b.dtype(), "; cast them first");
  const Sizes sizes = ops::broadcast("cosine_similarity", a.sizes(), b.sizes());
  const Dims dims = ops::wrap_dims("cosine_similarity", {dim}, static_cast<int64_t>(sizes.size()));
  const auto unit = [&](const Tensor& x) {
    const Value wide = expand(to(x, compute_type(dtype)), sizes);
    return wide / clamp(norm_over(wide, 2, dims), eps);
  };
  return region("cosine_similarity", {&a, &b}, [&] {
    const Value products = unit(a) * unit(b);
    return to(dims.empty() ? products : Value(sum(products, dims)), dtype);
  });
}

Tensor pairwise_distance(ops::At x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const CalledAs name("pairwise_distance", x1.where);
  const Value difference = x1.operand.tensor() - x2 + eps;
  return norm_of("pairwise_distance", difference, p, {-1}, keepdim, {});
}

Tensor cdist(ops::At x1, const Tensor& x2, double p, std::optional<int64_t> mode) {
  if (autocasts()) return autocasted("cdist", &cdist, x1, x2, p, mode);
  const CalledAs name("cdist", x1.where);
  const Tensor &a = x1.operand.tensor(), &b = x2;
  VITRO_CHECK(a.rank() >= 2 && b.rank() >= 2,
              "cdist: needs two tensors of rank 2 or more, got sizes ", numbers_of(a.sizes()),
              " and ", numbers_of(b.sizes()));
  VITRO_CHECK(p >= 0, "cdist: p must not be negative, got ", p);
  VITRO_CHECK(equal(a.size(-1), b.size(-1)), "cdist: rows of sizes ", numbers_of(a.sizes()),
              " and ", numbers_of(b.sizes()), " have different lengths");
  ops::check_floating("cdist", a);
  ops::check_floating("cdist", b);
  return norm_of("cdist", unsqueeze(a, -2) - unsqueeze(b, -3), p, {-1}, false, {});
}

Tensor pdist(ops::At x, double p) {
  const CalledAs name("pdist", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_floating("pdist", t);
  VITRO_CHECK(t.rank() == 2, "pdist: needs a tensor of rank 2, got sizes ", numbers_of(t.sizes()));
  VITRO_CHECK(p >= 0, "pdist: p must not be negative, got ", p);
  const int64_t rows = t.size(0);
  const Value pairs = triu_indices(rows, rows, 1, DType::i64, t.device());
  const Tensor difference =
      index_select(t, 0, select(pairs, 0, 0)) - index_select(t, 0, select(pairs, 0, 1));
  return norm_of("pdist", difference, p, {-1}, false, {});
}

}  // namespace vitro
