// Functions that are a few calls of other ops.
#include "vitro/ops/derived.h"

#include <algorithm>
#include <vector>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/product.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/view.h"

namespace vitro {

Tensor alias(ops::At x) {
  return x.operand.tensor();
}
Tensor type_as(ops::At x, const Tensor& other) {
  const CalledAs name("type_as", x.where);
  return to(x, other.dtype());
}
Tensor reshape_as(ops::At x, const Tensor& other) {
  const CalledAs name("reshape_as", x.where);
  return reshape(x, other.sizes());
}
Tensor swapaxes(ops::At x, int64_t axis0, int64_t axis1) {
  const CalledAs name("swapaxes", x.where);
  return transpose(x, axis0, axis1);
}
Tensor numpy_T(ops::At x) {
  const CalledAs name("numpy_T", x.where);
  Dims dims;
  for (int64_t d = x.operand.tensor().rank(); d-- > 0;) dims.push_back(d);
  return permute(x, dims);
}

// Each dimension gets another one before it, which is expanded.
Tensor repeat(ops::At x, SizesArg repeats) {
  const CalledAs name("repeat", x.where);
  const Tensor& t = x.operand.tensor();
  const Sizes sizes = t.sizes(), counts = repeats;
  VITRO_CHECK(counts.size() >= sizes.size(), "repeat: needs a number for each of ", sizes.size(),
              " dimensions, got ", numbers_of(counts));
  const size_t added = counts.size() - sizes.size();
  Sizes apart, expanded, joined;
  for (size_t d = 0; d < counts.size(); ++d) {
    VITRO_CHECK(!less(counts[d], 0), "repeat: numbers must not be negative, got ",
                numbers_of(counts));
    const Size size = d < added ? Size(1) : sizes[d - added];
    apart.push_back(1);
    apart.push_back(size);
    expanded.push_back(counts[d]);
    expanded.push_back(size);
    joined.push_back(counts[d] * size);
  }
  const Tensor copies = expand({reshape(x, apart), x.where}, expanded);
  return view({clone({copies, x.where}, ops::MemoryFormat::contiguous), x.where}, joined);
}

Tensor multiply(ops::At x, const Operand& other) {
  const CalledAs name("multiply", x.where);
  return mul({x.operand.tensor(), x.where}, other);
}

Tensor nansum(ops::At x, DimsArg dim, bool keepdim, std::optional<DType> dtype) {
  const CalledAs name("nansum", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(!t.is_complex(), "nansum: is not defined for complex numbers, got ", t.dtype());
  if (!is_floating(t.dtype())) return sum(x, std::move(dim), keepdim, dtype);
  const Tensor numbers = where({isnan({t, x.where}), x.where}, 0.0, t);
  return sum({numbers, x.where}, std::move(dim), keepdim, dtype);
}

Tensor take_along_dim(ops::At x, const Tensor& indices, std::optional<int64_t> dim) {
  const CalledAs name("take_along_dim", x.where);
  const Tensor& t = x.operand.tensor();
  if (!dim) {
    const Tensor flat = reshape(x, {-1});
    return gather({flat, x.where}, 0, reshape({indices, x.where}, {-1}));
  }
  const auto axis = static_cast<size_t>(ops::wrap_dim("take_along_dim", *dim, t.rank()));
  VITRO_CHECK(t.rank() == indices.rank(), "take_along_dim: ranks differ: x has sizes ",
              numbers_of(t.sizes()), ", the indices ", numbers_of(indices.sizes()));
  if (t.rank() == 0) return gather(x, 0, indices);
  Sizes of_x = t.sizes(), of_indices = indices.sizes();
  const Size length = of_x[axis], taken = of_indices[axis];
  of_x[axis] = of_indices[axis] = 1;
  Sizes sizes = ops::broadcast("take_along_dim", of_x, of_indices);
  sizes[axis] = length;
  const Tensor from = expand(x, sizes);
  sizes[axis] = taken;
  // ATen wraps the indices around, here only.
  const Tensor wrapped = remainder({indices, x.where}, length);
  return gather({from, x.where}, static_cast<int64_t>(axis), expand({wrapped, x.where}, sizes));
}

// The k-th selected element is number k of `source` with an unused element before it, which is
// number 0.
Tensor masked_scatter(ops::At x, const Tensor& mask, const Tensor& source) {
  const CalledAs name("masked_scatter", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(is_bool(mask.dtype()), "masked_scatter: the mask must be bool, got ", mask.dtype());
  VITRO_CHECK(source.dtype() == t.dtype(), "masked_scatter: dtypes differ: x is ", t.dtype(),
              ", source ", source.dtype(), "; cast one of them");
  const Sizes sizes = ops::broadcast("masked_scatter", t.sizes(), mask.sizes());
  const auto flat = [&](const Tensor& one) {
    return reshape({expand({one, x.where}, sizes), x.where}, {product(sizes)});
  };
  const Tensor chosen = flat(mask);
  const Tensor number = mul({cumsum({chosen, x.where}, 0), x.where}, chosen);
  const Tensor unused = zeros({1}, t.dtype(), t.device(), x.where);
  const Tensor from = cat({unused, reshape({source, x.where}, {source.numel()})}, 0, x.where);
  const Tensor values = index_select({from, x.where}, 0, number);
  return reshape({where({chosen, x.where}, values, flat(t)), x.where}, sizes);
}

namespace {

// The tensors with at least `rank` dimensions.
std::vector<Tensor> with_rank(std::span<const Tensor> tensors, int64_t rank,
                              std::source_location from) {
  std::vector<Tensor> out(tensors.begin(), tensors.end());
  for (Tensor& one : out) {
    if (one.rank() == 0) one = unsqueeze({one, from}, 0);
    if (one.rank() == 1 && rank > 1) one = unsqueeze({one, from}, 0);
    if (one.rank() == 2 && rank > 2) one = unsqueeze({one, from}, 2);
  }
  return out;
}

}  // namespace

Tensor hstack(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("hstack", from);
  const std::vector<Tensor> parts = with_rank(tensors, 1, from);
  return cat(parts, !parts.empty() && parts[0].rank() == 1 ? 0 : 1, from);
}
Tensor vstack(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("vstack", from);
  return cat(with_rank(tensors, 2, from), 0, from);
}
Tensor dstack(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("dstack", from);
  return cat(with_rank(tensors, 3, from), 2, from);
}

Tensor baddbmm(ops::At x, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  if (autocasts()) return autocasted("baddbmm", &baddbmm, x, batch1, batch2, beta, alpha);
  const CalledAs name("baddbmm", x.where);
  const Tensor& t = x.operand.tensor();
  const DType dtype = t.dtype(), wide = compute_type(dtype);
  VITRO_CHECK(batch1.dtype() == dtype && batch2.dtype() == dtype, "baddbmm: dtypes differ: ", dtype,
              ", ", batch1.dtype(), " and ", batch2.dtype(), "; cast them to one");
  const Tensor a = to({batch1, x.where}, wide), b = to({batch2, x.where}, wide);
  Tensor out = bmm({a, x.where}, b);
  const Sizes sizes = out.sizes();
  VITRO_CHECK(ops::equal_sizes(ops::broadcast("baddbmm", numbers_of(t.sizes()), sizes), sizes),
              "baddbmm: sizes ", numbers_of(t.sizes()), " do not broadcast to ", numbers_of(sizes));
  // Factors of integers are rounded towards 0.
  const auto factor = [&](const Scalar& given) {
    return is_floating(dtype) || is_complex(dtype) || !given.is_floating()
               ? given
               : Scalar(static_cast<int64_t>(given.as_double()));
  };
  const Scalar by = factor(alpha), added_by = factor(beta);
  for (const Scalar* one : {&by, &added_by}) ops::check_holds("baddbmm", wide, *one);
  if (!by.is(1)) out = mul({out, x.where}, by);
  if (!added_by.is(0)) {
    const Tensor added = to(x, wide);
    out = add({out, x.where}, added_by.is(1) ? added : mul({added, x.where}, added_by));
  }
  return to({out, x.where}, dtype);
}

}  // namespace vitro
