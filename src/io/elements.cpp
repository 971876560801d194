#include "io/elements.h"

#include <algorithm>

#include "vitro/core/reach.h"

namespace vitro::io {
namespace {

std::string_view bytes_at(const std::byte* data, int64_t bytes) {
  return {reinterpret_cast<const char*>(data), static_cast<size_t>(bytes)};
}

// Writes the elements from dimension `dim` on, in order of their indices.
void write_strided(report::Output& out, const std::byte* data, const TensorMeta& meta, size_t dim) {
  const int64_t width = bytes_of(meta.dtype);
  if (dim == meta.sizes.size()) return out.write(bytes_at(data, width));
  const int64_t step = meta.strides[dim].value() * width;
  for (int64_t i = 0; i < meta.sizes[dim].value(); ++i)
    write_strided(out, data + i * step, meta, dim + 1);
}

}  // namespace

int64_t element_bytes(const Tensor& tensor) {
  const Tensor& real = tensor.is_complex() ? tensor.pairs() : tensor;
  return bytes_for("a file of tensors", real.impl()->sizes, real.dtype());
}

void write_elements(report::Output& out, const Tensor& tensor) {
  if (tensor.numel().value() == 0) return;
  const auto* data = static_cast<const std::byte*>(tensor.const_data());
  if (tensor.is_contiguous()) return out.write(bytes_at(data, element_bytes(tensor)));
  write_strided(out, data, tensor.meta(), 0);
}

std::optional<size_t> first_odd_boolean(std::span<const std::byte> bytes) {
  const auto odd = std::ranges::find_if(bytes, [](std::byte b) { return b > std::byte{1}; });
  if (odd == bytes.end()) return std::nullopt;
  return static_cast<size_t>(odd - bytes.begin());
}

}  // namespace vitro::io
