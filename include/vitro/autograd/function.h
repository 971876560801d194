// Functions with a backward pass of their own, as torch.autograd.Function.
//   struct Cube : Function<Cube> {
//     static Tensor forward(FunctionContext& context, const Tensor& x) {
//       context.save_for_backward({x});
//       return x * x * x;
//     }
//     static std::vector<Tensor> backward(FunctionContext& context, std::span<const Tensor> g) {
//       const Tensor x = context.saved_tensors()[0];
//       return {g[0] * 3.0 * x * x};
//     }
//   };
//   Tensor y = Cube::apply(x);
// `forward` runs in the scope of a NoGrad and returns a tensor or a std::vector of tensors; it is
// given the arguments of apply().  `backward` is given the gradient of each result (zeros where
// there is none) and returns one for each argument; undefined: there is none.  Its calls are
// recorded if the pass is (create_graph).  In a compiled function both are compiled with what is
// around them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vitro/autograd/argument.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/tensor.h"

namespace vitro {

// What a call of a function keeps from forward() for backward().  It may be derived from, to keep
// more: a function names its class as `Context`.
class FunctionContext {
 public:
  FunctionContext();
  FunctionContext(const FunctionContext&) = delete;
  virtual ~FunctionContext();

  // In forward(): arguments, results, or others; the last call counts.  They are released as
  // backward() passes.
  void save_for_backward(std::vector<Tensor> tensors);
  // In backward(): the same.  Error if one was written in the meantime.
  std::vector<Tensor> saved_tensors() const;
  // In forward(): results that have no gradient.
  void mark_non_differentiable(const std::vector<Tensor>& results);
  // Whether the gradient of an argument is needed, as far as is known.
  bool needs_input_grad(size_t argument) const;

 private:
  friend class FunctionCall;
  struct State;
  std::unique_ptr<State> state_;
};

// What Function::apply() does, without templates.
class FunctionCall {
 public:
  using Backward = std::function<std::vector<Tensor>(std::span<const Tensor> gradients)>;
  // `arguments`: undefined where they are not tensors.
  FunctionCall(std::shared_ptr<FunctionContext> context, std::vector<Tensor> arguments);
  // What the program gets for the results of forward().
  std::vector<Tensor> results(std::string_view name, std::vector<Tensor> computed,
                              Backward backward) const;

 private:
  std::shared_ptr<FunctionContext> context_;
  std::vector<Tensor> arguments_;
};

template <class Derived>
struct Function {
  using Context = FunctionContext;

  // A tensor, or a std::vector of them: what forward() returns.
  template <class... Arguments>
  static auto apply(const Arguments&... arguments) {
    const auto context = std::make_shared<typename Derived::Context>();
    const FunctionCall call(context, {autograd::tensor_argument(arguments)...});
    auto computed = [&] {
      const NoGrad off;
      return Derived::forward(*context, arguments...);
    }();
    const auto backward = [context](std::span<const Tensor> gradients) {
      return Derived::backward(*context, gradients);
    };
    if constexpr (std::is_same_v<decltype(computed), Tensor>)
      return call.results(name(), {std::move(computed)}, backward)[0];
    else
      return call.results(name(), std::move(computed), backward);
  }

 private:
  // For errors: the member `name` of the function, if there is one.
  static constexpr std::string_view name() {
    if constexpr (requires { std::string_view(Derived::name); })
      return Derived::name;
    else
      return "function";
  }
};

}  // namespace vitro
