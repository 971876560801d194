// Operations and bytes of convolutions, from what is recorded of their arguments.
//   if (const auto c = convolution_of("aten::convolution", input_dims, concrete_inputs))
//     print(c->shapes, c->operations);
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vitro::analyze {

// Of ops that call each other, the outermost is the convolution.
bool is_convolution(std::string_view op);

struct Convolution {
  std::string shapes;     // of x and the weights, with the settings that are not the usual ones
  double operations = 0;  // 2 for each weight, image and position; padding counts
  double elements = 0;    // of operands and results, each once
};

// Of x as of its gradient and that of the weights; of backward passes the gradients that it
// computes.  `dims` and `concrete` are "Input Dims" and "Concrete Inputs" of PyTorch's profiler;
// nothing if one is missing or does not fit the op.
std::optional<Convolution> convolution_of(std::string_view op, std::string_view dims,
                                          std::string_view concrete);

}  // namespace vitro::analyze
