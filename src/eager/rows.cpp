#include "eager/rows.h"

#include "eager/kernel_table.h"
#include "eager/loop.h"
#include "eager/run.h"
#include "vitro/ops/norm.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

bool is_dense_f32(const Operand& o) {
  return o.is_tensor() && o.tensor().dtype() == DType::f32 && o.tensor().is_contiguous();
}

const float* data_of(const Operand& o) {
  return static_cast<const float*>(o.tensor().const_data());
}

float* memory_of(const Tensor& t) {
  return static_cast<float*>(t.impl()->storage.data()) + t.impl()->offset;
}

Tensor made_for(const TensorMeta& meta) {
  return Tensor::empty(plain(meta.sizes), meta.dtype, meta.device);
}

int64_t grain_of(int64_t n, double flops) {
  const auto count = static_cast<double>(n);
  return grain_for({.bytes = 8 * count, .flops = flops * count});
}

bool softmax(const OpCall& call, const std::vector<TensorMeta>& metas, std::span<Tensor> results) {
  const auto& attrs = call.attrs.as<ops::SoftmaxAttrs>();
  if (!is_dense_f32(call.operands[0])) return false;
  const Ints& sizes = call.operands[0].tensor().impl()->sizes;
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t all = count_of(sizes);
  if (rank == 0 || (attrs.dim != -1 && attrs.dim != rank - 1) || all == 0) return false;
  results[0] = made_for(metas[0]);
  const int64_t n = sizes.back();
  const float* x = data_of(call.operands[0]);
  float* y = memory_of(results[0]);
  parallel_for(all / n, grain_of(n, 1.5), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) kernel_table().softmax_row(x + i * n, y + i * n, n);
  });
  return true;
}

bool layer_norm(const OpCall& call, const std::vector<TensorMeta>& metas,
                std::span<Tensor> results) {
  const auto& attrs = call.attrs.as<ops::LayerNormAttrs>();
  const float* parameters[2] = {nullptr, nullptr};
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (call.operands[i].kind() == Operand::Kind::none) continue;
    if (!is_dense_f32(call.operands[i])) return false;
    if (i > 0) parameters[i - 1] = data_of(call.operands[i]);
  }
  const int64_t n = count_of(plain(attrs.normalized_shape));
  const int64_t all = count_of(call.operands[0].tensor().impl()->sizes);
  if (all == 0) return false;
  for (size_t i = 0; i < 3; ++i) results[i] = made_for(metas[i]);
  const float* x = data_of(call.operands[0]);
  float *y = memory_of(results[0]), *mean = memory_of(results[1]), *scale = memory_of(results[2]);
  parallel_for(all / n, grain_of(n, 0.5), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      kernel_table().layer_norm_row(x + i * n, parameters[0], parameters[1],
                                    static_cast<float>(attrs.eps), y + i * n, mean + i, scale + i,
                                    n);
    }
  });
  return true;
}

}  // namespace

bool run_by_rows(const OpCall& call, const std::vector<TensorMeta>& metas,
                 std::span<Tensor> results) {
  if (call.op == &ops::def<ops::Softmax>()) return softmax(call, metas, results);
  if (call.op == &ops::def<ops::NativeLayerNorm>()) return layer_norm(call, metas, results);
  return false;
}

}  // namespace vitro::eager
