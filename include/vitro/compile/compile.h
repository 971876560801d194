// The user's entry point: compile() turns a function of tensors into a compiled function.
//   auto fast = vitro::compile([](const Tensor& x, const Tensor& w) { return relu(mm(x, w)); });
//   Tensor y = fast(x, w);
// The function's own code runs on every call, but its tensor ops are only compared with the
// recorded ones; they run as fused kernels once a value is needed: at the end, at item(), at data()
// (a graph break).  Arguments and results may be of any type.  compile/leaves.h lists the types in
// which tensors and plain numbers are found; for your own struct, say what it holds:
//   template <> struct vitro::Flatten<MyState> {
//     static void each(auto& state, auto&& f) { f(state.hidden); f(state.cell); }
//   };
// With `frozen`, a call whose arguments match those of an earlier one runs its kernels without the
// function's code: same structure, tensors that satisfy the guards, equal numbers, text and other
// comparable values.  Anything that cannot be compared or repeated is an Error (V0101, V0102).
// Threads: calls may be concurrent; the first one compiles, the others run eagerly until it is
// done.
// Errors: whatever the function throws.  While a region runs, do not write through pointers
// obtained before it.
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

// May be called concurrently if the program does so; the program then synchronizes its state.
template <class F>
struct FunctionHolder {
  mutable F function;
};

// A function may return a reference to a tensor, as in-place ops do; the compiled one returns the
// tensor.
template <class F, class... Args>
using ResultOf = std::conditional_t<
    std::is_same_v<std::remove_cvref_t<std::invoke_result_t<F&, Args...>>, Tensor>, Tensor,
    std::invoke_result_t<F&, Args...>>;

}  // namespace compiled

// The result of compile(): called like the function.  Copies share what was compiled.
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
    const bool stay = (compiled::stays<Args> && ...) && !arguments.has_complex();
    if constexpr (std::is_void_v<Result>) {
      auto body = [&] { std::invoke(f_.function, std::forward<Args>(args)...); };
      function_.run(arguments.tensors(), body, stay);
    } else {
      std::optional<Result> result;
      auto body = [&] { result.emplace(std::invoke(f_.function, std::forward<Args>(args)...)); };
      function_.run(arguments.tensors(), body, stay);
      return std::move(*result);
    }
  }

  // Waits as wait() does.
  CompiledReport report() const { return function_.report(); }
  // Until everything is compiled that calls needed before, if `asynchronous`.
  void wait() const { function_.wait(); }
  // Discards everything recorded and compiled.
  void reset() const { function_.reset(); }
  const CompileOptions& options() const { return function_.options(); }
  F& function() const { return f_.function; }

 private:
  // Runs a frozen program that fits the call, or else the function's code to record one.
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

  compiled::FunctionHolder<F> f_;
  capture::Function function_;
};

// Compiles `f` on the first call and reuses the result while its guards hold.  To avoid copying a
// model, pass std::ref(model).
template <class F>
Compiled<F> compile(F f, CompileOptions options = {}) {
  return Compiled<F>(std::move(f), std::move(options));
}

// `f` runs eagerly, even inside compiled functions (a graph break, reported at `from`).
template <class F>
auto disable(F f, std::source_location from = std::source_location::current()) {
  return
      [held = compiled::FunctionHolder<F>{std::move(f)}, from](auto&&... args) -> decltype(auto) {
        const capture::Disabled off(from);
        return std::invoke(held.function, std::forward<decltype(args)>(args)...);
      };
}

using capture::graph_break;
using capture::is_compiling;

// Makes this dimension's size a symbol in functions compiled for this tensor.
void mark_dynamic(const Tensor& tensor, int64_t dim);

// What a user's backend returns for a graph: a callable that takes the inputs and returns one
// tensor per output of the graph (for written inputs: their new values).  Its signature is
//   (std::span<const Operand> inputs, std::span<const int64_t> symbols)
// where `symbols` are this call's values of graph.symbols(), or takes `inputs` only.  The latter is
// not used for graphs with symbols that are not sizes of inputs (such as a varying end of a slice);
// these run op by op (V0601).
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

// A user's backend: takes a captured graph and the inputs of its first call, and returns a callable
// that runs it.
using BackendFunction =
    std::function<GraphFunction(const graph::Graph& graph, std::span<const Operand> example)>;
void register_backend(std::string name, BackendFunction backend);
std::vector<std::string> list_backends();

}  // namespace vitro
