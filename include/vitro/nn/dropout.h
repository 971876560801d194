// Dropout, in training; in evaluation these modules return x itself.
//   nn::Dropout drop{*this, "drop", 0.1};
#pragma once

#include <string>

#include "vitro/nn/module.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

// What the modules for dropout have in common; in evaluation they return x itself.
class AnyDropout : public Module {
 public:
  Tensor operator()(ops::At x) const;

 protected:
  using Function = Tensor (*)(ops::At x, double p, bool train);
  AnyDropout(std::string kind, Module& owner, std::string name, Function function, double p);

 private:
  Function function_;
  double p_;
};

// Sets each element to 0 with the probability p and divides the others by 1 - p.
struct Dropout : AnyDropout {
  Dropout(Module& owner, std::string name, double p = 0.5);
};
// The same for whole channels of x [n, c, l] or [c, l], [n, c, h, w], and [n, c, d, h, w] or
// [c, d, h, w].
struct Dropout1d : AnyDropout {
  Dropout1d(Module& owner, std::string name, double p = 0.5);
};
struct Dropout2d : AnyDropout {
  Dropout2d(Module& owner, std::string name, double p = 0.5);
};
struct Dropout3d : AnyDropout {
  Dropout3d(Module& owner, std::string name, double p = 0.5);
};
// Sets elements, or channels, to the limit of selu instead of 0, and keeps mean and variance.
struct AlphaDropout : AnyDropout {
  AlphaDropout(Module& owner, std::string name, double p = 0.5);
};
struct FeatureAlphaDropout : AnyDropout {
  FeatureAlphaDropout(Module& owner, std::string name, double p = 0.5);
};

}  // namespace vitro::nn
