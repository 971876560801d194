// The user's door: a function of tensors becomes a compiled function.
//   auto fast = vitro::compile([](const Tensor& x, const Tensor& w) { return relu(mm(x, w)); });
//   Tensor y = fast(x, w);
// The function's own code runs on every call; its tensor ops only step along what was recorded, and
// what they describe runs as fused kernels where somebody needs a value: at the end, at item(), at
// data() (a graph break).  Arguments and results may be whatever the function takes and gives.
// Tensors and plain numbers are found in them as compile/leaves.h says; a struct of the user's says
// what it holds through
//   template <> struct vitro::Flatten<MyState> {
//     static void each(auto& state, auto&& f) { f(state.hidden); f(state.cell); }
//   };
// With `frozen`, a call whose arguments are like those of an earlier one runs its kernels without
// the function's code: the same structure, tensors that fit the guards, equal numbers, texts and
// other comparable values.  What cannot be compared or repeated is an Error (V0101, V0102).
// Thread safety: concurrent calls are fine; the first compiles, others run eagerly until it has.
// Errors: whatever the function throws.  Writing through pointers that were taken before a region,
// while it runs, is outside of the contract.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vitro/capture/function.h"
#include "vitro/compile/leaves.h"

namespace vitro {

namespace compiled {

// Called by many threads at once, where the program does so: then its state is the program's care.
template <class F>
struct Held {
  mutable F function;
};

// A function may give a reference to a tensor, as ops in place do; the compiled one gives the
// tensor.
template <class F, class... Args>
using ResultOf = std::conditional_t<
    std::is_same_v<std::remove_cvref_t<std::invoke_result_t<F&, Args...>>, Tensor>, Tensor,
    std::invoke_result_t<F&, Args...>>;

}  // namespace compiled

// What compile() gives: called like the function.  Copies share what was compiled.
template <class F>
class Compiled {
 public:
  Compiled(F f, CompileOptions options) : f_{std::move(f)}, function_(std::move(options)) {}

  template <class... Args>
  compiled::ResultOf<F, Args...> operator()(Args&&... args) const {
    using Result = compiled::ResultOf<F, Args...>;
    static_assert(!std::is_reference_v<Result>, "a compiled function returns values");
    if (function_.options().frozen && !capture::Function::is_inlined())
      return run_frozen<Result>(std::forward<Args>(args)...);
    compiled::TensorArguments arguments;
    (compiled::leaves(std::as_const(args), arguments), ...);
    if constexpr (std::is_void_v<Result>) {
      auto body = [&] { std::invoke(f_.function, std::forward<Args>(args)...); };
      function_.run(arguments.tensors(), body, (compiled::stays<Args> && ...));
    } else {
      std::optional<Result> result;
      auto body = [&] { result.emplace(std::invoke(f_.function, std::forward<Args>(args)...)); };
      function_.run(arguments.tensors(), body, (compiled::stays<Args> && ...));
      return std::move(*result);
    }
  }

  CompiledReport report() const { return function_.report(); }
  // Forgets what was recorded and compiled.
  void reset() const { function_.reset(); }
  const CompileOptions& options() const { return function_.options(); }
  F& function() const { return f_.function; }

 private:
  // Runs the frozen program of such a call, or the function's code to record one.
  template <class Result, class... Args>
  Result run_frozen(Args&&... args) const {
    using Kept = std::conditional_t<std::is_void_v<Result>, compiled::Nothing,
                                    std::optional<compiled::OrNothing<Result>>>;
    compiled::AllArguments arguments;
    (arguments.next(std::as_const(args)), ...);
    const void* types = &compiled::types_of_call<Kept, std::remove_cvref_t<Args>...>;
    const capture::FrozenCall call = arguments.call(types);
    capture::FrozenResult out;
    if (function_.run_frozen(call, &out)) return compiled::result_of<Result, Kept>(out);
    const auto writable = [&] {
      compiled::AllArguments some;
      (some.template next_if<compiled::is_writable<Args>>(args), ...);
      return some;
    };
    const capture::FrozenArguments before(writable().call(types));
    Kept result;
    auto body = [&] {
      if constexpr (std::is_void_v<Result>) {
        std::invoke(f_.function, std::forward<Args>(args)...);
      } else {
        result.emplace(std::invoke(f_.function, std::forward<Args>(args)...));
      }
    };
    auto describe = [&] {
      out.changes_arguments = !before.unchanged(writable().call(types));
      compiled::describe(result, out);
    };
    function_.record_frozen(call, body, describe, out);
    if constexpr (!std::is_void_v<Result>) return std::move(*result);
  }

  compiled::Held<F> f_;
  capture::Function function_;
};

// Compiles `f` on first call and reuses the result while its guards hold.  A model that is not to
// be copied is passed as std::ref(model).
template <class F>
Compiled<F> compile(F f, CompileOptions options = {}) {
  return Compiled<F>(std::move(f), std::move(options));
}

// `f` runs eagerly, inside of compiled functions too (a graph break, which is said to be at
// `where`).
template <class F>
auto disable(F f, std::source_location where = std::source_location::current()) {
  return [held = compiled::Held<F>{std::move(f)}, where](auto&&... args) -> decltype(auto) {
    const capture::Disabled off(where);
    return std::invoke(held.function, std::forward<decltype(args)>(args)...);
  };
}

using capture::graph_break;
using capture::is_compiling;

// Makes one size of this tensor a symbol in functions that are compiled for it.
void mark_dynamic(const Tensor& tensor, int64_t dim);

// What a backend of the user's makes of a graph: tensors in, one tensor per output of the graph out
// (written inputs: their new values).  Given as a callable of
//   (std::span<const Operand> inputs, std::span<const int64_t> symbols)
// where `symbols` are this call's values of graph.symbols(), or of the inputs alone; the latter is
// not asked to run graphs with symbols that the sizes of the inputs do not show (a varying end of a
// slice), which run op by op (V0601).
class GraphFunction {
 public:
  using Inputs = std::span<const Operand>;
  using Symbols = std::span<const int64_t>;
  using Outputs = std::vector<Tensor>;

  GraphFunction() = default;
  GraphFunction(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  template <class F>
    requires(!std::same_as<F, GraphFunction> && std::is_invocable_r_v<Outputs, F&, Inputs>)
  GraphFunction(F f)  // NOLINT(google-explicit-constructor)
      : of_inputs_(std::move(f)) {}
  template <class F>
    requires(!std::same_as<F, GraphFunction> && std::is_invocable_r_v<Outputs, F&, Inputs, Symbols>)
  GraphFunction(F f)  // NOLINT(google-explicit-constructor)
      : of_symbols_(std::move(f)) {}

  explicit operator bool() const { return of_inputs_ || of_symbols_; }
  bool takes_symbols() const { return static_cast<bool>(of_symbols_); }
  Outputs operator()(Inputs inputs, Symbols symbols) const {
    return takes_symbols() ? of_symbols_(inputs, symbols) : of_inputs_(inputs);
  }

 private:
  std::function<Outputs(Inputs)> of_inputs_;
  std::function<Outputs(Inputs, Symbols)> of_symbols_;
};

// A backend of the user's: takes a captured graph and inputs as in its first call, and gives what
// runs it.
using BackendFunction =
    std::function<GraphFunction(const graph::Graph& graph, std::span<const Operand> example)>;
void register_backend(std::string name, BackendFunction backend);
std::vector<std::string> list_backends();

}  // namespace vitro
