// Functions with a backward pass of their own: their node, and what it keeps.
#include "vitro/autograd/function.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "autograd/call_node.h"
#include "autograd/data_sizes.h"
#include "autograd/node.h"
#include "autograd/shapes.h"
#include "core/numbers.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"
#include "vitro/ops/shapes.h"

namespace vitro {

struct FunctionContext::State {
  struct Saved {
    autograd::SavedValue value;
    std::optional<uint32_t> result;  // it is this result of the function
  };
  std::vector<Tensor> to_save;  // until the results are known
  std::vector<Saved> saved;
  std::vector<Tensor> without_gradient;
  std::vector<bool> needed;  // by argument
  std::weak_ptr<autograd::Node> node;
  bool is_released = false;
};

FunctionContext::FunctionContext() : state_(std::make_unique<State>()) {}
FunctionContext::~FunctionContext() = default;

void FunctionContext::save_for_backward(std::vector<Tensor> tensors) {
  state_->to_save = std::move(tensors);
}

std::vector<Tensor> FunctionContext::saved_tensors() const {
  VITRO_CHECK(!state_->is_released,
              "backward: the tensors that a function saved were released by an earlier backward; "
              "pass {.retain_graph = true} to that one to go through the graph again");
  std::vector<Tensor> out;
  for (size_t i = 0; i < state_->saved.size(); ++i) {
    const State::Saved& one = state_->saved[i];
    VITRO_CHECK(!one.value.was_written(), "backward: saved tensor ", i,
                " of a function was written after it was saved; clone it before that");
    autograd::Shapes without;
    Tensor tensor;
    (void)one.value.operand(nullptr, without, tensor);
    const std::shared_ptr<autograd::Node> node = state_->node.lock();
    const bool in_turn = one.result && node && thread_state.modes.grad_enabled;
    if (in_turn && tensor.is_complex())
      tensor = Tensor::as_complex(autograd::with_history(tensor.pairs(), node, *one.result));
    else if (in_turn)
      tensor = autograd::with_history(tensor, node, *one.result);
    out.push_back(std::move(tensor));
  }
  return out;
}

void FunctionContext::mark_non_differentiable(const std::vector<Tensor>& results) {
  state_->without_gradient = results;
}

bool FunctionContext::needs_input_grad(size_t argument) const {
  return argument < state_->needed.size() && state_->needed[argument];
}

namespace autograd {
namespace {

// A complex tensor is recorded as its pairs.
const Tensor& recorded(const Tensor& tensor) {
  return tensor.is_complex() ? tensor.pairs() : tensor;
}
Tensor as_recorded(const Tensor& tensor, bool is_complex) {
  return is_complex ? Tensor::as_complex(contiguous(tensor)) : tensor;
}

// An argument or a result, as far as its gradient goes.
struct Place {
  TensorMeta meta;  // of its pairs, if it is complex
  bool is_complex = false;
  Place() = default;
  explicit Place(const Tensor& tensor)
      : meta(recorded(tensor).rule_meta()), is_complex(tensor.is_complex()) {}
};

class FunctionNode final : public Node {
 public:
  FunctionNode(std::string_view name, std::span<const Tensor> arguments,
               std::span<const Tensor> computed, FunctionCall::Backward backward,
               std::function<void()> release)
      : Node(name, {name}, computed.size()),
        backward_(std::move(backward)),
        release_(std::move(release)) {
    std::vector<Operand> known;
    for (const Tensor& t : arguments) {
      arguments_.push_back(t.defined() ? Place(t) : Place());
      if (t.defined()) known.emplace_back(recorded(t));
    }
    for (const Tensor& t : computed) results_.push_back(t.defined() ? Place(t) : Place());
    for (const auto* places : {&arguments_, &results_})
      for (const Place& place : *places) sizes_.add(place.meta, known);
  }

  std::vector<Tensor> back(std::span<const Tensor> gradients) override {
    std::vector<Tensor> given;
    for (size_t k = 0; k < gradients.size(); ++k) {
      Tensor one = gradients[k];
      if (!one.defined()) {
        const TensorMeta meta = in_this_call(results_[k].meta);
        one = zeros(meta.sizes, meta.dtype);
      }
      given.push_back(as_recorded(one, results_[k].is_complex));
    }
    std::vector<Tensor> out = backward_(given);
    VITRO_CHECK(out.size() == edges.size(), op, ": backward returned ", out.size(),
                " gradients for ", edges.size(),
                " arguments; return one for each, undefined where there is none");
    for (size_t i = 0; i < out.size(); ++i) {
      if (!edges[i]) out[i] = {};
      if (!out[i].defined()) continue;
      out[i] = recorded(out[i]);
      const TensorMeta want = in_this_call(arguments_[i].meta);
      VITRO_CHECK(ops::equal_sizes(out[i].sizes(), want.sizes) && out[i].dtype() == want.dtype, op,
                  ": backward returned ", out[i].dtype(), numbers_of(out[i].sizes()),
                  " for argument ", i, ", which is ", want.dtype, numbers_of(want.sizes));
    }
    return out;
  }
  void release() override {
    release_();
    sizes_.clear();
  }

 private:
  TensorMeta in_this_call(const TensorMeta& meta) const {
    return within == call_of_this_thread ? meta : sizes_.in_numbers(meta);
  }
  std::vector<Place> arguments_, results_;
  DataSizes sizes_;
  FunctionCall::Backward backward_;
  std::function<void()> release_;
};

}  // namespace
}  // namespace autograd

namespace {

Tensor without_record(const Tensor& tensor) {
  const Tensor out = autograd::detached(autograd::recorded(tensor));
  return tensor.is_complex() ? Tensor::as_complex(out) : out;
}

}  // namespace

FunctionCall::FunctionCall(std::shared_ptr<FunctionContext> context, std::vector<Tensor> arguments)
    : context_(std::move(context)), arguments_(std::move(arguments)) {
  for (const Tensor& t : arguments_)
    context_->state_->needed.push_back(t.defined() && t.requires_grad() &&
                                       thread_state.modes.grad_enabled);
}

std::vector<Tensor> FunctionCall::results(std::string_view name, std::vector<Tensor> computed,
                                          Backward backward) const {
  using autograd::recorded;
  FunctionContext::State& state = *context_->state_;
  std::vector<Tensor> to_save = std::exchange(state.to_save, {});
  if (std::ranges::find(state.needed, true) == state.needed.end()) return computed;
  const auto release = [context = std::weak_ptr(context_)] {
    const auto here = context.lock();
    if (!here) return;
    for (FunctionContext::State::Saved& one : here->state_->saved) (void)one.value.release();
    here->state_->is_released = true;
  };
  const auto node = std::make_shared<autograd::FunctionNode>(name, arguments_, computed,
                                                             std::move(backward), release);
  for (size_t i = 0; i < arguments_.size(); ++i)
    node->edges.push_back(state.needed[i] ? autograd::edge_of(recorded(arguments_[i]))
                                          : autograd::Edge());
  state.node = node;
  std::vector<std::optional<uint32_t>> result_of(to_save.size());
  for (uint32_t k = 0; k < computed.size(); ++k) {
    Tensor& result = computed[k];
    if (!result.defined()) continue;
    const auto is_result = [&](const Tensor& t) { return t.defined() && t.same_as(result); };
    const bool is_argument = std::ranges::any_of(arguments_, is_result);
    const bool has_gradient = std::ranges::none_of(state.without_gradient, is_result) &&
                              is_floating(recorded(result).dtype());
    for (size_t i = 0; i < to_save.size(); ++i) {
      if (!is_result(to_save[i]) || is_argument) continue;
      to_save[i] = without_record(result);  // the result itself would keep its node
      if (has_gradient) result_of[i] = k;
    }
    if (is_argument) result = without_record(result);
    if (!has_gradient) continue;
    const Tensor& numbers = recorded(result);
    autograd::made_record_of(numbers).set_made_by(node, k);
    numbers.impl()->requires_grad = true;
  }
  for (size_t i = 0; i < to_save.size(); ++i) {
    Tensor& t = to_save[i];
    state.saved.push_back(
        {t.defined() ? autograd::SavedValue(std::move(t)) : autograd::SavedValue(), result_of[i]});
  }
  return computed;
}

}  // namespace vitro
