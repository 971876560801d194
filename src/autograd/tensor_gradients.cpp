// What a tensor says of its gradient: the members of Tensor that need the graph of recorded calls.
#include "autograd/node.h"
#include "core/numbers.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"
#include "vitro/ops/shapes.h"

namespace vitro {

using autograd::made_record_of;
using autograd::record_of;

Tensor Tensor::grad() const {
  if (is_complex()) {
    const Tensor of_pairs = pairs().grad();
    return of_pairs.defined() ? as_complex(contiguous(of_pairs)) : Tensor();
  }
  return there().gradient ? record_of(*this)->kept() : Tensor();
}

Tensor& Tensor::set_grad(const Tensor& gradient) {
  if (gradient.defined()) {
    VITRO_CHECK(!gradient.same_as(*this), "set_grad: a tensor cannot be its own gradient");
    const Sizes have = sizes(), given = gradient.sizes();
    VITRO_CHECK(gradient.dtype() == dtype() && gradient.device() == device() &&
                    ops::equal_sizes(given, have),
                "set_grad: a gradient of ", dtype(), numbers_of(have),
                " is of the same dtype, sizes and device, got ", gradient.dtype(),
                numbers_of(given));
  }
  if (is_complex()) {
    impl_->pairs->set_grad(gradient.defined() ? gradient.pairs() : Tensor());
    return *this;
  }
  made_record_of(*this).kept() = gradient;
  return *this;
}

void Tensor::backward() const {
  vitro::backward(*this);
}

void Tensor::backward(const Tensor& gradient) const {
  vitro::backward(*this, gradient);
}

HookHandle register_hook(const Tensor& tensor, std::function<Tensor(const Tensor&)> hook) {
  VITRO_CHECK(tensor.defined() && tensor.requires_grad(),
              "register_hook: the tensor does not require a gradient");
  const Tensor& recorded = tensor.is_complex() ? tensor.pairs() : tensor;
  if (tensor.is_complex()) {
    hook = [of_numbers = std::move(hook)](const Tensor& of_pairs) {
      const Tensor other = of_numbers(Tensor::as_complex(contiguous(of_pairs)));
      return other.defined() ? other.pairs() : other;
    };
  }
  const autograd::Edge edge = autograd::edge_of(recorded);
  const std::shared_ptr<autograd::Hooks> hooks = edge.node->hooks();
  HookHandle out;
  out.remove_ = [id = hooks->add(edge.result, std::move(hook)),
                 all = std::weak_ptr<autograd::Hooks>(hooks)] {
    if (const auto here = all.lock()) here->remove(id);
  };
  return out;
}

void Tensor::retain_grad() const {
  VITRO_CHECK(requires_grad(), "retain_grad: the tensor does not require a gradient");
  autograd::Record& record = *record_of(is_complex() ? pairs() : *this);
  if (record.made_by) record.retain();
}

}  // namespace vitro
