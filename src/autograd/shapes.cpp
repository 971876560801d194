#include "autograd/shapes.h"

#include <algorithm>

namespace vitro::autograd {

Tensor Shapes::tensor(TensorMeta meta) {
  metas_.push_back(std::move(meta));
  TensorImpl* impl = new_impl();
  impl->dtype = metas_.back().dtype;
  impl->device = metas_.back().device;
  impl->call = builder_calls;  // matches no builder
  impl->slot = static_cast<uint32_t>(metas_.size() - 1);
  impl->deferred = &metas_.back();
  return made_.emplace_back(impl);
}

void Shapes::call(const OpCall& call, std::span<Tensor> results) {
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const bool is_shape = i == 0 && call.op->pointwise && call.op->pointwise->first_is_shape;
    if (!call.operands[i].is_tensor()) continue;
    Use& use = uses_[call.operands[i].tensor().impl()];
    use = std::max(use, is_shape ? Use::shape : Use::elements);
  }
  std::vector<TensorMeta> metas = infer(*call.op, call.operands, call.attrs);
  for (size_t k = 0; k < results.size(); ++k) results[k] = tensor(std::move(metas[k]));
}

}  // namespace vitro::autograd
