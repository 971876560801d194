// Adapts C++ functions to the arguments of schemas, converting each value to its parameter's type.
//   constexpr Function one = bound<&take>;
// The library has hundreds of functions, so each costs only its address: what depends on types is
// made once for all functions of a signature, or for all parameters of a type.
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "vitro/core/attributes.h"
#include "vitro/ops/define.h"
#include "vitro/ops/overload.h"

namespace vitro::ops {

// One call of a function. Parameter i gets argument i; parameters after the last argument are left
// out (a rounding mode).
struct BoundCall {
  const Schema& schema;
  std::span<const ArgValue> arguments;
  std::source_location where;

  const ArgValue& operator[](size_t i) const;
  // Error: the argument is of another type, or none of the words.
  [[noreturn]] void refuse(size_t i, std::span<const std::string_view> words) const;
};

// The arguments of a call whose result is then written to the first one. If the call is recorded,
// it reads a copy of that one, whose elements a gradient finds as they were.
class BeforeWritten {
 public:
  BeforeWritten(std::span<const ArgValue> arguments, std::source_location where);
  operator std::span<const ArgValue>() const { return copied_.empty() ? given_ : copied_; }

 private:
  std::span<const ArgValue> given_;
  std::vector<ArgValue> copied_;  // empty: the call is not recorded
};

// ---- parameters ----

struct AnyParameter {
  virtual ~AnyParameter() = default;
};

// Converts an argument to a parameter of type T, mostly an attribute of the same type.
template <class T>
struct Parameter final : AnyParameter {
  T value{};
  Parameter(const BoundCall& call, size_t i) {
    if (!attribute::assign(value, call[i])) [[unlikely]]
      call.refuse(i, attribute::choices_of(value));
  }
};

inline Operand operand_of(const ArgValue& given) {
  if (const auto* tensor = std::get_if<Tensor>(&given)) return *tensor;
  if (const auto* number = std::get_if<Scalar>(&given)) return *number;
  return {};
}

inline First first_of(const ArgValue& given, std::source_location where) {
  if (const auto* number = std::get_if<Scalar>(&given)) return {*number, where};
  return {std::get<Tensor>(given), where};
}

template <>
struct Parameter<Operand> final : AnyParameter {
  Operand value;
  Parameter(const BoundCall& call, size_t i) : value(operand_of(call[i])) {}
};
template <>
struct Parameter<At> final : AnyParameter {
  At value;
  Parameter(const BoundCall& call, size_t i) : value(std::get<Tensor>(call[i]), call.where) {}
};
template <>
struct Parameter<First> final : AnyParameter {
  First value;
  Parameter(const BoundCall& call, size_t i) : value(first_of(call[i], call.where)) {}
};
template <>
struct Parameter<Tensor> final : AnyParameter {
  Tensor value;
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* tensor = std::get_if<Tensor>(&call[i])) value = *tensor;
  }
};
template <>
struct Parameter<std::vector<Scalar>> final : AnyParameter {
  std::vector<Scalar> value;
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* one = std::get_if<Scalar>(&call[i])) value = {*one};
    if (const auto* many = std::get_if<std::vector<Scalar>>(&call[i])) value = *many;
  }
};
template <std::derived_from<std::span<const Tensor>> List>
struct Parameter<List> final : AnyParameter {
  List value{std::span<const Tensor>()};
  // An empty list may arrive as a list of numbers.
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* list = std::get_if<std::vector<Tensor>>(&call[i])) value = *list;
  }
};
template <>
struct Parameter<std::string_view> final : AnyParameter {
  std::string_view value;
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* text = std::get_if<std::string>(&call[i])) value = *text;
  }
};
template <>
struct Parameter<std::source_location> final : AnyParameter {
  std::source_location value;
  Parameter(const BoundCall& call, size_t) : value(call.where) {}
};

using MakeParameter = std::unique_ptr<AnyParameter> (*)(const BoundCall& call, size_t i);
template <class T>
std::unique_ptr<AnyParameter> made_parameter(const BoundCall& call, size_t i) {
  return std::make_unique<Parameter<T>>(call, i);
}

// The parameters of one call.
class Parameters {
 public:
  Parameters(const BoundCall& call, std::span<const MakeParameter> make);
  template <class T>
  T& get(size_t i) {
    return static_cast<Parameter<T>&>(*made_[i]).value;
  }

 private:
  std::vector<std::unique_ptr<AnyParameter>> made_;
};

// ---- results ----

[[gnu::noinline]] inline std::vector<Tensor> listed(const Tensor& one) {
  return {one};
}
inline std::vector<Tensor> listed(std::vector<Tensor>&& many) {
  return std::move(many);
}
[[gnu::noinline]] inline std::vector<Tensor> listed(std::pair<Tensor, Tensor>&& two) {
  return {std::move(two.first), std::move(two.second)};
}
template <class... T>
[[gnu::noinline]] std::vector<Tensor> listed(std::tuple<T...>&& many) {
  return std::apply([](auto&... one) { return std::vector<Tensor>{std::move(one)...}; }, many);
}

// ---- functions ----

// Of any type: `call` of its Signature knows which.
using AnyFunction = void (*)();

// What the functions with the same parameters and results have in common.
struct Signature {
  std::span<const MakeParameter> parameters;
  size_t takes;  // the number of them that are arguments
  // One of them is null.
  std::vector<Tensor> (*call)(AnyFunction function, Parameters& parameters);
  Scalar (*number)(AnyFunction function, Parameters& parameters);
};

enum class ResultIs : uint8_t { returned, written_to_the_first_argument, copied };

struct BoundFunction {
  const Signature* signature;
  AnyFunction function;
  ResultIs result;
};

template <class F, class Indices>
struct SignatureOf;
template <class R>
inline constexpr bool is_number = std::same_as<R, Scalar> || std::same_as<R, Size>;
template <class R, class... P, size_t... i>
struct SignatureOf<R (*)(P...), std::index_sequence<i...>> {
  static R result(AnyFunction function, Parameters& parameters) {
    const auto typed = reinterpret_cast<R (*)(P...)>(function);
    return typed(static_cast<P&&>(parameters.get<std::remove_cvref_t<P>>(i))...);
  }
  static std::vector<Tensor> call(AnyFunction function, Parameters& parameters) {
    return listed(result(function, parameters));
  }
  static Scalar number(AnyFunction function, Parameters& parameters) {
    return Scalar(result(function, parameters));
  }
  static constexpr std::array<MakeParameter, sizeof...(P)> make = {
      &made_parameter<std::remove_cvref_t<P>>...};
  static constexpr Signature signature = [] {
    constexpr size_t takes = (size_t{!std::same_as<P, std::source_location>} + ...);
    if constexpr (is_number<R>) {
      return Signature{make, takes, nullptr, &number};
    } else {
      return Signature{make, takes, &call, nullptr};
    }
  }();
};
template <class R, class... P>
constexpr const Signature* signature_of(R (*)(P...)) {
  return &SignatureOf<R (*)(P...), std::index_sequence_for<P...>>::signature;
}

template <auto function, ResultIs result>
inline const BoundFunction bound_function = {signature_of(function),
                                             reinterpret_cast<AnyFunction>(function), result};

template <auto function>
inline constexpr Function bound{bound_function<function, ResultIs::returned>};
// The in-place form.
template <auto function>
inline constexpr Function written{
    bound_function<function, ResultIs::written_to_the_first_argument>};
// The form of a view that copies: `view_copy` of `view`.
template <auto function>
inline constexpr Function copied{bound_function<function, ResultIs::copied>};

}  // namespace vitro::ops
