// Derivatives of functions of tensors, with the names and meaning of torch.autograd.functional.
//   const auto f = [](const Tensor& x) { return exp(x); };
//   Tensor j = functional::jacobian(f, x);                 // [n, n] for x [n]
//   auto [value, hv] = functional::hvp([&](const Tensor& x) { return sum(f(x)); }, x, v);
// A function takes one tensor and returns one, or takes and returns a std::vector of them.  It is
// called with tensors that require gradients and share the memory of the inputs; the inputs
// themselves get none.  With `create_graph` the results can be differentiated in turn.  In a
// compiled function all of it is compiled.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::functional {

using Tensors = std::vector<Tensor>;
using Function = std::function<Tensors(const Tensors& inputs)>;
using Single = std::function<Tensor(const Tensor& input)>;

struct Options {
  bool create_graph = false;
};

// [output][input]: the derivatives of each element of an output with respect to each of an input,
// of sizes output.sizes() + input.sizes(); zeros where an output does not depend on an input.
std::vector<Tensors> jacobian(const Function& f, const Tensors& inputs, const Options& = {});
Tensor jacobian(const Single& f, const Tensor& input, const Options& options = {});

// [input][input]: the second derivatives of a function whose result is one number.
std::vector<Tensors> hessian(const Function& f, const Tensors& inputs, const Options& = {});
Tensor hessian(const Single& f, const Tensor& input, const Options& options = {});

// What the function returned, and a product: of `v`, which has the sizes of the outputs, and the
// Jacobian.
std::pair<Tensors, Tensors> vjp(const Function& f, const Tensors& inputs, const Tensors& v,
                                const Options& = {});
std::pair<Tensor, Tensor> vjp(const Single& f, const Tensor& input, const Tensor& v,
                              const Options& options = {});
// Of the Jacobian and `v`, which has the sizes of the inputs: the derivative in that direction.  It
// is computed by two backward passes.
std::pair<Tensors, Tensors> jvp(const Function& f, const Tensors& inputs, const Tensors& v,
                                const Options& = {});
std::pair<Tensor, Tensor> jvp(const Single& f, const Tensor& input, const Tensor& v,
                              const Options& options = {});
// Of the Hessian of a function whose result is one number and `v`, which has the sizes of the
// inputs.
std::pair<Tensor, Tensors> hvp(const Function& f, const Tensors& inputs, const Tensors& v,
                               const Options& = {});
std::pair<Tensor, Tensor> hvp(const Single& f, const Tensor& input, const Tensor& v,
                              const Options& options = {});

}  // namespace vitro::functional
