// The user's door: a function of tensors becomes a compiled function.
//   auto fast = vitro::compile([](const Tensor& x, const Tensor& w) { return relu(mm(x, w)); });
//   Tensor y = fast(x, w);
// The function's own code runs on every call; its tensor ops only step along what was recorded, and
// what they describe runs as fused kernels where somebody needs a value: at the end, at item(), at
// data() (a graph break).  Arguments and results may be tensors, plain numbers, and pairs, tuples,
// arrays, vectors, maps and optionals of them; a struct of the user's says what it holds through
//   template <> struct vitro::Flatten<MyState> {
//     static void each(auto& state, auto&& f) { f(state.hidden); f(state.cell); }
//   };
// Thread safety: concurrent calls are fine; the first compiles, others run eagerly until it has.
// Errors: whatever the function throws.  Writing through pointers that were taken before a region,
// while it runs, is outside of the contract.
#pragma once

#include <any>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "vitro/capture/function.h"

namespace vitro {

// How tensors and numbers are found in arguments and results: each(value, f) calls f with each
// part, down to Tensor and plain numbers.  Types that are not listed hold nothing.
template <class T>
struct Flatten {
  static void each(auto&, auto&&) {}
};

namespace compiled {

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_same_v<T, Scalar> || std::is_same_v<T, Size>;

// f.tensor(Tensor&) and f.number(Number&) for each leaf of `value`, in order.
template <class T, class F>
void leaves(T& value, F&& f) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, Tensor>) {
    f.tensor(value);
  } else if constexpr (Number<Plain>) {
    f.number(value);
  } else {
    Flatten<Plain>::each(value, [&](auto& part) { leaves(part, f); });
  }
}

struct EachElement {
  static void each(auto& list, auto&& f) {
    for (auto& element : list) f(element);
  }
};
struct EachMember {
  static void each(auto& members, auto&& f) {
    std::apply([&](auto&... member) { (f(member), ...); }, members);
  }
};

}  // namespace compiled

template <class T, class A>
struct Flatten<std::vector<T, A>> : compiled::EachElement {};
template <class T, size_t n>
struct Flatten<std::array<T, n>> : compiled::EachElement {};
template <class... T>
struct Flatten<std::tuple<T...>> : compiled::EachMember {};
template <class A, class B>
struct Flatten<std::pair<A, B>> : compiled::EachMember {};
template <class K, class T, class C, class A>
struct Flatten<std::map<K, T, C, A>> {
  static void each(auto& map, auto&& f) {
    for (auto& [key, element] : map) f(element);
  }
};
template <class T>
struct Flatten<std::optional<T>> {
  static void each(auto& held, auto&& f) {
    if (held) f(*held);
  }
};
template <class T>
struct Flatten<std::reference_wrapper<T>> {
  static void each(auto& held, auto&& f) { f(held.get()); }
};

namespace compiled {

// Tensor arguments by address, without an allocation for up to eight; plain numbers.
class Arguments {
 public:
  explicit Arguments(bool with_numbers) : with_numbers_(with_numbers) {}
  void tensor(const Tensor& t) {
    if (count_ < few_.size()) few_[count_] = &t;
    if (count_ == few_.size()) many_.assign(few_.begin(), few_.end());
    if (count_++ >= few_.size()) many_.push_back(&t);
  }
  void number(const auto& n) {
    if (with_numbers_) numbers_.push_back(Scalar(n));
  }
  std::span<const Tensor* const> tensors() const {
    return count_ <= few_.size() ? std::span(few_.data(), count_) : std::span(many_);
  }
  std::span<const Scalar> numbers() const { return numbers_; }

 private:
  std::array<const Tensor*, 8> few_{};
  std::vector<const Tensor*> many_;
  std::vector<Scalar> numbers_;
  size_t count_ = 0;
  bool with_numbers_;
};

struct ResultLeaves {
  capture::FrozenResult& out;
  void tensor(const Tensor& t) { out.tensors.push_back(t); }
  void number(const auto&) { out.has_numbers = true; }
};
struct Emptied {
  void tensor(Tensor& t) { t = Tensor(); }
  void number(auto&) {}
};
struct Filled {
  std::vector<Tensor>& from;
  size_t next = 0;
  void tensor(Tensor& t) { t = std::move(from[next++]); }
  void number(auto&) {}
};
struct Nothing {};  // what a function without a result gives
// Its address tells the types of a call.
template <class... T>
inline constexpr char types_of_call = 0;

}  // namespace compiled

// What compile() gives: called like the function.  Copies share what was compiled.
template <class F>
class Compiled {
 public:
  Compiled(F f, CompileOptions options) : f_(std::move(f)), function_(std::move(options)) {}

  template <class... Args>
  std::invoke_result_t<F&, Args...> operator()(Args&&... args) {
    using Result = std::invoke_result_t<F&, Args...>;
    static_assert(!std::is_reference_v<Result>, "a compiled function returns values");
    const bool frozen = function_.options().frozen && !capture::Function::is_inlined();
    compiled::Arguments arguments(frozen);
    (compiled::leaves(std::as_const(args), arguments), ...);
    if constexpr (std::is_void_v<Result>) {
      compiled::Nothing nothing;
      auto body = [&] { std::invoke(f_, std::forward<Args>(args)...); };
      const void* types = &compiled::types_of_call<compiled::Nothing, std::remove_cvref_t<Args>...>;
      if (frozen) return (void)run_frozen(types, arguments, body, nothing);
      function_.run(arguments.tensors(), body);
    } else {
      std::optional<Result> result;
      auto body = [&] { result.emplace(std::invoke(f_, std::forward<Args>(args)...)); };
      const void* types = &compiled::types_of_call<Result, std::remove_cvref_t<Args>...>;
      if (frozen) return run_frozen(types, arguments, body, result);
      function_.run(arguments.tensors(), body);
      return std::move(*result);
    }
  }

  CompiledReport report() const { return function_.report(); }
  // Forgets what was recorded and compiled.
  void reset() { function_.reset(); }
  const CompileOptions& options() const { return function_.options(); }
  F& function() { return f_; }

 private:
  // Runs the frozen program of such a call, or `body` (which sets `result`) to record one.
  template <class Body, class Held>
  auto run_frozen(const void* types, const compiled::Arguments& arguments, Body& body,
                  Held& result) {
    const capture::FrozenCall call{types, arguments.tensors(), arguments.numbers()};
    capture::FrozenResult out;
    if (function_.run_frozen(call, &out)) {
      Held held = std::any_cast<Held>(out.prototype);
      compiled::leaves(held, compiled::Filled{out.tensors});
      return taken(held);
    }
    auto describe = [&] {
      compiled::leaves(std::as_const(result), compiled::ResultLeaves{out});
      Held prototype = result;
      compiled::leaves(prototype, compiled::Emptied{});
      out.prototype = std::move(prototype);
    };
    function_.record_frozen(call, body, describe, out);
    return taken(result);
  }
  template <class Result>
  static Result taken(std::optional<Result>& held) {
    return std::move(*held);
  }
  static compiled::Nothing taken(compiled::Nothing nothing) { return nothing; }

  F f_;
  capture::Function function_;
};

// Compiles `f` on first call and reuses the result while its guards hold.  A model that is not to
// be copied is passed as std::ref(model).
template <class F>
Compiled<F> compile(F f, CompileOptions options = {}) {
  return Compiled<F>(std::move(f), std::move(options));
}

// `f` runs eagerly, inside of compiled functions too (a graph break).
template <class F>
auto disable(F f) {
  return [f = std::move(f)](auto&&... args) mutable -> decltype(auto) {
    const capture::Disabled off;
    return std::invoke(f, std::forward<decltype(args)>(args)...);
  };
}

using capture::graph_break;
using capture::is_compiling;

// Makes one size of this tensor a symbol in functions that are compiled for it.
void mark_dynamic(const Tensor& tensor, int64_t dim);

// A backend of the user's: takes a captured graph and inputs as in its first call, and gives what
// runs it: tensors in, one tensor per output of the graph out (written inputs: their new values).
using GraphFunction = std::function<std::vector<Tensor>(std::span<const Operand> inputs)>;
using BackendFunction =
    std::function<GraphFunction(const graph::Graph& graph, std::span<const Operand> example)>;
void register_backend(std::string name, BackendFunction backend);
std::vector<std::string> list_backends();

}  // namespace vitro
