// A C++ function as a function of a schema's arguments: each value becomes what its parameter is.
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "vitro/base/error.h"
#include "vitro/core/attributes.h"
#include "vitro/ops/define.h"
#include "vitro/ops/overload.h"

namespace vitro::ops {

// What a parameter of type T is made from; most are attributes of the same types.
template <class T>
struct Parameter {
  T value{};
  Parameter(const ArgValue& given, std::source_location) {
    VITRO_CHECK(attribute::assign(value, given), "an argument has another type: ", text_of(given));
  }
  T& get() { return value; }
};

inline Operand operand_of(const ArgValue& given) {
  if (const auto* tensor = std::get_if<Tensor>(&given)) return *tensor;
  if (const auto* number = std::get_if<Scalar>(&given)) return *number;
  return {};
}

template <>
struct Parameter<Operand> {
  Operand value;
  Parameter(const ArgValue& given, std::source_location) : value(operand_of(given)) {}
  Operand& get() { return value; }
};
template <>
struct Parameter<At> {
  At value;
  Parameter(const ArgValue& given, std::source_location where)
      : value(std::get<Tensor>(given), where) {}
  At& get() { return value; }
};
template <>
struct Parameter<First> {
  First value;
  Parameter(const ArgValue& given, std::source_location where)
      : value(std::holds_alternative<Tensor>(given) ? First(std::get<Tensor>(given), where)
                                                    : First(std::get<Scalar>(given), where)) {}
  First& get() { return value; }
};
template <>
struct Parameter<Tensor> {
  Tensor value;
  Parameter(const ArgValue& given, std::source_location) {
    if (const auto* tensor = std::get_if<Tensor>(&given)) value = *tensor;
  }
  Tensor& get() { return value; }
};
template <>
struct Parameter<std::vector<Scalar>> {
  std::vector<Scalar> value;
  Parameter(const ArgValue& given, std::source_location) {
    if (const auto* one = std::get_if<Scalar>(&given)) value = {*one};
    if (const auto* many = std::get_if<std::vector<Scalar>>(&given)) value = *many;
  }
  std::vector<Scalar>& get() { return value; }
};
template <>
struct Parameter<std::span<const Tensor>> {
  std::span<const Tensor> value;
  // An empty list may come as one of numbers.
  Parameter(const ArgValue& given, std::source_location) {
    if (const auto* list = std::get_if<std::vector<Tensor>>(&given)) value = *list;
  }
  std::span<const Tensor>& get() { return value; }
};
template <>
struct Parameter<std::string_view> {
  std::string_view value;
  Parameter(const ArgValue& given, std::source_location) {
    if (const auto* text = std::get_if<std::string>(&given)) value = *text;
  }
  std::string_view& get() { return value; }
};
template <>
struct Parameter<std::source_location> {
  std::source_location value;
  Parameter(const ArgValue&, std::source_location where) : value(where) {}
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

template <auto function, class R, class... P, size_t... i>
std::vector<Tensor> call_bound(R (*)(P...), std::span<const ArgValue> arguments,
                               std::source_location where, std::index_sequence<i...>) {
  static const ArgValue none;  // stands for "left out" (a rounding mode)
  std::tuple<Parameter<std::remove_cvref_t<P>>...> made{
      Parameter<std::remove_cvref_t<P>>(i < arguments.size() ? arguments[i] : none, where)...};
  return listed(function(std::get<i>(made).get()...));
}

template <auto function, class R, class... P>
constexpr Function bind(R (*)(P...)) {
  return {[](std::span<const ArgValue> arguments, std::source_location where) {
            return call_bound<function>(function, arguments, where,
                                        std::index_sequence_for<P...>());
          },
          (size_t{!std::same_as<P, std::source_location>} + ...)};
}
template <auto function>
inline constexpr Function bound = bind<function>(function);

}  // namespace vitro::ops
