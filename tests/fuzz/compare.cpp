#include "compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "choose.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

struct Outcome {
  Variables results, inputs;
  std::string error;
};

template <class F>
Outcome outcome_of(F&& f, Variables inputs) {
  Outcome out;
  try {
    out.results = f(inputs);
  } catch (const Error& e) {
    out.error = e.what();
  } catch (const std::exception& e) {
    out.error = cat("not an Error: ", e.what());
  }
  out.inputs = std::move(inputs);
  return out;
}

// The first element whose bytes differ, all NaNs being equal; -1 where none does.
int64_t first_different(const Tensor& a, const Tensor& b) {
  const Tensor left = contiguous(a), right = contiguous(b);
  return dispatch(a.dtype(), [&]<class T>() -> int64_t {
    const auto* x = static_cast<const T*>(left.const_data());
    const auto* y = static_cast<const T*>(right.const_data());
    const int64_t count = left.numel().value();
    for (int64_t i = 0; i < count; ++i) {
      if (std::memcmp(x + i, y + i, sizeof(T)) == 0) continue;
      if constexpr (!std::is_integral_v<T>) {
        using Wide = std::conditional_t<sizeof(T) == 2, float, T>;
        if (std::isnan(static_cast<Wide>(x[i])) && std::isnan(static_cast<Wide>(y[i]))) continue;
      }
      return i;
    }
    return -1;
  });
}

std::string difference(const Tensor& want, const Tensor& got, const std::string& what) {
  if (want.dtype() != got.dtype())
    return cat(what, ": dtype ", got.dtype(), ", eager has ", want.dtype());
  if (!attribute::same(want.sizes(), got.sizes()))
    return cat(what, ": sizes ", got.sizes(), ", eager has ", want.sizes());
  if (!attribute::same(want.strides(), got.strides()))
    return cat(what, ": strides ", got.strides(), ", eager has ", want.strides());
  const int64_t at = first_different(want, got);
  if (at < 0) return "";
  const auto number = [&](const Tensor& t) {
    return select(to(reshape(contiguous(t), {-1}), DType::f64), 0, at).item();
  };
  return cat(what, ": ", want.dtype(), want.sizes(), " element ", at, " is ", number(got),
             ", eager has ", number(want));
}

std::string difference(const Variables& want, const Variables& got, const char* what) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::string d = difference(want[i], got[i], cat(what, i)); !d.empty()) return d;
  }
  return "";
}

// Tensors of a call: results, then inputs.
Variables all_of(const Outcome& outcome) {
  Variables all = outcome.results;
  all.insert(all.end(), outcome.inputs.begin(), outcome.inputs.end());
  return all;
}

// Which tensors share memory, and what a write into each result changes.
std::string alias_difference(const Outcome& want, const Outcome& got) {
  const Variables a = all_of(want), b = all_of(got);
  const size_t count = want.results.size();
  const auto name = [&](size_t i) {
    return i < count ? cat("result ", i) : cat("input ", i - count);
  };
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool shared = a[i].storage() == a[j].storage();
      if (shared == (b[i].storage() == b[j].storage())) continue;
      return cat(name(j), " and ", name(i), shared ? " do not share memory" : " share memory",
                 ", unlike eager's");
    }
  }
  for (size_t r = 0; r < count; ++r) {
    if (!writable(a[r]) || !has_elements(a[r])) continue;
    (void)fill_(a[r], static_cast<int64_t>(r % 2));
    (void)fill_(b[r], static_cast<int64_t>(r % 2));
  }
  return difference(a, b, "after writes into the results, tensor ");
}

bool is_lack_of_memory(const std::string& error) {
  return error.find(": no memory for ") != std::string::npos;
}

// "remainder: division by 0", "gather: index": mistakes in the data, which compiled code reports
// when it runs, and only where an element depends on them; so it is with a lack of memory.  Empty
// for other errors.
std::string data_error(const std::string& error) {
  if (is_lack_of_memory(error)) return "no memory";
  const std::string op = error.substr(0, error.find(':'));
  if (error.find("division of whole numbers by 0") != std::string::npos)
    return op + ": division by 0";
  const bool index = error.find(": index ") != std::string::npos &&
                     error.find("out of range") != std::string::npos &&
                     error.find("for dimension") == std::string::npos;
  return index ? op + ": index" : "";
}

std::string value_difference(const Outcome& want, const Outcome& got) {
  if (std::string d = difference(want.results, got.results, "result "); !d.empty()) return d;
  return difference(want.inputs, got.inputs, "afterwards, input ");
}

class Comparison {
 public:
  Comparison(const Program& program, const Setup& setup, Counts* counts)
      : program_(program), setup_(setup), counts_(counts) {
    for (const Step& step : program.steps) {
      for (const Arg& arg : step.args) numbers_vary_ |= arg.varies;
    }
  }

  std::string run() {
    CompileOptions options{.name = "program", .backend = setup_.backend};
    options.fullgraph = program_.fullgraph;
    options.frozen = program_.frozen;
    options.exact = program_.exact;
    if (program_.dynamic >= 0) options.dynamic = program_.dynamic == 1;
    auto fast = vitro::compile(
        [this](const Variables& in, int64_t number) {
          return fuzz::run(program_, in, {number, 0}, true);
        },
        options);
    std::string found;
    for (size_t call = 0; call < program_.sizes.size() && found.empty(); ++call) {
      const auto number = static_cast<int64_t>(call);
      const int64_t shown = numbers_vary_ ? number : 0;
      const Outcome got =
          outcome_of([&](const Variables& in) { return fast(in, shown); }, inputs(number));
      found = call_difference(number, {shown, 0}, got);
      if (!found.empty())
        found = cat("call ", call, " with n = ", program_.sizes[call], ": ", found);
    }
    const std::string refused = note(fast.report());
    return found.empty() ? refused : found;
  }

 private:
  Variables inputs(int64_t call) const { return make_inputs(program_, call); }

  Outcome eager(int64_t call, const Occasion& occasion) const {
    return outcome_of([&](const Variables& in) { return fuzz::run(program_, in, occasion, false); },
                      inputs(call));
  }

  std::string call_difference(int64_t call, const Occasion& occasion, const Outcome& got) {
    const Outcome want = eager(call, occasion);
    const std::string mistake = data_error(want.error);
    if (!mistake.empty()) return mistake_difference(call, occasion, want, got);
    if (want.error != got.error)
      return cat("error \"", got.error, "\", eager has \"", want.error, "\"");
    count("error", want.error.empty() ? "none" : "of shapes or dtypes");
    if (std::string d = want.error.empty() ? value_difference(want, got)
                                           : difference(want.inputs, got.inputs, "input ");
        !d.empty())
      return d;
    return want.error.empty() ? alias_difference(want, got) : "";
  }

  // Eager says that the data is mistaken.  So must the compiled program, unless nothing that it
  // gives depends on the mistake: then it is what eager gives for data that is repaired, however it
  // is repaired.
  std::string mistake_difference(int64_t call, Occasion occasion, const Outcome& want,
                                 const Outcome& got) {
    if (!got.error.empty()) {
      const bool same = got.error.starts_with(want.error) ||  // the place of the op follows
                        (is_lack_of_memory(want.error) && is_lack_of_memory(got.error));
      if (!same && !data_error(got.error).empty())
        return cat("error \"", got.error, "\", eager has \"", want.error, "\"");
      count("error", same ? "of data" : "of data after one of shapes");
      return difference(want.inputs, got.inputs, "after an error, input ");
    }
    for (occasion.repair = 1; occasion.repair <= 2; ++occasion.repair) {
      const Outcome repaired = eager(call, occasion);
      if (!data_error(repaired.error).empty()) {  // a size of 0 that the program divides by
        count("error", "of data that cannot be repaired, not thrown");
        return "";
      }
      const std::string d =
          repaired.error.empty() ? value_difference(repaired, got) : repaired.error;
      if (!d.empty()) return cat("no error, eager has \"", want.error, "\" (repaired: ", d, ")");
    }
    count("error", "of data that nothing depends on");
    return "";
  }

  void count(const std::string& what, const std::string& name, uint64_t times = 1) {
    if (counts_) counts_->add(what, name, times);
  }

  // What befell the program; not empty where something did that is not wanted.
  std::string note(const CompiledReport& report) {
    for (const Step& step : program_.steps) count("kind", kind_of(step).name);
    for (const Finding& f : report.breaks) count("break", cat(f.code->id, " ", f.code->title));
    for (const Finding& f : report.recompiles)
      count("recompile", cat(f.code->id, " ", f.code->title));
    std::string refused;
    for (const Finding& f : report.fallbacks) {
      const std::string what = cat(f.code->id, " ", f.reason);
      count("fallback", cat(f.code->id, " ", plain(f.reason)));
      for (const std::string& part : setup_.unwanted) {
        if (what.find(part) != std::string::npos)
          refused = cat("falls back: ", what.substr(0, 300));
      }
    }
    for (const Input& input : program_.inputs)
      count("input", cat(input.dtype, " layout ", static_cast<int>(input.layout)));
    for (const SegmentReport& segment : report.segments) {
      count("segment", segment.compiled ? "compiled" : "interpreted");
      if (!segment.compiled) continue;
      for (const graph::Node& node : segment.graph.nodes()) {
        if (node.is_input()) continue;
        count("op", std::string(node.op->name));
        count("kind of op", std::string(name_of(node.op->kind)));
        for (const TensorMeta& meta : node.results)
          count("dtype", std::string(name_of(meta.dtype)));
      }
    }
    return refused;
  }

  // A reason without the numbers and names of this program.
  static std::string plain(const std::string& reason) {
    std::string out;
    for (const char c : reason.substr(0, 160)) {
      const bool digit = c >= '0' && c <= '9';
      if (digit && !out.empty() && out.back() == '#') continue;
      out.push_back(digit ? '#' : c == '\n' || c == '\t' ? ' ' : c);
    }
    return out;
  }

  const Program& program_;
  const Setup& setup_;
  Counts* counts_;
  bool numbers_vary_ = false;
};

}  // namespace

std::string compare(const Program& program, const Setup& setup, Counts* counts) {
  return Comparison(program, setup, counts).run();
}

}  // namespace vitro::fuzz
