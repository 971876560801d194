// Random programs for comparing eager with compiled: straight-line steps over numbered variables,
// with views, in-place writes, values read by the host, branches on data, and sizes, layouts,
// dtypes, numbers and argument structures that change from call to call; also with growing caches,
// parameters shared by several functions, threads, user backends, and gradients.
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
  int64_t most_elements = 4096;  // limit for a variable to be an argument of a step
  bool writes_overlaps = true;   // whether to write into tensors that overlap themselves
};
using Variables = std::vector<Tensor>;

size_t below(Random& random, size_t n);  // 0 to n - 1
bool one_in(Random& random, size_t n);

// The view of a variable that a step takes: whole; its last two dimensions transposed; its first
// part along dimension 0, its first row or element; with a dimension of size 1 in front.
enum class Look : uint8_t { whole, turned, part, row, element, in_front };
inline constexpr size_t look_count = 6;

// An argument of a step: a variable, a number (plus `Program::numbers` of the call if it `varies`),
// a number computed from a size of a variable, or nothing.
struct Arg {
  enum class Kind : uint8_t { nothing, variable, number, size };
  Kind kind = Kind::nothing;
  bool varies = false;
  size_t variable = 0;
  Scalar number;
  Look look = Look::whole;                  // of a variable
  bool converted = false;                   // variable: cast to the dtype of the step's first one
  int64_t dim = 0, divisor = 1, added = 0;  // size: size(dim) / divisor + added
  bool reads(size_t v) const {
    return (kind == Kind::variable || kind == Kind::size) && variable == v;
  }
};

// One argument of a call by schema: several of the step's args as a list, one of them, or a value.
struct Given {
  const SchemaArgument* argument = nullptr;
  size_t first = 0, count = 0;  // range in Step::args
  bool is_value = false;
  ArgValue value = {};   // None, a string or a dtype
  bool wrapped = false;  // indices are taken modulo the size of the dimension that they index
};

// One step: its kind (an index into the table, and for a call by schema the overload and its
// arguments), its arguments, and small integers (dimensions, sizes, dtypes).
struct Step {
  size_t kind = 0;
  const ops::Overload* call = nullptr;
  std::vector<Given> given;
  std::vector<Arg> args;
  std::vector<int64_t> ints;
  size_t results = 1;  // number of variables that it defines
};

// Memory layout of an input. `windows`: each row begins one element after the previous one and
// overlaps it.
enum class Layout : uint8_t { dense, transposed, stepped, expanded, offset, windows };
inline constexpr size_t layout_count = 6;

// `varies` and `varies_too` in Input::sizes stand for sizes that change from call to call.
constexpr int64_t varies = -1, varies_too = -2;
struct Input {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  Layout layout = Layout::dense;
  bool restless = false;   // different layout and dtype in some calls
  bool wild = false;       // some elements are huge, tiny or not finite
  int shares = -1;         // earlier input of which this is a view; -1: none
  bool leaf = false;       // a gradient is computed for it
  bool parameter = false;  // one of two tensors that outlive the calls, used in turn
};

// The structure in which a call passes its tensors; see forms.h.
enum class Form : uint8_t { list, optionals, groups, keyed, paired, modes };
inline constexpr size_t form_count = 6;

// How a call passes rows to the next one, which concatenates them with input 0.
enum class Cache : uint8_t { none, tensor, optional, list };
inline constexpr size_t cache_count = 4;

// Whether gradients of the results are compared, too: computed in the compiled function, or after
// its call; `twice`: in the function, with those of the gradients.
enum class Gradients : uint8_t { none, inside, outside, twice };

// Which backend runs the graphs: the one in Setup, or a user backend (backends.h).
enum class Backend : uint8_t { asked, interprets, misbehaves };

// Steps that run in a nested compiled function, or in a disabled one.
enum class RegionKind : uint8_t { nested, disabled };
struct Region {
  RegionKind kind = RegionKind::nested;
  size_t begin = 0, end = 0;  // range of steps
};

// Variables are numbered: the inputs first, then the results of the steps in order.
struct Program {
  uint64_t seed = 0;
  std::vector<Input> inputs;
  std::vector<Step> steps;
  std::vector<Region> regions;                // disjoint, in order
  std::vector<size_t> results;                // returned variables
  std::vector<int64_t> sizes;                 // of `varies`, one per call
  std::vector<int64_t> other_sizes, numbers;  // of `varies_too`; added to numbers that vary
  Form form = Form::list;
  Cache cache = Cache::none;
  Backend backend = Backend::asked;
  Gradients gradients = Gradients::none;
  bool writes_copies = false;  // leaves are copied first, so that the steps may write to them
  bool twins = false;          // two compiled functions are called in turn
  bool threads = false;        // finally, several threads call one function
  bool drops = false;          // variables are released after their last use
  bool fullgraph = false, frozen = false;
  int dynamic = -1;  // CompileOptions::dynamic; -1: unset
};

// One call of a program: `number` is added to numbers that vary; errors in the data are repaired
// unless `repair` is 0: a divisor of 0 becomes `repair`, and an index out of range is brought into
// range.
struct Occasion {
  int64_t number = 0;
  int repair = 0;
  size_t repaired_steps = ~size_t{0};  // only the first so many steps are repaired
};

// The environment in which a kind of step runs.
struct Site {
  const Variables& variables;
  const Step& step;
  const Occasion& occasion;
  const Tensor& x(size_t i) const { return variables[step.args[i].variable]; }
  Tensor seen(size_t i) const;  // x(i) after its look and cast
  Scalar n(size_t i) const;     // value of a number or a size
  int64_t i(size_t k) const { return step.ints[k]; }
  double f(size_t k) const { return static_cast<double>(step.ints[k]); }
  DType d(size_t k) const { return static_cast<DType>(step.ints[k]); }
  // Argument i, flattened, as indices repaired to lie in [0, size).
  Tensor index(size_t i, Size size) const;
  Tensor repaired_index(const Tensor& index, Size size, bool wraps = false) const;
};

// A kind of step: `choose` picks its arguments (false: none fits), `run` runs it, and `text` is its
// C++ code, in which x(0), n(1), i(0), d(0) stand for arguments and integers.
struct Kind {
  const char* name;
  int weight;
  bool breaks;  // the host reads elements
  bool (*choose)(Random& random, const Variables& all, Step& step);
  Variables (*run)(const Site& site);
  const char* text;
};
const std::vector<Kind>& kinds();
const Kind& kind_of(const Step& step);

// Features around programs (forms, caches, threads, ...) that can be left out.
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
