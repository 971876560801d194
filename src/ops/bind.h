// Adapts a C++ function to the arguments of a schema, converting each value to its parameter's
// type.
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/attributes.h"
#include "vitro/ops/create.h"
#include "vitro/ops/define.h"
#include "vitro/ops/overload.h"

namespace vitro::ops {

// One call of a function. Parameter i gets argument i; parameters after the last argument are left
// out (a rounding mode).
struct BoundCall {
  const Schema& schema;
  std::span<const ArgValue> arguments;
  std::source_location where;

  const ArgValue& operator[](size_t i) const {
    static const ArgValue none;
    return i < arguments.size() ? arguments[i] : none;
  }
};

// Converts an argument to a parameter of type T, mostly an attribute of the same type.
template <class T>
struct Parameter {
  T value{};
  Parameter(const BoundCall& call, size_t i) {
    if (!attribute::assign(value, call[i])) [[unlikely]]
      throw_error(wrong_word(call.schema, i, attribute::choices_of(value), text_of(call[i])).why);
  }
  T& get() { return value; }
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
struct Parameter<Operand> {
  Operand value;
  Parameter(const BoundCall& call, size_t i) : value(operand_of(call[i])) {}
  Operand& get() { return value; }
};
template <>
struct Parameter<At> {
  At value;
  Parameter(const BoundCall& call, size_t i) : value(std::get<Tensor>(call[i]), call.where) {}
  At& get() { return value; }
};
template <>
struct Parameter<First> {
  First value;
  Parameter(const BoundCall& call, size_t i) : value(first_of(call[i], call.where)) {}
  First& get() { return value; }
};
template <>
struct Parameter<Tensor> {
  Tensor value;
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* tensor = std::get_if<Tensor>(&call[i])) value = *tensor;
  }
  Tensor& get() { return value; }
};
template <>
struct Parameter<std::vector<Scalar>> {
  std::vector<Scalar> value;
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* one = std::get_if<Scalar>(&call[i])) value = {*one};
    if (const auto* many = std::get_if<std::vector<Scalar>>(&call[i])) value = *many;
  }
  std::vector<Scalar>& get() { return value; }
};
template <>
struct Parameter<std::span<const Tensor>> {
  std::span<const Tensor> value;
  // An empty list may arrive as a list of numbers.
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* list = std::get_if<std::vector<Tensor>>(&call[i])) value = *list;
  }
  std::span<const Tensor>& get() { return value; }
};
template <>
struct Parameter<std::string_view> {
  std::string_view value;
  Parameter(const BoundCall& call, size_t i) {
    if (const auto* text = std::get_if<std::string>(&call[i])) value = *text;
  }
  std::string_view& get() { return value; }
};
template <>
struct Parameter<std::source_location> {
  std::source_location value;
  Parameter(const BoundCall& call, size_t) : value(call.where) {}
  std::source_location& get() { return value; }
};

inline std::vector<Tensor> listed(Tensor one) {
  return {std::move(one)};
}
inline std::vector<Tensor> listed(std::vector<Tensor> many) {
  return many;
}
inline std::vector<Tensor> listed(std::pair<Tensor, Tensor> two) {
  return {std::move(two.first), std::move(two.second)};
}
template <class... T>
std::vector<Tensor> listed(std::tuple<T...> many) {
  return std::apply([](auto&... one) { return std::vector<Tensor>{std::move(one)...}; }, many);
}

// Made once for all functions with the same parameters.
template <class R, class... P, size_t... i>
[[gnu::noinline]] std::vector<Tensor> call_bound(R (*function)(P...), const BoundCall& call,
                                                 std::index_sequence<i...>) {
  const CalledAs name(call.schema.name, call.where);
  std::tuple<Parameter<std::remove_cvref_t<P>>...> made{
      Parameter<std::remove_cvref_t<P>>(call, i)...};
  return listed(function(std::get<i>(made).get()...));
}

template <auto function, class R, class... P>
constexpr Function bind(R (*)(P...)) {
  return {
      [](const Schema& schema, std::span<const ArgValue> arguments, std::source_location where) {
        return call_bound(function, BoundCall{schema, arguments, where},
                          std::index_sequence_for<P...>());
      },
      (size_t{!std::same_as<P, std::source_location>} + ...)};
}
template <auto function>
inline constexpr Function bound = bind<function>(function);

// Calls the function and writes its result into the first argument.
std::vector<Tensor> call_and_write(const Function& function, const Schema& schema,
                                   std::span<const ArgValue> arguments, std::source_location where);

// The in-place form.
template <auto function>
inline constexpr Function written = {
    [](const Schema& schema, std::span<const ArgValue> arguments, std::source_location where) {
      return call_and_write(bound<function>, schema, arguments, where);
    },
    bound<function>.takes};

}  // namespace vitro::ops
