// Modules that only call a function: activations, pools, losses and the like are defined with
// these templates, one struct or line each.
//   struct LeakyReLUFunction {
//     static constexpr std::string_view kind = "LeakyReLU";
//     double negative_slope = 0.01;
//     Tensor operator()(ops::At x) const { return leaky_relu(x, negative_slope); }
//   };
//   using LeakyReLU = FunctionModule<LeakyReLUFunction>;
//   using Tanh = FunctionModule<Named<"Tanh", tanh>>;
// Such a module is made with an owner and a name, or alone; then follow the members of the struct,
// in order, or by name in braces:
//   nn::LeakyReLU a{*this, "a", 0.2};   nn::LeakyReLU b{*this, "b", {.negative_slope = 0.2}};
//   nn::LeakyReLU alone;
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "vitro/nn/module.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

// A string as an argument of a template.
template <size_t size>
struct FixedString {
  constexpr FixedString(const char (&from)[size]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(from, size, text);
  }
  constexpr std::string_view view() const { return {text, size - 1}; }
  char text[size];
};

// A function without options.
template <FixedString name, auto call>
struct Named {
  static constexpr std::string_view kind = name.view();
  Tensor operator()(ops::At x) const {
    if constexpr (std::is_invocable_v<decltype(call), ops::At>)
      return call(x);
    else  // an op that also takes numbers
      return call(ops::First(x.operand.tensor(), x.where));
  }
};

// What F may have beside its call and its options: `buffers()`, an array of the names and members
// that are tensors of the module's state. A call that also takes a bool gets is_training().
template <class F>
class FunctionModule : public Module {
 public:
  explicit FunctionModule(F function = {})
      : Module(std::string(F::kind)), function_(std::move(function)) {
    add_buffers();
  }
  FunctionModule(Module& owner, std::string name, F function = {})
      : Module(owner, std::move(name), std::string(F::kind)), function_(std::move(function)) {
    add_buffers();
  }
  template <class... Values>
    requires(sizeof...(Values) > 0 && std::is_constructible_v<F, Values...> &&
             !(std::is_same_v<F, std::remove_cvref_t<Values>> || ...))
  FunctionModule(Module& owner, std::string name, Values... values)
      : FunctionModule(owner, std::move(name), F(std::move(values)...)) {}

  // The options.
  const F& function() const { return function_; }

  Tensor operator()(ops::At x) const
    requires(std::is_invocable_v<const F&, ops::At> || std::is_invocable_v<const F&, ops::At, bool>)
  {
    return forward(x, [&](const ops::At& in) -> Tensor {
      if constexpr (std::is_invocable_v<const F&, ops::At, bool>)
        return function_(in, is_training());
      else
        return function_(in);
    });
  }
  template <class... More>
    requires(sizeof...(More) > 0 && std::is_invocable_v<const F&, ops::At, const More&...>)
  auto operator()(ops::At x, const More&... more) const {
    const ModuleScope here = scope();
    return function_(x, more...);
  }

 private:
  void add_buffers() {
    if constexpr (requires { F::buffers(); }) {
      for (const auto& [name, member] : F::buffers())
        if (Tensor& slot = function_.*member; slot.defined())
          add_buffer(std::string(name), slot, Tensor(slot));
    }
  }
  F function_;
};

// The same for a function whose first member, such as the size of a kernel, may be a list in
// braces; those that follow it are a struct of their own.
//   nn::MaxPool2d pool{*this, "pool", {3, 2}, {.stride = 2}};
template <class F>
class SizedModule : public FunctionModule<F> {
  using Size = decltype(F::size);

 public:
  SizedModule(Module& owner, std::string name, Size size)
      : FunctionModule<F>(owner, std::move(name), F{std::move(size)}) {}
  template <class G = F>
  SizedModule(Module& owner, std::string name, Size size, decltype(G::options) options)
      : FunctionModule<F>(owner, std::move(name), F{std::move(size), std::move(options)}) {}
};

}  // namespace vitro::nn
