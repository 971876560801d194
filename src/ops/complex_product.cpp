#include "ops/complex_product.h"

#include "vitro/base/error.h"
#include "vitro/ops/definition.h"

namespace vitro::ops {
namespace {

template <class T>
void multiply(const T* __restrict a, const T* __restrict b, T* __restrict out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const T re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
    const T im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}
template <class T>
void multiply_by_one(const T* __restrict a, T re_b, T im_b, T* __restrict out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const T re = a[2 * i] * re_b - a[2 * i + 1] * im_b;
    const T im = a[2 * i] * im_b + a[2 * i + 1] * re_b;
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}

int64_t count_of(const OpaqueTensor& pairs) {
  int64_t count = 1;
  for (const int64_t size : pairs.sizes.first(pairs.sizes.size() - 1)) count *= size;
  return count;
}

template <class T>
void multiply_all(const OpaqueCall& call) {
  const auto *a = static_cast<const T*>(call.operands[0].tensor.data),
             *b = static_cast<const T*>(call.operands[1].tensor.data);
  auto* out = static_cast<T*>(call.results[0].data);
  const int64_t count = count_of(call.results[0]);
  const bool by_one = call.operands[1].tensor.sizes.size() == 1;
  auto part = [&](int64_t begin, int64_t end) {
    if (by_one)
      multiply_by_one(a + 2 * begin, b[0], b[1], out + 2 * begin, end - begin);
    else
      multiply(a + 2 * begin, b + 2 * begin, out + 2 * begin, end - begin);
  };
  const auto piece = [](void* self, int64_t begin, int64_t end) {
    (*static_cast<decltype(part)*>(self))(begin, end);
  };
  constexpr int64_t grain = 1 << 15;
  call.parallel ? call.parallel(count, grain, piece, &part) : part(0, count);
}

}  // namespace

void MulOfPairs::shape(ShapeCall& call) {
  const TensorMeta &a = *call.operands[0].meta, &b = *call.operands[1].meta;
  VITRO_ASSERT(a.dtype == b.dtype && (b.rank() == 1 || equal_sizes(a.sizes, b.sizes)));
  call.results.push_back(dense(a.dtype, a.device, a.sizes));
}

void MulOfPairs::kernel(const OpaqueCall& call) {
  call.results[0].dtype == DType::f64 ? multiply_all<double>(call) : multiply_all<float>(call);
}

std::optional<Tensor> product_in_one_visit(const Tensor& a, const Tensor& b,
                                           std::source_location where) {
  const bool by_one = b.rank() == 0;
  if (!a.is_contiguous() || !b.is_contiguous()) return {};
  if (!by_one && !equal_sizes(a.sizes(), b.sizes())) return {};
  return Tensor::as_complex(call<MulOfPairs>(where, {a.pairs(), b.pairs()}));
}

}  // namespace vitro::ops
