// Random programs for comparing eager with compiled: straight lines of steps over numbered
// variables, with views, writes in place, values read back by the host, branches on data, and
// sizes, layouts, dtypes, numbers and structures of arguments that change from call to call; with
// caches that grow, parameters that several functions share, threads and backends of the user's.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "vitro/core/tensor.h"
#include "vitro/ops/overload.h"

namespace vitro::fuzz {

struct Random : std::mt19937_64 {
  using std::mt19937_64::mt19937_64;
  int64_t most_elements = 4096;  // of a variable that a step takes
  bool writes_overlaps = true;   // into tensors whose elements share memory
};
using Variables = std::vector<Tensor>;

size_t below(Random& random, size_t n);  // 0 to n - 1
bool one_in(Random& random, size_t n);

// How a step sees a variable: its last two dimensions exchanged; its first part along dimension 0,
// its first row or element; one dimension more in front.
enum class Look : uint8_t { whole, turned, part, row, element, in_front };
inline constexpr size_t look_count = 6;

// What a step is given: a variable, a plain number (one that `varies` grows by 1 from call to
// call), what follows from a size of a variable, or nothing.
struct Arg {
  enum class Kind : uint8_t { nothing, variable, number, size };
  Kind kind = Kind::nothing;
  bool varies = false;
  size_t variable = 0;
  Scalar number;
  Look look = Look::whole;                  // at a variable
  bool converted = false;                   // a variable: to the dtype of the step's first one
  int64_t dim = 0, divisor = 1, added = 0;  // size: that of `dim`, / divisor + added
  bool reads(size_t v) const {
    return (kind == Kind::variable || kind == Kind::size) && variable == v;
  }
};

// One argument of a call by schema: a list of the step's args, one of them, or a value.
struct Given {
  const SchemaArgument* argument = nullptr;
  size_t first = 0, count = 0;  // of Step::args
  bool is_value = false;
  ArgValue value = {};   // None, a word, a dtype
  bool wrapped = false;  // indices, by the size of the dimension that they point into
};

// One step: what it does (a place in the table of kinds, and for a call by schema the overload and
// its arguments), to what, with which small whole numbers (dimensions, sizes, dtypes).
struct Step {
  size_t kind = 0;
  const ops::Overload* call = nullptr;
  std::vector<Given> given;
  std::vector<Arg> args;
  std::vector<int64_t> ints;
  size_t results = 1;  // variables that it makes
};

// How an input lies in memory.
// windows: each row begins one element after the one before it, and shares the others.
enum class Layout : uint8_t { dense, transposed, stepped, expanded, offset, windows };
inline constexpr size_t layout_count = 6;

// Dimensions of an input; `varies` and `varies_too` stand for sizes that change from call to call.
constexpr int64_t varies = -1, varies_too = -2;
struct Input {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  Layout layout = Layout::dense;
  bool restless = false;   // another layout and dtype in some calls
  bool wild = false;       // elements that are far from 0, not finite, tiny
  int shares = -1;         // input whose memory it is a part of
  bool parameter = false;  // one of two tensors that all calls share, in turn
};

// The structure in which a call hands over its tensors; which of them lies where changes from call
// to call, and each is changed by an amount that its place says.
enum class Form : uint8_t { list, optionals, groups, keyed, paired, modes };
inline constexpr size_t form_count = 6;

// What a call hands on to the next one: rows that input 0 is joined with.
enum class Cache : uint8_t { none, tensor, optional, list };
inline constexpr size_t cache_count = 4;

// Who runs the graphs: the backend that was asked for, or one of the user's.
enum class Runner : uint8_t { asked, interprets, misbehaves };

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
  std::vector<Region> regions;                // disjoint, in order
  std::vector<size_t> results;                // variables that are returned
  std::vector<int64_t> sizes;                 // of `varies`, one per call
  std::vector<int64_t> other_sizes, numbers;  // of `varies_too`; what numbers that vary grow by
  Form form = Form::list;
  Cache cache = Cache::none;
  Runner runner = Runner::asked;
  bool twins = false;    // two functions take turns
  bool threads = false;  // in the end, several threads call one function
  bool drops = false;    // variables are let go after their last use
  bool fullgraph = false, frozen = false, exact = false;
  int dynamic = -1;  // CompileOptions::dynamic; -1: unset
};

// One call of a program: which call it is, and how mistakes in the data are repaired (0: not at
// all; a divisor of 0 becomes `repair`, an index out of range one that is in range).
struct Occasion {
  int64_t number = 0;
  int repair = 0;
  size_t repaired_steps = ~size_t{0};  // those after so many are left as they are
};

// What a kind of step sees when it runs.
struct Site {
  const Variables& variables;
  const Step& step;
  const Occasion& occasion;
  const Tensor& x(size_t i) const { return variables[step.args[i].variable]; }
  Tensor seen(size_t i) const;  // x(i) as its look and dtype say
  Scalar n(size_t i) const;     // of a number or a size
  int64_t i(size_t k) const { return step.ints[k]; }
  double f(size_t k) const { return static_cast<double>(step.ints[k]); }
  DType d(size_t k) const { return static_cast<DType>(step.ints[k]); }
  // Argument i in one dimension, repaired to lie in [0, size).
  Tensor index(size_t i, Size size) const;
  Tensor repaired_index(const Tensor& index, Size size, bool wraps = false) const;
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

// What programs may be surrounded by, each of which can be left out.
using Without = std::set<std::string>;
const Without& surroundings();
Program generate(uint64_t seed, const Without& without = {});
// Fresh input tensors for one call; the same program and call give the same elements.
Variables make_inputs(const Program& program, int64_t call);
Variables run(const Program& program, const Variables& inputs, const Occasion& occasion,
              bool compiled);
// All variables in order, run eagerly.
Variables all_variables(const Program& program, Variables inputs, const Occasion& occasion);
// The program as a C++ function.
std::string print(const Program& program);

}  // namespace vitro::fuzz
