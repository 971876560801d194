// Compares eager and compiled runs of a program: values, layouts, aliasing, errors and fallbacks.
// Called by chunks.cpp for each seed and by shrink.cpp for each smaller program.
#include "compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "backends.h"
#include "choose.h"
#include "forms.h"
#include "gradients.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

struct Outcome {
  Variables results, inputs;
  std::string error;
  bool draws = false;  // random numbers
};

template <class F>
Outcome outcome_of(F&& f, Variables inputs) {
  const EnableGrad recorded;
  Outcome out;
  manual_seed(0);
  try {
    out.results = f(inputs);
  } catch (const Error& e) {
    out.error = e.what();
  } catch (const std::exception& e) {
    out.error = cat("not an Error: ", e.what());
  } catch (...) {
    out.error = "not a std::exception";
  }
  out.inputs = std::move(inputs);
  out.draws = take_random(0).counter != 0;
  return out;
}

// Index of the first element whose bytes differ, or -1; all NaNs are equal.
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
  if (want.is_complex()) return difference(want.pairs(), got.pairs(), what);
  // Strides of an empty tensor do not matter.
  const bool has_elements = want.numel().value() > 0;
  if (has_elements && !attribute::same(want.strides(), got.strides()))
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

// All tensors of a call: results, then inputs.
Variables all_of(const Outcome& outcome) {
  Variables all = outcome.results;
  all.insert(all.end(), outcome.inputs.begin(), outcome.inputs.end());
  return all;
}

// Compares which tensors share memory, and what a write into each result changes.
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
    if (!no_overlap(a[r]) || !has_elements(a[r])) continue;
    (void)fill_(a[r], static_cast<int64_t>(r % 2));
    (void)fill_(b[r], static_cast<int64_t>(r % 2));
  }
  return difference(a, b, "after writes into the results, tensor ");
}

bool is_lack_of_memory(const std::string& error) {
  return error.find(": cannot allocate ") != std::string::npos;
}

// Indices into an empty dimension: an error of shapes if the sizes are known at the call.
bool is_of_sizes(const std::string& error) {
  return error.find(" is empty, so the indices") != std::string::npos;
}

// Class of an error caused by data: "remainder: division by 0", "gather: index". Compiled code
// reports these at run time, and only if an element depends on them; likewise a failed allocation.
// Empty for other errors.
std::string data_error(const std::string& error) {
  if (is_lack_of_memory(error)) return "no memory";
  const std::string op = error.substr(0, error.find(':'));
  if (error.find("integer division by zero") != std::string::npos) return op + ": division by 0";
  // A matrix without the decomposition that is asked for, or pivots that are not rows.
  for (const char* matrix : {": the matrix ", ": did not converge", ": pivot "})
    if (error.find(matrix) != std::string::npos) return op + ": matrix";
  if (error.find(": rates must not be negative") != std::string::npos) return op + ": rates";
  // The value of an element that becomes one of a narrower dtype.
  if (error.find(" cannot hold ") != std::string::npos) return op + ": dtype";
  const bool index = error.find(": index ") != std::string::npos &&
                     error.find("out of range") != std::string::npos &&
                     error.find("for dimension") == std::string::npos;
  return index || is_of_sizes(error) ? op + ": index" : "";
}

std::string value_difference(const Outcome& want, const Outcome& got) {
  if (std::string d = difference(want.results, got.results, "result "); !d.empty()) return d;
  return difference(want.inputs, got.inputs, "afterwards, input ");
}

// A copy with the same layout and its own storage.
Tensor copy_of(const Tensor& t) {
  const TensorImpl& from = *t.impl();
  const Storage memory = Storage::allocate(from.storage.bytes(), from.device);
  if (memory.bytes() > 0) std::memcpy(memory.data(), from.storage.data(), memory.bytes());
  return Tensor::over(memory, from.dtype, from.sizes, from.strides, from.offset);
}

Variables copies_of(const Variables& all) {
  Variables out;
  for (const Tensor& t : all) out.push_back(t.defined() ? copy_of(t) : t);
  return out;
}

// The function that is compiled or run eagerly, for every structure of arguments.
struct Body {
  const Program* program;
  bool compiled = true;
  int repair = 0;
  size_t repaired_steps = ~size_t{0};

  Variables operator()(const auto& given, int64_t number) const {
    const Variables inputs = taken(given);
    Variables out = fuzz::run(*program, inputs, {number, repair, repaired_steps}, compiled);
    if (program->gradients == Gradients::none || program->gradients == Gradients::outside)
      return out;
    for (Tensor& gradient : gradients_of(*program, out, inputs)) out.push_back(std::move(gradient));
    return out;
  }
  // With a cache; the last result is passed to the next call.
  Variables operator()(const auto& given, const auto& past, int64_t number) const {
    Variables inputs = taken(given);
    const Tensor piece = inputs[0];
    inputs[0] = joined(past, piece);
    Variables out = fuzz::run(*program, inputs, {number, repair, repaired_steps}, compiled);
    out.push_back(program->cache == Cache::list ? piece : inputs[0]);
    return out;
  }
};
using Function = decltype(vitro::compile(Body{}));

// The state before a call: its number, and the tensors that outlive it.
struct Moment {
  int64_t call = 0;
  Variables parameters, past;
};

class Comparison {
 public:
  Comparison(const Program& program, const Setup& setup, Counts* counts)
      : program_(program), setup_(setup), counts_(counts) {
    for (size_t set = 0; set < 2; ++set) {
      parameters_[set] = make_inputs(program, static_cast<int64_t>(set) * 2);
      for (size_t i = 0; i < program.inputs.size(); ++i) {
        Tensor& t = parameters_[set][i];
        // Not a view of what it is a window of, as copies_of() gives none.
        t = program.inputs[i].parameter ? detach(t).set_parameter(true) : Tensor();
        if (t.defined() && has_gradients(program, i) && is_floating(t.dtype()))
          t.set_requires_grad(true);
      }
    }
  }

  std::string run() {
    const uint64_t misdeeds_before = misdeeds();
    std::vector<Function> functions;
    for (int twin = 0; twin < (program_.twins ? 2 : 1); ++twin) functions.push_back(function());
    std::string found;
    for (size_t call = 0; call < program_.sizes.size() && found.empty(); ++call) {
      found = one_call(functions[call % functions.size()], static_cast<int64_t>(call));
      if (!found.empty())
        found = cat("call ", call, " with n = ", program_.sizes[call], ": ", found);
    }
    // Threads share the generator, so that numbers depend on who comes first.
    if (found.empty() && program_.threads && !draws_) found = in_threads();
    std::string refused;
    bool falls_back = false;
    for (const Function& f : functions) {
      const CompiledReport report = f.report();
      refused = note(report);
      falls_back = falls_back || !report.fallbacks.empty() ||
                   (report.backward && !report.backward->fallbacks.empty());
    }
    if (!found.empty()) return found;
    if (misdeeds() != misdeeds_before && !falls_back && !program_.threads)
      return "the backend misbehaved, but no fallback was reported";
    return refused;
  }

 private:
  Function function() const {
    CompileOptions options{.name = "program", .backend = setup_.backend};
    if (program_.backend == Backend::interprets) options.backend = interpreting_backend();
    if (program_.backend == Backend::misbehaves) options.backend = misbehaving_backend();
    options.fullgraph = program_.fullgraph;
    options.frozen = program_.frozen;
    options.exact = true;  // Winograd and products by parts have other bits
    if (program_.dynamic >= 0) options.dynamic = program_.dynamic == 1;
    return vitro::compile(Body{&program_}, options);
  }

  // Calls f with the arguments of call `call`.
  template <class F>
  Variables called(F& f, const Variables& inputs, const Variables& past, int64_t call) const {
    Variables out = results(f, inputs, past, call);
    if (program_.gradients == Gradients::outside) {
      for (Tensor& gradient : gradients_of(program_, out, inputs))
        out.push_back(std::move(gradient));
    }
    // What is compared has no history; the storage of a result is still the same.
    for (Tensor& result : out) result = result.requires_grad() ? detach(result) : result;
    return out;
  }
  template <class F>
  Variables results(F& f, const Variables& inputs, const Variables& past, int64_t call) const {
    const int64_t number = program_.numbers[static_cast<size_t>(call)];
    return in_form(program_.form, inputs, call, [&](const auto& given) {
      if (program_.cache == Cache::none) return Variables(f(given, number));
      return with_past(program_.cache, past, inputs[0],
                       [&](const auto& p) { return Variables(f(given, p, number)); });
    });
  }

  Moment moment(int64_t call) const {
    return {call, copies_of(parameters_[static_cast<size_t>(call) % 2]), copies_of(past_)};
  }

  Variables inputs(int64_t call, const Variables& parameters) const {
    const EnableGrad recorded;  // views made in the scope of a NoGrad may not be written later
    Variables all = make_inputs(program_, call);
    for (size_t i = 0; i < all.size(); ++i) {
      if (parameters[i].defined()) all[i] = parameters[i];
    }
    require_gradients(program_, all);
    return all;
  }

  Outcome compiled(Function& fast, int64_t call) const {
    return outcome_of([&](const Variables& in) { return called(fast, in, past_, call); },
                      inputs(call, parameters_[static_cast<size_t>(call) % 2]));
  }

  Outcome eager(const Moment& before, int repair, size_t repaired_steps = ~size_t{0}) const {
    Body body{&program_, false, repair, repaired_steps};
    const Variables past = copies_of(before.past);
    return outcome_of([&](const Variables& in) { return called(body, in, past, before.call); },
                      inputs(before.call, copies_of(before.parameters)));
  }

  std::string one_call(Function& fast, int64_t call) {
    const Moment before = moment(call);
    const Outcome got = compiled(fast, call);
    draws_ = draws_ || got.draws;
    std::string found = call_difference(before, got);
    if (program_.cache == Cache::none || !got.error.empty()) return found;
    if (program_.cache != Cache::list) past_.clear();
    past_.push_back(got.results.back());
    return found;
  }

  // Several threads call one function that has not been compiled yet.
  std::string in_threads() {
    Function fast = function();
    std::array<std::string, 3> found;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < found.size(); ++t) {
      threads.emplace_back([&, t] {
        for (size_t k = 0; k < program_.sizes.size() && found[t].empty(); ++k) {
          const size_t call = (k + 2 * t) % program_.sizes.size();
          const Moment before = moment(static_cast<int64_t>(call));
          found[t] = call_difference(before, compiled(fast, before.call));
          if (!found[t].empty()) found[t] = cat("thread ", t, ", call ", call, ": ", found[t]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& one : found) {
      if (!one.empty()) return one;
    }
    return "";
  }

  // Whether results may be written because nothing else reads their memory.
  bool may_write() const {
    const bool shared = std::any_of(program_.inputs.begin(), program_.inputs.end(),
                                    [](const Input& input) { return input.parameter; });
    return program_.cache == Cache::none && !(program_.threads && shared);
  }

  std::string call_difference(const Moment& before, const Outcome& got) {
    const NoGrad unrecorded;
    const Outcome want = eager(before, 0);
    // A frozen call would repeat its random numbers, so it is refused.
    if (program_.frozen && want.draws && got.error.find("V0102") != std::string::npos) return "";
    const std::string mistake = data_error(want.error);
    if (!mistake.empty()) return mistake_difference(before, want, got);
    if (want.error != got.error)
      return cat("error \"", got.error, "\", eager has \"", want.error, "\"");
    count("error", want.error.empty() ? "none" : "of shapes or dtypes");
    if (std::string d = want.error.empty() ? value_difference(want, got)
                                           : difference(want.inputs, got.inputs, "input ");
        !d.empty())
      return d;
    return want.error.empty() && may_write() ? alias_difference(want, got) : "";
  }

  // Eager reported an error in the data. The compiled program must report it too, unless its
  // results do not depend on the error: then they equal eager's for repaired data, however it is
  // repaired.
  std::string mistake_difference(const Moment& before, const Outcome& want, const Outcome& got) {
    if (!got.error.empty()) {
      const bool same = got.error.starts_with(want.error) ||  // followed by the op's location
                        (is_lack_of_memory(want.error) && is_lack_of_memory(got.error));
      const bool of_shapes = data_error(got.error).empty() || is_of_sizes(got.error);
      const std::optional<Outcome> next =
          same || of_shapes ? std::nullopt : next_mistake(before, got.error);
      if (!same && !of_shapes && !next) {
        if (eager(before, 1).error == want.error) {
          count("error", "of data after one that cannot be repaired");
          return "";
        }
        return cat("error \"", got.error, "\", eager has \"", want.error, "\"");
      }
      count("error", same        ? "of data"
                     : of_shapes ? "of data after one of shapes"
                                 : "of data after one that nothing depends on");
      return difference((next ? *next : want).inputs, got.inputs, "after an error, input ");
    }
    for (int repair = 1; repair <= 2; ++repair) {
      const Outcome repaired = eager(before, repair);
      if (!data_error(repaired.error).empty()) {  // the program divides by a size that is 0
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

  // Eager's run that reports `error`, once the errors of earlier steps are repaired. Compiled code
  // skips an earlier error if nothing depends on its op.
  std::optional<Outcome> next_mistake(const Moment& before, const std::string& error) const {
    for (size_t steps = 1; steps < program_.steps.size(); ++steps) {
      Outcome next = eager(before, 1, steps);
      if (!next.error.empty() && error.starts_with(next.error)) return next;
    }
    return std::nullopt;
  }

  void count(const std::string& what, const std::string& name, uint64_t times = 1) {
    std::lock_guard hold(counting_);
    if (counts_) counts_->add(what, name, times);
  }

  // Counts what occurred in the program. Not empty if there was an unwanted fallback.
  std::string note(const CompiledReport& report) {
    for (const Step& step : program_.steps) {
      count("kind", kind_of(step).name);
      if (step.call) count("call", step.call->schema.full_name());
    }
    for (const Diagnostic& f : report.breaks) count("break", cat(f.code->id, " ", f.code->title));
    for (const Diagnostic& f : report.recompiles)
      count("recompile", cat(f.code->id, " ", f.code->title));
    std::string refused;
    for (const Diagnostic& f : report.fallbacks) {
      const std::string what = cat(f.code->id, " ", f.reason);
      count("fallback", cat(f.code->id, " ", plain(f.reason)));
      for (const std::string& part : setup_.unwanted) {
        if (program_.backend != Backend::misbehaves && what.find(part) != std::string::npos)
          refused = cat("falls back: ", what.substr(0, 300));
      }
    }
    note_surroundings();
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

  void note_surroundings() {
    count("surroundings", cat("form ", static_cast<int>(program_.form)));
    count("surroundings", cat("cache ", static_cast<int>(program_.cache)));
    count("surroundings", cat("backend ", static_cast<int>(program_.backend)));
    count("surroundings", cat("gradients ", static_cast<int>(program_.gradients)));
    if (program_.twins) count("surroundings", "twins");
    if (program_.threads) count("surroundings", "threads");
    if (program_.frozen) count("surroundings", "frozen");
    for (const Input& input : program_.inputs) {
      if (input.parameter) count("surroundings", "parameter");
    }
  }

  // The reason with numbers replaced, so that programs can be counted together.
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
  std::mutex counting_;
  std::array<Variables, 2> parameters_;  // undefined for inputs that are not parameters
  Variables past_;                       // passed on by the previous call
  bool draws_ = false;                   // a call took random numbers
};

}  // namespace

std::string compare(const Program& program, const Setup& setup, Counts* counts) {
  return Comparison(program, setup, counts).run();
}

}  // namespace vitro::fuzz
