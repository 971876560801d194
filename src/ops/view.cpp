#include "vitro/ops/view.h"

#include "vitro/base/error.h"

namespace vitro::ops {
namespace {

// Where a slice begins: Python's rule, within [0, size].
Size clamped(Size at, Size size) {
  if (less(at, 0)) at = at + size;
  if (less(at, 0)) return 0;
  return less(size, at) ? size : at;
}

}  // namespace

void Permute::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const Dims& dims = call.attrs.as<Attrs>().dims;
  VITRO_CHECK(static_cast<int>(dims.size()) == in.rank(), "permute: got ", dims.size(),
              " dims for a tensor of rank ", in.rank());
  (void)wrap_dims(call.op, dims, in.rank());
  TensorMeta result{in.dtype, in.device, {}, {}, 0};
  for (const int64_t d : dims)
    result.sizes.push_back(in.sizes[static_cast<size_t>(wrap_dim(call.op, d, in.rank()))]);
  strides_from_map(in, result, call.attrs, info);
  call.results.push_back(std::move(result));
}

IndexList Permute::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                       std::span<const sym::Expr> index) {
  const Dims& dims = attrs.as<Attrs>().dims;
  IndexList out(dims.size());
  for (size_t r = 0; r < dims.size(); ++r)
    out[static_cast<size_t>(wrap_dim(name, dims[r], operand.rank()))] = index[r];
  return out;
}

ViewBack Permute::back(const TensorMeta& operand, const TensorMeta&, AttrsView attrs) {
  const Dims& dims = attrs.as<Attrs>().dims;
  PermuteAttrs inverse{Dims(dims.size())};
  for (size_t r = 0; r < dims.size(); ++r)
    inverse.dims[static_cast<size_t>(wrap_dim(name, dims[r], operand.rank()))] =
        static_cast<int64_t>(r);
  return {&def<Permute>(), vitro::Attrs(view_of<Permute>(inverse))};
}

void Slice::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const auto& a = call.attrs.as<Attrs>();
  VITRO_CHECK(in.rank() > 0, "slice: a tensor without dimensions cannot be sliced");
  VITRO_CHECK(a.step > 0, "slice: step must be positive, got ", a.step);
  const auto dim = static_cast<size_t>(wrap_dim(call.op, a.dim, in.rank()));
  const Size size = in.sizes[dim], start = clamped(a.start, size), end = clamped(a.end, size);
  TensorMeta result{in.dtype, in.device, in.sizes, {}, 0};
  result.sizes[dim] = less(start, end) ? (end - start + (a.step - 1)) / a.step : Size(0);
  strides_from_map(in, result, call.attrs, info);
  call.results.push_back(std::move(result));
}

IndexList Slice::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                     std::span<const sym::Expr> index) {
  const auto& a = attrs.as<Attrs>();
  IndexList out{index};
  const auto dim = static_cast<size_t>(wrap_dim(name, a.dim, operand.rank()));
  out[dim] = index[dim] * a.step + clamped(a.start, operand.sizes[dim]).expr();
  return out;
}

}  // namespace vitro::ops
