// L-BFGS (Liu and Nocedal, 1989), with the options and iterates of torch.optim.LBFGS.
//   optim::LBFGS optimizer(model.parameters(), {.line_search = true});
//   for (int i = 0; i < 20; ++i)
//     optimizer.step([&] {
//       optimizer.zero_grad();
//       const Tensor loss = mean(square(model(x) - y));
//       loss.backward();
//       return loss;
//     });
// It evaluates the function several times a step, and decides by the elements of the results, so it
// is not for compiled functions; what it calls may be compiled.
#pragma once

#include <cstdint>
#include <deque>

#include "vitro/base/function_ref.h"
#include "vitro/optim/optimizer.h"

namespace vitro::optim {

struct LBFGSOptions {
  double lr = 1;
  int64_t max_iter = 20;
  int64_t max_eval = 0;  // 0: max_iter * 5 / 4
  double tolerance_grad = 1e-7, tolerance_change = 1e-9;
  size_t history_size = 100;
  bool line_search = false;  // for Wolfe's strong conditions; PyTorch's line_search_fn
};

class LBFGS {
 public:
  // Error if there are no parameters, or they differ in dtype.
  explicit LBFGS(Parameters parameters, LBFGSOptions options = {});
  LBFGS(const LBFGS&) = delete;
  LBFGS& operator=(const LBFGS&) = delete;

  // `closure` computes the gradients and returns the loss, a tensor of one element.  Returns the
  // first loss.
  Tensor step(FunctionRef<Tensor()> closure);
  void zero_grad();
  LBFGSOptions& options() { return options_; }

 private:
  struct Point {
    double loss;
    Tensor gradient;
  };
  // A step of a search along a direction, and what was found there.
  struct Probe {
    double at, loss;
    Tensor gradient;
    double slope;
  };
  class Search;

  Tensor gradient() const;
  std::vector<Tensor> copies() const;
  void move(double length, const Tensor& direction);
  void restore(const std::vector<Tensor>& values);
  Point evaluate(FunctionRef<Tensor()> closure);
  void remember(const Tensor& change, const Tensor& of_gradient);
  Tensor direction() const;

  Parameters parameters_;
  LBFGSOptions options_;
  // The last steps, the changes of the gradient, and 1 over their products.
  std::deque<Tensor> steps_, changes_;
  std::deque<double> inverses_;
  Tensor direction_, previous_;
  double length_ = 0, scale_ = 1, previous_loss_ = 0;
  int64_t iterations_ = 0;
};

}  // namespace vitro::optim
