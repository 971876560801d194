// Finds the tensors and plain numbers in an argument or result: the value itself, or parts of
// pairs, tuples, arrays, vectors and other ranges, maps, optionals, variants, pointers to objects,
// reference wrappers, and structs that specialize Flatten.
#pragma once

#include <any>
#include <array>
#include <cfloat>
#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "vitro/capture/function.h"

namespace vitro {

// The parts of a user's type: each(value, f) calls f with each one.
template <class T>
struct Flatten {
  using Unknown = void;
};

namespace compiled {

template <class T>
concept Number = (std::is_arithmetic_v<T> && sizeof(T) <= sizeof(int64_t)) ||
                 std::is_same_v<T, Scalar> || std::is_same_v<T, Size>;
// A number that a Scalar cannot hold: long double and compiler extensions (__int128, _Float16).
template <class T>
concept OtherNumber =
    std::is_object_v<T> && !Number<T> && !std::is_class_v<T> && !std::is_union_v<T> &&
    !std::is_enum_v<T> && !std::is_array_v<T> && !std::is_pointer_v<T> &&
    !std::is_member_pointer_v<T> && !std::is_null_pointer_v<T>;
template <class T>
concept Text = std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept OfTheUsers = !requires { typename Flatten<T>::Unknown; };
template <class T>
concept Tuple = requires { std::tuple_size<T>::value; };
// Dereferencing its iterator gives an lvalue, or a proxy for bool (std::vector<bool>).
template <class T>
concept Range = requires(T& list) {
  std::begin(list) != std::end(list);
  requires !std::is_same_v<std::remove_cvref_t<decltype(*std::begin(list))>, T>;
  requires std::is_lvalue_reference_v<decltype(*std::begin(list))> ||
               std::is_same_v<typename T::value_type, bool>;
};
template <class T>
concept Map = Range<T> && requires { typename T::mapped_type; };

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T>
concept IsComplex = requires(const T& x) {
  typename T::value_type;
  { x.real() } -> std::same_as<typename T::value_type>;
  { x.imag() } -> std::same_as<typename T::value_type>;
};
template <class T>
inline constexpr bool is_wrapper = false;
template <class T>
inline constexpr bool is_wrapper<std::reference_wrapper<T>> = true;
// To one object, or null.
template <class T>
inline constexpr bool is_pointer =
    std::is_pointer_v<T> && std::is_class_v<std::remove_pointer_t<T>>;
// A standard smart pointer, to any type.
template <class T>
inline constexpr bool is_smart = false;
template <class T, class D>
inline constexpr bool is_smart<std::unique_ptr<T, D>> = true;
template <class T>
inline constexpr bool is_smart<std::shared_ptr<T>> = true;
template <class T, class D>
inline constexpr bool is_pointer<std::unique_ptr<T, D>> =
    std::is_object_v<T> && !std::is_array_v<T>;
template <class T>
inline constexpr bool is_pointer<std::shared_ptr<T>> = std::is_object_v<T> && !std::is_array_v<T>;

template <class T, class F>
void leaves(T& value, F& f);

template <class T, class F>
void leaves_of_range(T& list, F& f) {
  int64_t count = 0;
  for (auto&& element : list) {
    ++count;
    if constexpr (!std::is_lvalue_reference_v<decltype(*std::begin(list))>) {
      f.number(static_cast<bool>(element));
    } else if constexpr (Map<std::remove_const_t<T>>) {
      if constexpr (F::with_keys) leaves(element.first, f);
      leaves(element.second, f);
    } else {
      leaves(element, f);
    }
  }
  f.count(count);
}

// Visits `value` in order: f.tensor(Tensor&) and f.number(n) for each leaf; f.other(value) for a
// leaf that is neither; f.count(n) after the parts of anything whose number of parts can vary
// between calls; f.reference() before parts that the value does not own.
template <class T, class F>
void leaves(T& value, F& f) {
  using Plain = std::remove_const_t<T>;
  const auto part = [&f](auto& of) { leaves(of, f); };
  if constexpr (std::is_same_v<Plain, Tensor>) {
    f.tensor(value);
  } else if constexpr (Number<Plain>) {
    f.number(value);
  } else if constexpr (std::is_enum_v<Plain>) {
    f.number(static_cast<std::underlying_type_t<Plain>>(value));
  } else if constexpr (IsComplex<Plain>) {
    using Part = typename Plain::value_type;
    using Parts = std::conditional_t<std::is_const_v<T>, const Part[2], Part[2]>;
    for (auto& of : reinterpret_cast<Parts&>(value)) part(of);
  } else if constexpr (OfTheUsers<Plain>) {
    int64_t count = 0;
    Flatten<Plain>::each(value, [&](auto& of) { ++count, part(of); });
    f.count(count);
  } else if constexpr (is_wrapper<Plain>) {
    f.reference();
    part(value.get());
  } else if constexpr (is_pointer<Plain> || is_optional<Plain>) {
    if constexpr (is_pointer<Plain>) f.reference();
    if (value) part(*value);
    f.count(value ? 1 : 0);
  } else if constexpr (is_variant<Plain>) {
    if (!value.valueless_by_exception()) std::visit(part, value);
    f.count(static_cast<int64_t>(value.index()));
  } else if constexpr (Text<Plain>) {
    f.other(value);
  } else if constexpr (Range<Plain>) {
    leaves_of_range(value, f);
  } else if constexpr (Tuple<Plain>) {
    std::apply([&](auto&... member) { (part(member), ...); }, value);
  } else if constexpr (!std::is_empty_v<Plain>) {
    f.other(value);
  }
}

// ---- arguments

// Can be compared with the argument of another call: numbers by their bits (-0.0 is not 0.0), other
// types with their operator==.  Pointers to data are excluded: the data may have changed.
template <class T>
concept Comparable = Text<T> || OtherNumber<T> ||
                     (std::equality_comparable<T> && std::is_copy_constructible_v<T> &&
                      !is_smart<T> && (!std::input_or_output_iterator<T> || std::is_pointer_v<T>) &&
                      (!std::is_pointer_v<T> || std::is_function_v<std::remove_pointer_t<T>>));
// The bytes of a number without padding.
template <class T>
inline constexpr size_t bytes_of_number =
    std::is_same_v<T, long double> && LDBL_MANT_DIG == 64 ? 10 : sizeof(T);
template <class T>
capture::Other other_of(const T& value) {
  if constexpr (OtherNumber<T>) {
    return {.text = {reinterpret_cast<const char*>(&value), bytes_of_number<T>}};
  } else if constexpr (std::is_array_v<T>) {
    return {.text = {value, std::size(value)}};
  } else if constexpr (std::is_pointer_v<T> && Text<T>) {
    return {.text = value ? std::string_view(value) : std::string_view()};
  } else if constexpr (Text<T>) {
    return {.text = value};
  } else {
    return {.text = {},
            .value = std::addressof(value),
            .equal = [](const void* a, const void* b) -> bool {
              return *static_cast<const T*>(a) == *static_cast<const T*>(b);
            },
            .keep = [](const void* given) -> std::shared_ptr<const void> {
              return std::make_shared<const T>(*static_cast<const T*>(given));
            }};
  }
}

template <class T>
constexpr std::string_view type_name() {
  std::string_view all = __PRETTY_FUNCTION__;
  all.remove_prefix(all.find("T = ") + 4);
  return all.substr(0, all.find_first_of(";]"));
}

// Addresses of tensor arguments; no allocation for up to eight.  Of a complex tensor it is that of
// its pairs, which are what the program computes with.
class TensorArguments {
 public:
  static constexpr bool with_keys = false;
  void tensor(const Tensor& given) {
    const bool is_complex = given.defined() && given.is_complex();
    const Tensor& t = is_complex ? given.pairs() : given;
    has_complex_ = has_complex_ || is_complex;
    if (count_ < few_.size()) few_[count_] = &t;
    if (count_ == few_.size()) many_.assign(few_.begin(), few_.end());
    if (count_++ >= few_.size()) many_.push_back(&t);
  }
  void number(const auto&) {}
  void count(int64_t) {}
  void reference() {}
  void other(const auto&) {}

  std::span<const Tensor* const> tensors() const {
    return count_ <= few_.size() ? std::span(few_.data(), count_) : std::span(many_);
  }
  // Then an address holds only while the argument is that tensor.
  bool has_complex() const { return has_complex_; }

 private:
  std::array<const Tensor*, 8> few_;  // initialized up to count_
  std::vector<const Tensor*> many_;
  size_t count_ = 0;
  bool has_complex_ = false;
};

// All arguments of a frozen call.
class AllArguments : public TensorArguments {
 public:
  template <class T>
  void next(const T& argument) {
    ++argument_;
    leaves(argument, *this);
  }
  template <bool take, class T>
  void next_if(const T& argument) {
    if constexpr (take) next(argument);
  }

  static constexpr bool with_keys = true;
  void number(const auto& n) { numbers_.push_back(Scalar(n)); }
  void count(int64_t n) { number(n); }
  template <class T>
  void other(const T& value) {
    if constexpr (Comparable<T>) {
      others_.push_back(other_of(value));
      if constexpr (std::is_pointer_v<T>) count(value ? 1 : 0);
    } else if (refused_.type.empty()) {
      refused_ = {argument_, type_name<T>()};
    }
  }

  capture::FrozenCall call(const void* types) const {
    return {types, tensors(), numbers_, others_, refused_};
  }

 private:
  std::vector<Scalar> numbers_;
  std::vector<capture::Other> others_;
  capture::RefusedArgument refused_;
  int argument_ = 0;
};

// Refers to writable data, however it is passed.
template <class T>
inline constexpr bool leads_to_writable =
    std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>>;
template <class T, class D>
inline constexpr bool leads_to_writable<std::unique_ptr<T, D>> = !std::is_const_v<T>;
template <class T>
inline constexpr bool leads_to_writable<std::shared_ptr<T>> = !std::is_const_v<T>;
template <class T>
inline constexpr bool leads_to_writable<std::reference_wrapper<T>> = !std::is_const_v<T>;
template <class T, size_t n>
inline constexpr bool leads_to_writable<std::span<T, n>> = !std::is_const_v<T>;
template <class Arg>
inline constexpr bool is_writable =
    leads_to_writable<std::remove_cvref_t<Arg>> ||
    (std::is_lvalue_reference_v<Arg> && !std::is_const_v<std::remove_reference_t<Arg>>);
// Whether the tensors of an argument keep their addresses until the first op is called.
template <class Arg>
inline constexpr bool stays =
    std::is_same_v<Arg, Tensor&> || std::is_same_v<Arg, const Tensor&> ||
    Number<std::remove_cvref_t<Arg>> || std::is_enum_v<std::remove_cvref_t<Arg>>;
// Its address identifies the types of a call.
template <class... T>
inline constexpr char types_of_call = 0;

// ---- results of frozen calls

struct Nothing {};  // the result of a void function
template <class T>
using OrNothing = std::conditional_t<std::is_void_v<T>, Nothing, T>;

struct ResultLeaves {
  capture::FrozenResult& out;
  static constexpr bool with_keys = false;
  void refuse(std::string_view what) {
    if (out.refused.empty()) out.refused = what;
  }
  void tensor(Tensor& t) { out.tensors.push_back(t.defined() && t.is_complex() ? t.pairs() : t); }
  void tensor(const Tensor&) { refuse("a tensor that is const"); }
  void number(const auto&) { refuse("plain numbers"); }
  void count(int64_t) {}
  void reference() { refuse("pointers or references"); }
  template <class T>
  void other(const T&) {
    refuse(type_name<T>());
  }
};
// A complex tensor leaves one without elements in its place.
struct Emptied {
  static constexpr bool with_keys = false;
  void tensor(Tensor& t) {
    t = t.defined() && t.is_complex() ? Tensor::empty({0}, t.dtype()) : Tensor();
  }
  void tensor(const Tensor&) {}
  void number(const auto&) {}
  void count(int64_t) {}
  void reference() {}
  void other(const auto&) {}
};
struct Filled : Emptied {
  explicit Filled(std::vector<Tensor>& values) : from(values) {}
  using Emptied::tensor;
  void tensor(Tensor& t) {
    Tensor& value = from[next++];
    t = t.defined() ? Tensor::as_complex(std::move(value)) : std::move(value);
  }
  std::vector<Tensor>& from;
  size_t next = 0;
};

// A container of elements that cannot be copied still claims to be copy constructible.
template <class T>
constexpr bool is_copyable() {
  if constexpr (std::is_copy_constructible_v<T> && requires { typename T::value_type; }) {
    if constexpr (!std::is_same_v<typename T::value_type, T>)
      return is_copyable<typename T::value_type>();
  }
  return std::is_copy_constructible_v<T>;
}

// Stores in `out` the tensors of a result, and a copy of the result without them.
template <class Stored>
void describe(Stored& result, capture::FrozenResult& out) {
  ResultLeaves found{out};
  leaves(result, found);
  if constexpr (is_copyable<Stored>()) {
    if (!out.refused.empty()) return;
    Stored prototype = result;
    Emptied emptied;
    leaves(prototype, emptied);
    out.prototype = std::move(prototype);
  } else {
    found.refuse("what cannot be copied");
  }
}
template <class Result, class Stored>
Result result_of(capture::FrozenResult& out) {
  if constexpr (!std::is_void_v<Result> && is_copyable<Stored>()) {
    Stored held = std::any_cast<Stored>(std::move(out.prototype));
    Filled filled(out.tensors);
    leaves(held, filled);
    return std::move(*held);
  } else if constexpr (!std::is_void_v<Result>) {
    // Unreachable: such a call is never recorded.
    return std::move(std::optional<Result>().value());
  }
}

}  // namespace compiled
}  // namespace vitro
