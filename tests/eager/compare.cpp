#include "eager/compare.h"

#include "vitro/base/cat.h"
#include "vitro/core/print.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/copy.h"

namespace vitro::test {
namespace {

std::vector<int64_t> plain(const Sizes& sizes) {
  std::vector<int64_t> out;
  for (const Size s : sizes) out.push_back(s.value());
  return out;
}

Dims dims(const std::vector<int64_t>& list) {
  return Dims(std::span<const int64_t>(list));
}

// Strides of dimensions of size 1 do not matter, nor do those of a tensor without elements.
bool same_strides(const std::vector<int64_t>& sizes, const std::vector<int64_t>& a,
                  const std::vector<int64_t>& b) {
  for (const int64_t s : sizes) {
    if (s == 0) return true;
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > 1 && a[d] != b[d]) return false;
  }
  return true;
}

std::string none_differs(const Tensor& got, bool wanted) {
  if (got.defined() == wanted) return "";
  return wanted ? "None, needed a tensor" : "a tensor, needed None";
}

}  // namespace

std::vector<std::byte> elements_of(const Tensor& t) {
  const Tensor dense = contiguous(to(t, cpu));
  const auto* from = static_cast<const std::byte*>(dense.const_data());
  return {from, from + dense.numel().value() * bytes_of(dense.dtype())};
}

std::string layout_differs(const SampleResult& want, const Tensor& got, bool strides) {
  const std::string none = none_differs(got, !want.is_none());
  if (!none.empty() || want.is_none()) return none;
  if (name_of(got.dtype()) != want.dtype)
    return cat("dtype ", got.dtype(), ", needed ", want.dtype);
  if (plain(got.sizes()) != want.sizes)
    return cat("sizes ", got.sizes(), ", needed ", dims(want.sizes));
  if (strides && !same_strides(want.sizes, plain(got.strides()), want.strides))
    return cat("strides ", got.strides(), ", needed ", dims(want.strides));
  if (want.offset && got.impl()->offset != *want.offset)
    return cat("offset ", got.impl()->offset, ", needed ", *want.offset);
  return "";
}

std::string differs(const Tensor& got, const Tensor& want) {
  const std::string none = none_differs(got, want.defined());
  if (!none.empty() || !want.defined()) return none;
  if (got.dtype() != want.dtype()) return cat("dtype ", got.dtype(), ", needed ", want.dtype());
  if (cat(got.sizes(), got.strides()) != cat(want.sizes(), want.strides()))
    return cat("sizes ", got.sizes(), ", strides ", got.strides(), ", needed ", want.sizes(),
               ", strides ", want.strides());
  const std::vector<std::byte> elements = elements_of(want);
  SampleResult expected;
  expected.dtype = name_of(want.dtype());
  expected.elements = elements;
  return difference(expected, elements_of(got), {});
}

}  // namespace vitro::test
