#include "ops/complex_product.h"

#include <cmath>

#include "vitro/base/error.h"
#include "vitro/ops/definition.h"

namespace vitro::ops {
namespace {

// Each takes two numbers as pairs and writes a third one.
struct Multiply {
  template <class T>
  static void put(const T* a, const T* b, T* out) {
    const T re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    out[0] = re;
    out[1] = im;
  }
};
struct Divide {
  template <class T>
  static void put(const T* a, const T* b, T* out) {
    const bool is_wide = std::abs(b[0]) >= std::abs(b[1]);
    const T larger = is_wide ? b[0] : b[1], smaller = is_wide ? b[1] : b[0];
    const T first = is_wide ? a[0] : a[1], second = is_wide ? a[1] : a[0];
    if (larger == 0) {
      const T size = std::abs(b[0]), re = a[0] / size, im = a[1] / size;
      out[0] = re;
      out[1] = im;
      return;
    }
    const T ratio = smaller / larger, scale = 1 / (larger + smaller * ratio);
    const T turned = first * ratio;
    out[0] = (first + second * ratio) * scale;
    out[1] = (is_wide ? second - turned : turned - second) * scale;
  }
};

int64_t count_of(const OpaqueTensor& pairs) {
  int64_t count = 1;
  for (const int64_t size : pairs.sizes.first(pairs.sizes.size() - 1)) count *= size;
  return count;
}

template <class How, class T>
void each_pair(const OpaqueCall& call) {
  const auto *a = static_cast<const T*>(call.operands[0].tensor.data),
             *b = static_cast<const T*>(call.operands[1].tensor.data);
  auto* out = static_cast<T*>(call.results[0].data);
  const int64_t count = count_of(call.results[0]);
  const int64_t step_of_b = call.operands[1].tensor.sizes.size() == 1 ? 0 : 2;
  auto part = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) How::put(a + 2 * i, b + step_of_b * i, out + 2 * i);
  };
  const auto piece = [](void* self, int64_t begin, int64_t end) {
    (*static_cast<decltype(part)*>(self))(begin, end);
  };
  constexpr int64_t grain = 1 << 15;
  call.parallel ? call.parallel(count, grain, piece, &part) : part(0, count);
}

template <class How>
void each_pair_of(const OpaqueCall& call) {
  call.results[0].dtype == DType::f64 ? each_pair<How, double>(call) : each_pair<How, float>(call);
}

template <class Op>
std::optional<Tensor> in_one_visit(const Tensor& a, const Tensor& b, std::source_location where) {
  const bool by_one = b.rank() == 0;
  if (!a.is_contiguous() || !b.is_contiguous()) return {};
  if (!by_one && !equal_sizes(a.sizes(), b.sizes())) return {};
  return Tensor::as_complex(call<Op>(where, {a.pairs(), b.pairs()}));
}

}  // namespace

void OfPairs::shape(ShapeCall& call) {
  const TensorMeta &a = *call.operands[0].meta, &b = *call.operands[1].meta;
  VITRO_ASSERT(a.dtype == b.dtype && (b.rank() == 1 || equal_sizes(a.sizes, b.sizes)));
  call.results.push_back(dense(a.dtype, a.device, a.sizes));
}

void MulOfPairs::kernel(const OpaqueCall& call) {
  each_pair_of<Multiply>(call);
}
void DivOfPairs::kernel(const OpaqueCall& call) {
  each_pair_of<Divide>(call);
}

std::optional<Tensor> product_in_one_visit(const Tensor& a, const Tensor& b,
                                           std::source_location where) {
  return in_one_visit<MulOfPairs>(a, b, where);
}
std::optional<Tensor> quotient_in_one_visit(const Tensor& a, const Tensor& b,
                                            std::source_location where) {
  return in_one_visit<DivOfPairs>(a, b, where);
}

}  // namespace vitro::ops
