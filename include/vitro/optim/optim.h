// Optimizers, with the names, defaults and meaning of torch.optim.
//   optim::AdamW optimizer(model.parameters(), {.lr = 3e-4});
//   for (...) {
//     optimizer.zero_grad();
//     loss(model(x), y).backward();
//     optimizer.step();
//   }
// step() changes the parameters in place, from their gradients (Tensor::grad); a parameter without
// one is left as it is.  It consists of calls of ops, so in a compiled function it becomes a part
// of the program: parameters and moments are written in place, and a learning rate that changes
// from call to call is an argument of the kernels, not a reason to compile again.
//
// Groups of parameters may have options of their own:
//   optim::SGD optimizer({{body, {.lr = 1e-3}}, {head, {.lr = 1e-2}}});
//
// The results are those of PyTorch's optimizers, up to the rounding of their order of operations.
// Errors: options out of their range, a parameter given twice, a gradient that does not fit.
// Threads: an optimizer belongs to one thread at a time.
#pragma once

#include "vitro/optim/optimizer.h"

namespace vitro::optim {

// The optimizer that has these options.
template <class Options>
class OptimizerOf : public OptimizerWith<Options> {
 public:
  using Group = typename OptimizerWith<Options>::Group;
  explicit OptimizerOf(std::vector<Group> groups);
  explicit OptimizerOf(const Parameters& parameters, Options options = {})
      : OptimizerOf(std::vector<Group>{{parameters, options}}) {}

  // Adds parameters, with options of their own, to those that the next step changes: layers that
  // are no longer frozen.  A schedule made before does not change their learning rate.  Errors as
  // those of the constructor; the optimizer then stays as it was.
  void add_param_group(const Parameters& parameters, Options options = {});

 private:
  void update(Tensor& parameter, const Tensor& gradient, State& state, size_t group) override;
};

// Stochastic gradient descent with momentum (Sutskever et al., 2013).
struct SGDOptions {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};
using SGD = OptimizerOf<SGDOptions>;

// Kingma and Ba, 2015; amsgrad: Reddi et al., 2018.
struct AdamOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, maximize = false, decoupled_weight_decay = false;
};
using Adam = OptimizerOf<AdamOptions>;

// Adam whose weight decay does not pass through the moments (Loshchilov and Hutter, 2019).
struct AdamWOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
  bool amsgrad = false, maximize = false;
  operator AdamOptions() const {  // NOLINT(google-explicit-constructor)
    return {lr, beta1, beta2, eps, weight_decay, amsgrad, maximize, true};
  }
};
class AdamW final : public Adam {
 public:
  explicit AdamW(const std::vector<std::pair<Parameters, AdamWOptions>>& groups);
  explicit AdamW(const Parameters& parameters, AdamWOptions options = {})
      : Adam(parameters, options) {}
  void add_param_group(const Parameters& parameters, AdamWOptions options = {}) {
    Adam::add_param_group(parameters, options);
  }
};

// Tieleman and Hinton, 2012; centered: Graves, 2013.
struct RMSpropOptions {
  double lr = 1e-2, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false, maximize = false;
};
using RMSprop = OptimizerOf<RMSpropOptions>;

// Duchi et al., 2011.
struct AdagradOptions {
  double lr = 1e-2, lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0, eps = 1e-10;
  bool maximize = false;
};
using Adagrad = OptimizerOf<AdagradOptions>;

// Zeiler, 2012.
struct AdadeltaOptions {
  double lr = 1.0, rho = 0.9, eps = 1e-6, weight_decay = 0;
  bool maximize = false;
};
using Adadelta = OptimizerOf<AdadeltaOptions>;

// Adam with the infinity norm (Kingma and Ba, 2015).
struct AdamaxOptions {
  double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool maximize = false;
};
using Adamax = OptimizerOf<AdamaxOptions>;

// Adam with Nesterov's momentum (Dozat, 2016).
struct NAdamOptions {
  double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0, momentum_decay = 4e-3;
  bool decoupled_weight_decay = false, maximize = false;
};
using NAdam = OptimizerOf<NAdamOptions>;

// Adam with a rectified variance (Liu et al., 2020).
struct RAdamOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool decoupled_weight_decay = false, maximize = false;
};
using RAdam = OptimizerOf<RAdamOptions>;

// The sign of a momentum (Chen et al., 2023); with weight decay as AdamW.
struct LionOptions {
  double lr = 1e-4, beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
  bool maximize = false;
};
using Lion = OptimizerOf<LionOptions>;

extern template class OptimizerOf<SGDOptions>;
extern template class OptimizerOf<AdamOptions>;
extern template class OptimizerOf<RMSpropOptions>;
extern template class OptimizerOf<AdagradOptions>;
extern template class OptimizerOf<AdadeltaOptions>;
extern template class OptimizerOf<AdamaxOptions>;
extern template class OptimizerOf<NAdamOptions>;
extern template class OptimizerOf<RAdamOptions>;
extern template class OptimizerOf<LionOptions>;

}  // namespace vitro::optim
