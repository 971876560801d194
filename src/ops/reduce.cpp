// Reductions: their shape rules, and the public functions.
#include "vitro/ops/reduce.h"

#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"

namespace vitro {
namespace ops {
namespace {

ReducedDims dims_of(const ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta, call.op, ": takes a tensor");
  const auto& a = call.attrs.as<ReduceAttrs>();
  return {wrap_dims(call.op, a.dim, call.operands[0].meta->rank()), a.keepdim};
}

// Shape rule of sums and products: integers are widened.
void shape_of_total(ShapeCall& call) {
  const ReducedDims dims = dims_of(call);
  const DType dtype = call.operands[0].meta->dtype;
  const DType result =
      call.attrs.as<ReduceAttrs>().dtype.value_or(is_floating(dtype) ? dtype : DType::i64);
  VITRO_CHECK(!is_bool(result), call.op, ": is computed in numbers, got dtype ", result,
              "; cast the operand to it before and the result after");
  shape_of_reduction(call, dims, result);
}

// Shape rule of ops that choose an element: an Error if there is none to choose from.
void shape_of_choice(ShapeCall& call, DType result) {
  const ReducedDims dims = dims_of(call);
  const TensorMeta& in = *call.operands[0].meta;
  for (const int64_t d : dims.dims) {
    VITRO_CHECK(!equal(in.sizes[static_cast<size_t>(d)], 0), call.op, ": dimension ", d,
                " has no elements to choose from, got sizes ", in.sizes);
  }
  shape_of_reduction(call, dims, result);
}

}  // namespace

ReducedDims reduced_dims(AttrsView attrs, int rank) {
  const auto& a = attrs.as<ReduceAttrs>();
  return {wrap_dims("reduction", a.dim, rank), a.keepdim};
}

DType state_dtype(DType, DType result) {
  return compute_type(result);
}

void Sum::shape(ShapeCall& call) {
  shape_of_total(call);
}
void Prod::shape(ShapeCall& call) {
  shape_of_total(call);
}
void Mean::shape(ShapeCall& call) {
  const ReducedDims dims = dims_of(call);
  const DType dtype = call.attrs.as<Attrs>().dtype.value_or(call.operands[0].meta->dtype);
  VITRO_CHECK(is_floating(dtype), "mean: takes floating-point numbers, got ", dtype,
              "; pass a floating-point dtype");
  shape_of_reduction(call, dims, dtype);
}
void Amax::shape(ShapeCall& call) {
  shape_of_choice(call, call.operands[0].meta->dtype);
}
void Amin::shape(ShapeCall& call) {
  shape_of_choice(call, call.operands[0].meta->dtype);
}
void ArgReduction::shape(ShapeCall& call) {
  VITRO_CHECK(call.attrs.as<Attrs>().dim.size() <= 1, call.op, ": takes one dim or none, got ",
              call.attrs.as<Attrs>().dim);
  VITRO_CHECK(!is_bool(call.operands[0].meta->dtype), call.op, ": takes numbers (not bool)");
  shape_of_choice(call, DType::i64);
}
void ValueAndIndex::shape(ShapeCall& call) {
  shape_of_choice(call, call.operands[0].meta->dtype);
  shape_of_choice(call, DType::i64);
}
void Aminmax::shape(ShapeCall& call) {
  VITRO_CHECK(call.attrs.as<Attrs>().dim.size() <= 1, call.op, ": takes one dim or none, got ",
              call.attrs.as<Attrs>().dim);
  shape_of_choice(call, call.operands[0].meta->dtype);
  shape_of_choice(call, call.operands[0].meta->dtype);
}
void Logical::shape(ShapeCall& call) {
  const bool bytes = call.operands[0].meta->dtype == DType::u8;  // PyTorch keeps u8
  shape_of_reduction(call, dims_of(call), bytes ? DType::u8 : DType::boolean);
}

namespace {

template <class Op>
Tensor reduce(At x, Dims dim, bool keepdim, std::optional<DType> dtype = {}) {
  return call<Op>(x.where, {x.operand}, {std::move(dim), keepdim, dtype});
}
// With dtype bool, elements are converted to bool first and the result last.
template <class Op>
Tensor total(At x, Dims dim, bool keepdim, std::optional<DType> dtype) {
  if (!dtype || !is_bool(*dtype)) return reduce<Op>(x, std::move(dim), keepdim, dtype);
  const Tensor truths = to({x.operand.tensor(), x.where}, DType::boolean);
  return to({reduce<Op>({truths, x.where}, std::move(dim), keepdim), x.where}, DType::boolean);
}
Dims dims_from(std::optional<int64_t> dim) {
  return dim ? Dims{*dim} : Dims{};
}
// By name, an empty list of dims reduces none.
template <class Op>
Tensor truth_over(At x, const std::optional<Dims>& dim, bool keepdim) {
  if (!dim || !dim->empty()) return reduce<Op>(x, dim.value_or(Dims()), keepdim);
  const CalledAs name(Op::name, x.where);
  const Tensor& t = x.operand.tensor();
  const Tensor truths = vitro::ne({t, x.where}, 0);
  return t.dtype() == DType::u8 ? to({truths, x.where}, DType::u8) : truths;
}
template <class Op>
std::pair<Tensor, Tensor> two(At x, Dims dim, bool keepdim) {
  auto [first, second] = call_many<Op, 2>(x.where, {x.operand}, {std::move(dim), keepdim, {}});
  return {std::move(first), std::move(second)};
}

}  // namespace

Tensor Sum::of_all(At x, std::optional<DType> dtype) {
  return total<Sum>(x, {}, false, dtype);
}
Tensor Sum::over(At x, Dims dim, bool keepdim, std::optional<DType> dtype) {
  return total<Sum>(x, std::move(dim), keepdim, dtype);
}
Tensor Prod::of_all(At x, std::optional<DType> dtype) {
  return total<Prod>(x, {}, false, dtype);
}
Tensor Prod::over(At x, int64_t dim, bool keepdim, std::optional<DType> dtype) {
  return total<Prod>(x, {dim}, keepdim, dtype);
}
Tensor Any::over(At x, const std::optional<Dims>& dim, bool keepdim) {
  return truth_over<Any>(x, dim, keepdim);
}
Tensor All::over(At x, const std::optional<Dims>& dim, bool keepdim) {
  return truth_over<All>(x, dim, keepdim);
}

}  // namespace ops

Tensor sum(ops::At x, DimsArg dim, bool keepdim, std::optional<DType> dtype) {
  return ops::total<ops::Sum>(x, std::move(dim), keepdim, dtype);
}
Tensor mean(ops::At x, DimsArg dim, bool keepdim, std::optional<DType> dtype) {
  return ops::reduce<ops::Mean>(x, std::move(dim), keepdim, dtype);
}
Tensor prod(ops::At x, DimsArg dim, bool keepdim, std::optional<DType> dtype) {
  return ops::total<ops::Prod>(x, std::move(dim), keepdim, dtype);
}
Tensor amax(ops::At x, DimsArg dim, bool keepdim) {
  return ops::reduce<ops::Amax>(x, std::move(dim), keepdim);
}
Tensor amin(ops::At x, DimsArg dim, bool keepdim) {
  return ops::reduce<ops::Amin>(x, std::move(dim), keepdim);
}
Tensor any(ops::At x, DimsArg dim, bool keepdim) {
  return ops::reduce<ops::Any>(x, std::move(dim), keepdim);
}
Tensor all(ops::At x, DimsArg dim, bool keepdim) {
  return ops::reduce<ops::All>(x, std::move(dim), keepdim);
}
Tensor argmax(ops::At x, std::optional<int64_t> dim, bool keepdim) {
  return ops::reduce<ops::Argmax>(x, ops::dims_from(dim), keepdim);
}
Tensor argmin(ops::At x, std::optional<int64_t> dim, bool keepdim) {
  return ops::reduce<ops::Argmin>(x, ops::dims_from(dim), keepdim);
}

std::pair<Tensor, Tensor> max(ops::At x, int64_t dim, bool keepdim) {
  return ops::two<ops::MaxDim>(x, {dim}, keepdim);
}
std::pair<Tensor, Tensor> min(ops::At x, int64_t dim, bool keepdim) {
  return ops::two<ops::MinDim>(x, {dim}, keepdim);
}
std::pair<Tensor, Tensor> aminmax(ops::At x, std::optional<int64_t> dim, bool keepdim) {
  return ops::two<ops::Aminmax>(x, ops::dims_from(dim), keepdim);
}

}  // namespace vitro
