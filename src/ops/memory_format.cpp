#include "ops/memory_format.h"

#include "core/numbers.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/shapes.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

// The dimensions from the outermost to the innermost one.
Dims order_of_channels_last(size_t rank) {
  Dims order{0};
  for (size_t d = 2; d < rank; ++d) order.push_back(static_cast<int64_t>(d));
  order.push_back(1);
  return order;
}

}  // namespace

bool has_channels_last(const TensorMeta& x) {
  const size_t rank = x.sizes.size();
  if (rank != 4 && rank != 5) return false;
  if (attribute::same(x.strides, contiguous_strides(x.sizes))) return false;
  const Dims order = order_of_channels_last(rank);
  Size least = 1;
  for (size_t i = rank; i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    const Size size = x.sizes[d], stride = x.strides[d];
    if (equal_in_layout(size, 0) || less_in_layout(stride, least)) return false;
    if (d == 0 && equal_in_layout(least, x.strides[1])) return false;  // all others are 1
    least = less_in_layout(1, size) ? stride * size : stride;
  }
  return true;
}

TensorMeta dense_in(bool channels_last, DType dtype, Device device, Sizes sizes) {
  TensorMeta out = dense(dtype, device, std::move(sizes));
  if (!channels_last) return out;
  const Dims order = order_of_channels_last(out.sizes.size());
  Sizes moved;
  for (const int64_t d : order) moved.push_back(out.sizes[static_cast<size_t>(d)]);
  const Sizes strides = contiguous_strides(moved);
  for (size_t i = 0; i < order.size(); ++i) out.strides[static_cast<size_t>(order[i])] = strides[i];
  return out;
}

Tensor with_channels_last(const Tensor& x) {
  const auto rank = static_cast<size_t>(x.rank());
  Dims back{0, x.rank() - 1};
  for (int64_t d = 1; d + 1 < x.rank(); ++d) back.push_back(d);
  return permute(contiguous(permute(x, order_of_channels_last(rank))), back);
}

Tensor in_format(std::string_view op, const Tensor& x, std::string_view format) {
  if (format == "preserve_format") return x;
  if (format == "contiguous_format") return contiguous(x);
  const int rank = format == "channels_last" ? 4 : format == "channels_last_3d" ? 5 : 0;
  VITRO_CHECK(rank > 0 && x.rank() == rank, op, ": memory_format \"", format,
              "\" does not fit sizes ", numbers_of(x.sizes()));
  return with_channels_last(x);
}

}  // namespace vitro::ops
