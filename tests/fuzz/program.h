// Random programs for comparing eager with compiled: straight lines of steps over numbered
// variables, with views, writes in place, values read back by the host, branches on data, and
// sizes, layouts, dtypes and numbers that change from call to call.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro::fuzz {

using Random = std::mt19937_64;
using Variables = std::vector<Tensor>;

size_t below(Random& random, size_t n);  // 0 to n - 1
bool one_in(Random& random, size_t n);

// What a step is given: a variable, a plain number (one that `varies` grows by 1 from call to
// call), or nothing.
struct Arg {
  enum class Kind : uint8_t { nothing, variable, number };
  Kind kind = Kind::nothing;
  bool varies = false;
  size_t variable = 0;
  Scalar number;
};

// One step: what it does (a place in the table of kinds, and for some kinds an op), to what, with
// which small whole numbers (dimensions, sizes, dtypes).
struct Step {
  size_t kind = 0;
  const OpDef* op = nullptr;
  std::vector<Arg> args;
  std::vector<int64_t> ints;
  bool in_place = false;
  size_t results = 1;  // variables that it makes
};

// How an input lies in memory.
enum class Layout : uint8_t { dense, transposed, stepped, expanded, offset };
inline constexpr size_t layout_count = 5;

// Dimensions of an input; `varies` stands for the size that changes from call to call.
constexpr int64_t varies = -1;
struct Input {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  Layout layout = Layout::dense;
  bool restless = false;  // another layout and dtype in some calls
  bool wild = false;      // elements that are far from 0, not finite, tiny
  int shares = -1;        // input whose memory it is a part of
};

// Steps that run inside of another compiled function, or one that is not to be compiled.
enum class RegionKind : uint8_t { nested, disabled };
struct Region {
  RegionKind kind = RegionKind::nested;
  size_t begin = 0, end = 0;  // steps
};

// Variables: the inputs first, then the results of the steps in order.
struct Program {
  uint64_t seed = 0;
  std::vector<Input> inputs;
  std::vector<Step> steps;
  std::vector<Region> regions;  // disjoint, in order
  std::vector<size_t> results;  // variables that are returned
  std::vector<int64_t> sizes;   // of `varies`, one per call
  bool drops = false;           // variables are let go after their last use
  bool fullgraph = false, frozen = false, exact = false;
  int dynamic = -1;  // CompileOptions::dynamic; -1: unset
};

// One call of a program: which call it is, and how mistakes in the data are repaired (0: not at
// all; a divisor of 0 becomes `repair`, an index out of range one that is in range).
struct Occasion {
  int64_t number = 0;
  int repair = 0;
};

// What a kind of step sees when it runs.
struct Site {
  const Variables& variables;
  const Step& step;
  const Occasion& occasion;
  const Tensor& x(size_t i) const { return variables[step.args[i].variable]; }
  Scalar n(size_t i) const;
  int64_t i(size_t k) const { return step.ints[k]; }
  double f(size_t k) const { return static_cast<double>(step.ints[k]); }
  DType d(size_t k) const { return static_cast<DType>(step.ints[k]); }
  // Argument i in one dimension, repaired to lie in [0, size).
  Tensor index(size_t i, Size size) const;
};

// A kind of step: picks its arguments (false: none fits), runs, and is told as C++ by `text`, where
// x(0), n(1), i(0), d(0) stand for arguments and numbers.
struct Kind {
  const char* name;
  int weight;
  bool breaks;  // the host looks at elements
  bool (*choose)(Random& random, const Variables& all, Step& step);
  Variables (*run)(const Site& site);
  const char* text;
};
const std::vector<Kind>& kinds();
const Kind& kind_of(const Step& step);

Program generate(uint64_t seed);
// Fresh input tensors for one call; the same program and call give the same elements.
Variables make_inputs(const Program& program, int64_t call);
Variables run(const Program& program, const Variables& inputs, const Occasion& occasion,
              bool compiled);
// All variables in order, run eagerly.
Variables all_variables(const Program& program, Variables inputs, const Occasion& occasion);
// The program as a C++ function.
std::string print(const Program& program);

}  // namespace vitro::fuzz
