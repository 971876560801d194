#include "eager/images.h"

#include <algorithm>

#include "eager/copy.h"
#include "eager/run.h"

namespace vitro::eager {
namespace {

Tensor empty_channels_last(const Ints& sizes, DType dtype) {
  return Tensor::empty_strided(sizes, channels_last_strides(sizes), dtype, cpu);
}

}  // namespace

Ints channels_last_strides(const Ints& sizes) {
  Ints strides = sizes;
  strides[1] = 1;
  int64_t stride = sizes[1];
  for (size_t d = sizes.size(); d-- > 2;) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  strides[0] = stride;
  return strides;
}

Tensor with_contiguous_channels(const Tensor& x, DType dtype) {
  const TensorImpl& from = *x.impl();
  const bool lies = from.sizes[1] == 1 || from.strides[1] == 1;
  if (lies && from.dtype == dtype) return x;
  const Tensor made = empty_channels_last(from.sizes, dtype);
  copy_elements(x, made);
  return made;
}

Tensor joined(const Tensor& x, DType dtype, const WindowsSpec& spec, int64_t taps, int64_t out) {
  const TensorImpl& from = *x.impl();
  Ints sizes = from.sizes;
  sizes.back() = (out - 1) * spec.stride.back() + taps;
  const Tensor made = empty_channels_last(sizes, dtype);
  const int64_t padding = spec.padding.back().hint(), skipped = std::max<int64_t>(-padding, 0),
                first = std::max<int64_t>(padding, 0),
                count = std::min(from.sizes.back() - skipped, sizes.back() - first);
  if (count < sizes.back()) fill_elements(0, made);
  if (count <= 0) return made;
  sizes.back() = count;
  const auto part = [&](const Tensor& t, int64_t at) {
    const TensorImpl& all = *t.impl();
    return Tensor::over(all.storage, all.dtype, sizes, all.strides,
                        all.offset + at * all.strides.back());
  };
  copy_elements(part(x, skipped), part(made, first));
  return made;
}

kernels::Windows windows_over(const Tensor& images, const WindowsSpec& spec,
                              std::span<const int64_t> taps, std::span<const int64_t> out,
                              int64_t channels) {
  const TensorImpl& of = *images.impl();
  kernels::Windows windows{};
  for (size_t d = 0; d < 3; ++d) {
    const bool exists = d + taps.size() >= 3;
    const size_t i = exists ? d + taps.size() - 3 : 0;  // the dimension's number
    windows.size[d] = exists ? of.sizes[i + 2] : 1;
    windows.out[d] = exists ? out[i] : 1;
    windows.taps[d] = exists ? taps[i] : 1;
    windows.stride[d] = exists ? spec.stride[i] : 1;
    windows.dilation[d] = exists ? spec.dilation[i] : 1;
    windows.padding[d] = exists ? spec.padding[i].hint() : 0;
    windows.position_stride[d] = exists ? of.strides[i + 2] : 0;
  }
  windows.image_stride = of.strides[0];
  windows.channels = channels;
  return windows;
}

}  // namespace vitro::eager
