// Random programs for comparing eager with compiled: straight lines of steps over numbered
// variables, with views, writes in place, values read back by the host, branches on data and sizes
// that change from call to call.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::fuzz {

// One step: what it does (a place in the table of steps), to which variables, with which small
// numbers.
struct Step {
  size_t kind = 0;
  std::vector<size_t> operands;
  std::vector<int64_t> ints;
  double number = 0;
};

// Dimensions of an input; `varies` stands for the size that changes from call to call.
constexpr int64_t varies = -1;
struct Input {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
};

// Variables: the inputs first, then one per step.
struct Program {
  uint64_t seed = 0;
  std::vector<Input> inputs;
  std::vector<Step> steps;
  std::vector<size_t> results;  // variables that are returned
};

using Random = std::mt19937_64;

// A kind of step: picks its operands among variables (false: none fits), runs, prints itself as
// C++.
struct Kind {
  const char* name;
  bool (*choose)(Random& random, const std::vector<Tensor>& variables, Step& step);
  Tensor (*run)(const std::vector<Tensor>& variables, const Step& step);
  std::string (*text)(const Step& step);
};
const std::vector<Kind>& kinds();

Program generate(uint64_t seed);
// Fresh input tensors for one call; the same seed and size give the same elements.
std::vector<Tensor> make_inputs(const Program& program, int64_t size, uint64_t seed);
std::vector<Tensor> run(const Program& program, const std::vector<Tensor>& inputs);
// The program as a C++ function.
std::string print(const Program& program);

// Empty, or how eager and compiled differ over a few calls: other elements, other sizes.
std::string compare(const Program& program, const std::string& backend);
// A smaller program that still differs.
Program shrink(Program program, const std::string& backend);

}  // namespace vitro::fuzz
