#include "program.h"

#include <cmath>
#include <cstring>

#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

constexpr int64_t base_size = 6;

size_t below(Random& random, size_t n) {
  return static_cast<size_t>(random() % n);
}

Input random_input(Random& random) {
  static constexpr DType dtypes[] = {DType::f32, DType::f32,  DType::f32, DType::f64,
                                     DType::i64, DType::bf16, DType::f16};
  Input input{dtypes[below(random, std::size(dtypes))], {}};
  const size_t rank = 1 + below(random, 3);
  for (size_t d = 0; d < rank; ++d) {
    static constexpr int64_t sizes[] = {varies, varies, 4, 1, 6, 17};
    input.sizes.push_back(sizes[below(random, std::size(sizes))]);
  }
  return input;
}

// Small numbers of both signs, a few of them awkward.
Tensor random_tensor(const Input& input, int64_t size, Random& random) {
  Ints sizes;
  int64_t count = 1;
  for (const int64_t s : input.sizes) {
    sizes.push_back(s == varies ? size : s);
    count *= sizes.back();
  }
  std::vector<double> values(static_cast<size_t>(count));
  for (double& v : values) {
    static constexpr double odd[] = {0.0, -0.0, INFINITY, -INFINITY, 1e30, 1e-40};
    v = static_cast<double>(static_cast<int64_t>(random() % 4001) - 2000) / 512;
    if (random() % 64 == 0) v = odd[below(random, std::size(odd))];
  }
  return dispatch(input.dtype, [&]<class T>() {
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    for (size_t i = 0; i < values.size(); ++i) {
      T t;
      if constexpr (std::is_integral_v<T>) {
        t = static_cast<T>(std::isfinite(values[i]) && std::abs(values[i]) < 100 ? values[i] : 3);
      } else {
        t = T(static_cast<float>(values[i]));
      }
      std::memcpy(&bytes[i * sizeof(T)], &t, sizeof t);
    }
    Tensor made = Tensor::empty(sizes, input.dtype);
    std::memcpy(made.storage().data(), bytes.data(), bytes.size());
    return made;
  });
}

struct Outcome {
  std::vector<Tensor> results, inputs;
  std::string error;
};

template <class F>
Outcome outcome_of(F&& f, std::vector<Tensor> inputs) {
  Outcome out;
  try {
    out.results = f(inputs);
  } catch (const Error& e) {
    out.error = e.what();
  }
  out.inputs = std::move(inputs);
  return out;
}

// The bytes of all elements in order, NaNs made equal.
std::vector<uint64_t> elements(const Tensor& t) {
  return dispatch(t.dtype(), [&]<class T>() {
    std::vector<uint64_t> out;
    const Tensor dense = contiguous(t);
    const auto* data = static_cast<const T*>(dense.const_data());
    for (int64_t i = 0; i < dense.numel().value(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, data + i, sizeof(T));
      if constexpr (!std::is_integral_v<T>) {
        if (std::isnan(static_cast<double>(
                static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(data[i]))))
          bits = ~0ULL;
      }
      out.push_back(bits);
    }
    return out;
  });
}

std::string difference(const Tensor& want, const Tensor& got, const std::string& what) {
  if (want.dtype() != got.dtype())
    return cat(what, ": dtype ", got.dtype(), ", eager has ", want.dtype());
  if (!attribute::same(want.sizes(), got.sizes()))
    return cat(what, ": sizes ", got.sizes(), ", eager has ", want.sizes());
  if (!attribute::same(want.strides(), got.strides())) {
    return cat(what, ": strides ", got.strides(), ", eager has ", want.strides());
  }
  const std::vector<uint64_t> a = elements(want), b = elements(got);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return cat(what, ": element ", i, " of ", a.size(), " differs");
  }
  return "";
}

std::string difference(const Outcome& want, const Outcome& got) {
  if (want.error != got.error)
    return cat("error \"", got.error, "\", eager has \"", want.error, "\"");
  for (size_t i = 0; i < want.results.size(); ++i) {
    if (std::string d = difference(want.results[i], got.results[i], cat("result ", i)); !d.empty())
      return d;
  }
  for (size_t i = 0; i < want.inputs.size(); ++i) {
    if (std::string d = difference(want.inputs[i], got.inputs[i], cat("input ", i, " afterwards"));
        !d.empty())
      return d;
  }
  return "";
}

// Without step `at`: what read its variable reads another of the same shape, or nothing can be
// done.
bool without_step(const Program& program, size_t at, const std::vector<Tensor>& values,
                  Program& smaller) {
  const size_t gone = program.inputs.size() + at;
  size_t other = gone;
  for (size_t v = 0; v < gone && other == gone; ++v) {
    if (values[v].dtype() == values[gone].dtype() &&
        attribute::same(values[v].sizes(), values[gone].sizes()))
      other = v;
  }
  if (other == gone) {
    for (size_t i = at + 1; i < program.steps.size(); ++i) {
      for (const size_t o : program.steps[i].operands) {
        if (o == gone) return false;
      }
    }
    other = 0;
  }
  const auto renamed = [&](size_t v) { return v == gone ? other : v > gone ? v - 1 : v; };
  smaller = program;
  smaller.steps.erase(smaller.steps.begin() + static_cast<std::ptrdiff_t>(at));
  for (Step& s : smaller.steps) {
    for (size_t& o : s.operands) o = renamed(o);
  }
  for (size_t& r : smaller.results) r = renamed(r);
  return true;
}

std::vector<Tensor> all_variables(const Program& program, std::vector<Tensor> variables) {
  for (const Step& step : program.steps)
    variables.push_back(kinds()[step.kind].run(variables, step));
  return variables;
}

}  // namespace

Program generate(uint64_t seed) {
  Random random(seed);
  Program program{seed, {}, {}, {}};
  const size_t inputs = 1 + below(random, 3), length = 2 + below(random, 11);
  for (size_t i = 0; i < inputs; ++i) program.inputs.push_back(random_input(random));
  std::vector<Tensor> variables = make_inputs(program, base_size, seed);
  for (int tries = 0; program.steps.size() < length && tries < 200; ++tries) {
    Step step{below(random, kinds().size()), {}, {}, 0};
    const Kind& kind = kinds()[step.kind];
    if (!kind.choose(random, variables, step)) continue;
    try {
      variables.push_back(kind.run(variables, step));
    } catch (const Error&) {
      continue;  // what eager refuses is left out; refusals at other sizes are compared
    }
    program.steps.push_back(std::move(step));
  }
  program.results.push_back(variables.size() - 1);
  if (random() % 2 == 0) program.results.push_back(below(random, variables.size()));
  return program;
}

std::vector<Tensor> make_inputs(const Program& program, int64_t size, uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> out;
  for (const Input& input : program.inputs) out.push_back(random_tensor(input, size, random));
  return out;
}

std::vector<Tensor> run(const Program& program, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> variables = all_variables(program, inputs);
  std::vector<Tensor> out;
  for (const size_t r : program.results) out.push_back(variables[r]);
  return out;
}

std::string print(const Program& program) {
  std::string out = cat("// seed ", program.seed,
                        "\nstd::vector<Tensor> program(const std::vector<Tensor>& in) {\n");
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    std::string sizes;
    for (const int64_t s : program.inputs[i].sizes)
      sizes += cat(sizes.empty() ? "" : ", ", s == varies ? "n" : cat(s));
    out += cat("  const Tensor v", i, " = in[", i, "];  // ", program.inputs[i].dtype, "[", sizes,
               "]\n");
  }
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    out += cat("  const Tensor v", program.inputs.size() + i, " = ", kinds()[step.kind].text(step),
               ";\n");
  }
  out += "  return {";
  for (size_t i = 0; i < program.results.size(); ++i)
    out += cat(i == 0 ? "v" : ", v", program.results[i]);
  return out + "};\n}\n";
}

std::string compare(const Program& program, const std::string& backend) {
  const auto body = [&](const std::vector<Tensor>& in) { return run(program, in); };
  auto fast = vitro::compile(body, {.backend = backend});
  struct Round {
    int64_t size;
    uint64_t seed;
  };
  static constexpr Round rounds[] = {{base_size, 1}, {base_size, 1}, {base_size, 2},
                                     {9, 3},         {17, 4},        {base_size, 5}};
  for (const Round& round : rounds) {
    const uint64_t seed = program.seed * 8 + round.seed;
    const Outcome want = outcome_of(body, make_inputs(program, round.size, seed));
    const Outcome got = outcome_of(fast, make_inputs(program, round.size, seed));
    if (std::string d = difference(want, got); !d.empty())
      return cat("call with n = ", round.size, ": ", d);
  }
  for (const SegmentReport& segment : fast.report().segments) {
    if (!segment.why_not.empty()) return cat("not compiled: ", segment.why_not);
  }
  return "";
}

Program shrink(Program program, const std::string& backend) {
  for (bool smaller_found = true; smaller_found;) {
    smaller_found = false;
    for (size_t at = program.steps.size(); at-- > 0 && !smaller_found;) {
      Program smaller;
      try {
        const std::vector<Tensor> values =
            all_variables(program, make_inputs(program, base_size, program.seed));
        if (!without_step(program, at, values, smaller)) continue;
        (void)run(smaller, make_inputs(smaller, base_size, smaller.seed));
      } catch (const Error&) {
        continue;
      }
      if (compare(smaller, backend).empty()) continue;
      program = std::move(smaller);
      smaller_found = true;
    }
    for (size_t r = 0; program.results.size() > 1 && r < program.results.size() && !smaller_found;
         ++r) {
      Program smaller = program;
      smaller.results.erase(smaller.results.begin() + static_cast<std::ptrdiff_t>(r));
      if (compare(smaller, backend).empty()) continue;
      program = std::move(smaller);
      smaller_found = true;
    }
  }
  return program;
}

}  // namespace vitro::fuzz
