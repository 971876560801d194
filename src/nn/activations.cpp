#include "vitro/nn/activations.h"

#include "vitro/base/error.h"
#include "vitro/nn/init.h"

namespace vitro::nn {

PReLU::PReLU(Module& owner, std::string name, int64_t num_parameters, double init)
    : Module(owner, std::move(name), "PReLU") {
  VITRO_CHECK(num_parameters > 0, "PReLU: needs a positive number of parameters, got ",
              num_parameters);
  add_parameter("weight", weight, constant({num_parameters}, init));
}

Tensor PReLU::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) { return prelu(in, weight); });
}

Activation::Activation(const char* name) {
  const std::string_view word = name;
  VITRO_CHECK(word == "relu" || word == "gelu",
              "an activation must be \"relu\", \"gelu\" or a function, got \"", word, "\"");
  if (word == "relu")
    function_ = [](const Tensor& x) { return relu(x); };
  else
    function_ = [](const Tensor& x) { return gelu(x); };
}

}  // namespace vitro::nn
